//! One JSON object, field by field: typed fields are taken out, the rest is kept as it came.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};
use crate::text::repair_surrogates;

/// Fields that this crate does not know, or whose value it cannot use, as raw JSON, in their order.
///
/// They are written back behind the known fields.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Extra {
    fields: Vec<(String, String)>,
}

impl Extra {
    /// No extra fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Names and raw JSON values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, raw)| (name.as_str(), raw.as_str()))
    }

    /// The raw JSON of the last field with this name. O(fields).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().rev().find(|(key, _)| key == name).map(|(_, raw)| raw.as_str())
    }

    /// Adds a field. `raw` must be JSON text; it is kept as it is.
    pub fn push(&mut self, name: impl Into<String>, raw: impl Into<String>) {
        self.fields.push((name.into(), raw.into()));
    }
}

impl fmt::Debug for Extra {
    /// The names only: a field of an unusable type may hold a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.fields.iter().map(|(name, _)| name)).finish()
    }
}

/// The fields of one object in their order, values unread.
#[derive(Debug, Default)]
pub(crate) struct Fields<'a> {
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Fields<'a> {
    /// Reads an object; `Ok(None)` for any other JSON value. Borrows: nothing is copied but names with escapes.
    pub(crate) fn parse(json: &'a str) -> Result<Option<Self>, Error> {
        Self::read(json).map_err(|error| match error.line() {
            // Columns count from 1; offsets are known in the first line only.
            1 => Error::at(ErrorKind::NotJson, error.column().saturating_sub(1)),
            _ => Error::new(ErrorKind::NotJson),
        })
    }

    fn read(json: &'a str) -> Result<Option<Self>, serde_json::Error> {
        if json.trim_start_matches([' ', '\n', '\r', '\t']).starts_with('{') {
            let mut reader = serde_json::Deserializer::from_str(json);
            let fields = reader.deserialize_map(FieldsVisitor)?;
            reader.end()?;
            Ok(Some(fields))
        } else {
            serde_json::from_str::<&RawValue>(json)?;
            Ok(None)
        }
    }

    /// Takes a field out; of several with one name the last one, as JavaScript does.
    pub(crate) fn take(&mut self, name: &str) -> Option<Field<'a>> {
        let at = self.fields.iter().rposition(|(key, _)| key == name)?;
        let (name, raw) = self.fields.remove(at);
        self.fields.retain(|(key, _)| *key != name);
        Some(Field { name, raw })
    }

    /// Takes a field and reads it; a value that cannot be read stays among the rest.
    pub(crate) fn read_field<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Field<'a>) -> Option<T>,
    ) -> Option<T> {
        let field = self.take(name)?;
        let value = read(&field);
        if value.is_none() {
            self.fields.push((field.name, field.raw));
        }
        value
    }

    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        self.read_field(name, Field::text)
    }

    pub(crate) fn bool(&mut self, name: &str) -> Option<bool> {
        self.read_field(name, |field| match field.raw.get() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        })
    }

    pub(crate) fn number(&mut self, name: &str) -> Option<f64> {
        self.read_field(name, Field::number)
    }

    pub(crate) fn unsigned(&mut self, name: &str) -> Option<u64> {
        self.read_field(name, Field::unsigned)
    }

    pub(crate) fn signed(&mut self, name: &str) -> Option<i64> {
        self.read_field(name, |field| field.raw.get().parse().ok())
    }

    /// An object field; what is left of it after `read` must be kept by `read` itself.
    pub(crate) fn object<T>(&mut self, name: &str, read: impl FnOnce(Self) -> T) -> Option<T> {
        self.read_field(name, |field| field.object().map(read))
    }

    /// A list of objects. A list that holds anything else is left as it is.
    pub(crate) fn objects<T>(&mut self, name: &str, mut read: impl FnMut(Self) -> T) -> Option<Vec<T>> {
        self.read_field(name, |field| {
            field.items()?.iter().map(|item| item.object().map(&mut read)).collect()
        })
    }

    /// A list of texts. A list that holds anything else is left as it is.
    pub(crate) fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        self.read_field(name, |field| field.items()?.iter().map(Field::text).collect())
    }

    pub(crate) fn rest(self) -> Extra {
        Extra {
            fields: self
                .fields
                .into_iter()
                .map(|(name, raw)| (name.into_owned(), raw.get().to_owned()))
                .collect(),
        }
    }

    pub(crate) fn into_fields(self) -> impl Iterator<Item = Field<'a>> {
        self.fields.into_iter().map(|(name, raw)| Field { name, raw })
    }
}

/// One field, value unread.
#[derive(Debug)]
pub(crate) struct Field<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) raw: &'a RawValue,
}

impl<'a> Field<'a> {
    pub(crate) fn text(&self) -> Option<String> {
        let raw = self.raw.get();
        if !raw.starts_with('"') {
            return None;
        }
        serde_json::from_str(raw).or_else(|_| serde_json::from_str(&repair_surrogates(raw))).ok()
    }

