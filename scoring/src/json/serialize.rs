//! A value handed to a serializer of any format.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Number, Object, Value};

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(&text.to_str()),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.iter().len()))?;
        for (key, value) in self.iter() {
            map.serialize_entry(&*key.to_str(), value)?;
        }
        map.end()
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(whole) = self.text.parse::<u64>() {
            serializer.serialize_u64(whole)
        } else if let Ok(whole) = self.text.parse::<i64>() {
            serializer.serialize_i64(whole)
        } else {
            serializer.serialize_f64(self.value)
        }
    }
}
