//! Compressed bytes to text, with every check that a frame offers.

use std::io::Read;

use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

/// How many bytes a decoded frame may have.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Expected {
    /// A row of a database: its length is known, its frame must carry a checksum, and one frame is all there is.
    Exactly { length: u64, limit: u64 },
    /// An archive: at most `limit` bytes over all its frames.
    #[cfg_attr(not(feature = "store"), expect(dead_code, reason = "archives are files"))]
    AtMost { limit: u64 },
}

/// Why bytes were not decoded.
#[derive(Debug)]
pub(crate) struct Refused {
    /// More than the limit, rather than damaged.
    pub(crate) too_large: bool,
    pub(crate) reason: String,
}

fn too_large(reason: String) -> Refused {
    Refused { too_large: true, reason }
}

fn damaged(reason: impl Into<String>) -> Refused {
    Refused { too_large: false, reason: reason.into() }
}

/// Decodes `bytes`.
///
/// The decoder itself returns wrong bytes without an error for many single flipped bits; the frame's checksum and the
/// known length are what tells, so both are compared.
pub(crate) fn decode(bytes: &[u8], expected: Expected) -> Result<Vec<u8>, Refused> {
    let (limit, exact) = match expected {
        Expected::Exactly { length, limit } if length > limit => {
            return Err(too_large(format!("{length} bytes decoded, the limit is {limit}")));
        }
        Expected::Exactly { length, .. } => (length, true),
        Expected::AtMost { limit } => (limit, false),
    };
    let mut out = Vec::new();
    let mut rest = bytes;
    let mut frames = 0_u32;
    while !rest.is_empty() {
        match frame(&mut rest, &mut out, limit, exact)? {
            Frame::Data => frames += 1,
            Frame::Skipped if exact => return Err(damaged("a skippable frame in a row")),
            Frame::Skipped => {}
        }
        if exact && !rest.is_empty() {
            return Err(damaged(format!("{} bytes after the frame", rest.len())));
        }
    }
    if frames == 0 {
        return Err(damaged("no zstd frame"));
    }
    if exact && out.len() as u64 != limit {
        return Err(damaged(format!("decoded to {} bytes, the row says {limit}", out.len())));
    }
    Ok(out)
}

/// How many blocks (of up to 128 KiB) [`prefix`] decodes.
#[cfg(feature = "store")]
const PREFIX_BLOCKS: usize = 8;

/// The first bytes of a compressed stream, unchecked, for a look at its header; nothing, where the stream is damaged or
/// keeps more than 1 MiB to itself before it gives anything out.
#[cfg(feature = "store")]
pub(crate) fn prefix(mut source: impl Read) -> Vec<u8> {
    let mut decoder = FrameDecoder::new();
    if decoder.init(&mut source).is_err() {
        return Vec::new();
    }
    let step = ruzstd::decoding::BlockDecodingStrategy::UptoBlocks(PREFIX_BLOCKS);
    if decoder.decode_blocks(&mut source, step).is_err() {
        return Vec::new();
    }
    decoder.collect().unwrap_or_default()
}

enum Frame {
    Data,
    Skipped,
}

fn frame(rest: &mut &[u8], out: &mut Vec<u8>, limit: u64, needs_checksum: bool) -> Result<Frame, Refused> {
    let mut decoder = FrameDecoder::new();
    match decoder.init(&mut *rest) {
        Ok(()) => {}
        Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
            *rest = rest.get(length as usize..).ok_or_else(|| damaged("a skippable frame is cut off"))?;
            return Ok(Frame::Skipped);
        }
        Err(FrameDecoderError::WindowSizeTooBig { requested, .. }) if !needs_checksum => {
            return Err(too_large(format!("a frame that wants a window of {requested} bytes")));
        }
        Err(_) => return Err(damaged("no zstd frame")),
    }
    let start = out.len();
    let mut buffer = [0_u8; 16 << 10];
    while !(decoder.is_finished() && decoder.can_collect() == 0) {
        if !decoder.is_finished() {
            let step = ruzstd::decoding::BlockDecodingStrategy::UptoBlocks(1);
            decoder
                .decode_blocks(&mut *rest, step)
                .map_err(|_| damaged("the zstd frame is damaged or cut off"))?;
        }
        loop {
            let count = decoder.read(&mut buffer).map_err(|_| damaged("the zstd frame is damaged"))?;
            if count == 0 {
                break;
            }
            out.extend_from_slice(buffer.get(..count).unwrap_or(&[]));
            if out.len() as u64 > limit {
                let reason = format!("decodes to more than {limit} bytes");
                // What a row says of itself is no limit of ours.
                return Err(if needs_checksum { damaged(reason) } else { too_large(reason) });
            }
        }
    }
    let declared = decoder.content_size();
    if declared != 0 && declared != (out.len() - start) as u64 {
        return Err(damaged(format!("decoded to {} bytes, the frame says {declared}", out.len() - start)));
    }
    match (decoder.get_checksum_from_data(), decoder.get_calculated_checksum()) {
        (Some(stored), Some(calculated)) if stored == calculated => Ok(Frame::Data),
        (Some(_), _) => Err(damaged("the frame's checksum does not agree")),
        (None, _) if needs_checksum => Err(damaged("a frame without a checksum")),
        (None, _) => Ok(Frame::Data),
    }
}