    /// A finite number.
    pub(crate) fn number(&self) -> Option<f64> {
        let raw = self.raw.get();
        if !raw.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            return None;
        }
        raw.parse::<f64>().ok().filter(|value| value.is_finite())
    }

    pub(crate) fn unsigned(&self) -> Option<u64> {
        self.raw.get().parse().ok()
    }

    pub(crate) fn object(&self) -> Option<Fields<'a>> {
        Fields::parse(self.raw.get()).ok().flatten()
    }

    pub(crate) fn items(&self) -> Option<Vec<Self>> {
        let items: Vec<&'a RawValue> = serde_json::from_str(self.raw.get()).ok()?;
        Some(items.into_iter().map(|raw| Self { name: Cow::Borrowed(""), raw }).collect())
    }

    /// A list of texts that is not empty: an empty one is not written, so it is left as it is.
    pub(crate) fn some_texts(&self) -> Option<Vec<String>> {
        let texts: Vec<String> = self.items()?.iter().map(Self::text).collect::<Option<_>>()?;
        (!texts.is_empty()).then_some(texts)
    }

    pub(crate) fn is_true(&self) -> Option<()> {
        (self.raw.get() == "true").then_some(())
    }

    pub(crate) fn is_null(&self) -> bool {
        self.raw.get() == "null"
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
        let mut fields = Vec::with_capacity(12);
        while let Some(Name(name)) = map.next_key()? {
            fields.push((name, map.next_value::<&'de RawValue>()?));
        }
        Ok(Fields { fields })
    }
}

/// A field's name, borrowed unless it has escapes; `Cow` alone always copies.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Name<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
        Ok(Name(Cow::Borrowed(name)))
    }

    fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
        Ok(Name(Cow::Owned(name.to_owned())))
    }
}

/// Writes one object, fields in call order.
#[derive(Debug)]
pub(crate) struct ObjectWriter {
    out: Vec<u8>,
}

impl ObjectWriter {
    pub(crate) fn new() -> Self {
        Self { out: Vec::with_capacity(256) }
    }

    /// Starts a frame of this type.
    pub(crate) fn frame(kind: &str) -> Self {
        let mut writer = Self::new();
        writer.text("type", kind);
        writer
    }

    fn key(&mut self, name: &str) {
        self.out.push(if self.out.is_empty() { b'{' } else { b',' });
        write_text(&mut self.out, name);
        self.out.push(b':');
    }

    pub(crate) fn text(&mut self, name: &str, value: &str) {
        self.key(name);
        write_text(&mut self.out, value);
    }

    pub(crate) fn opt_text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    pub(crate) fn raw(&mut self, name: &str, json: &str) {
        self.key(name);
        self.out.extend_from_slice(json.as_bytes());
    }

    pub(crate) fn display(&mut self, name: &str, value: impl fmt::Display) {
        self.raw(name, &value.to_string());
    }

    pub(crate) fn opt_display(&mut self, name: &str, value: Option<impl fmt::Display>) {
        if let Some(value) = value {
            self.display(name, value);
        }
    }

    /// A number as JavaScript would write it: whole numbers without a fraction.
    pub(crate) fn number(&mut self, name: &str, value: f64) {
        self.raw(name, &number_text(value));
    }

    pub(crate) fn texts(&mut self, name: &str, values: &[String]) {
        self.key(name);
        self.out.push(b'[');
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                self.out.push(b',');
            }
            write_text(&mut self.out, value);
        }
        self.out.push(b']');
    }

    pub(crate) fn objects<T>(&mut self, name: &str, items: &[T], mut write: impl FnMut(&T, &mut Self)) {
        let list: Vec<String> = items
            .iter()
            .map(|item| {
                let mut inner = Self::new();
                write(item, &mut inner);
                inner.finish()
            })
            .collect();
        self.raw(name, &format!("[{}]", list.join(",")));
    }

    pub(crate) fn object(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::new();
        write(&mut inner);
        self.raw(name, &inner.finish());
    }

    pub(crate) fn extra(&mut self, extra: &Extra) {
        for (name, raw) in extra.iter() {
            self.raw(name, raw);
        }
    }

    pub(crate) fn finish(mut self) -> String {
        if self.out.is_empty() {
            self.out.push(b'{');
        }
        self.out.push(b'}');
        // Only UTF-8 goes in: names, escaped texts and raw JSON that came from strings.
        String::from_utf8(self.out).unwrap_or_default()
    }
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    // Writing into memory does not fail.
    drop(serde_json::to_writer(out, text));
}

pub(crate) fn number_text(value: f64) -> String {
    if !value.is_finite() {
        return String::from("null");
    }
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        // Below 2^53 every whole number is exact.
        if value == 0.0 { String::from("0") } else { format!("{value:.0}") }
    } else {
        serde_json::Number::from_f64(value).map_or_else(|| String::from("null"), |number| number.to_string())
    }
}
