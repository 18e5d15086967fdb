//! One row's text to the spans of what matters in it.
//!
//! Types are not known before the whole row was seen (key order varies between versions), so every row is scanned for
//! the fields that any type may have, and values of another JSON type than expected are kept as they are.

use crate::message::{BlockType, Role};
use crate::scan::{ScanError, Scanner, Span};

/// Where the fields of a row stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RowParts {
    pub(crate) kind: Option<Span>,
    pub(crate) id: Option<Span>,
    pub(crate) parent: Option<Span>,
    pub(crate) timestamp: Option<Span>,
    pub(crate) append_mode: Option<Span>,
    pub(crate) message: Option<Box<MessageParts>>,
    /// Whether half a surrogate pair may be escaped somewhere.
    pub(crate) surrogates: bool,
}

/// Where the fields of a message stand, in the same row's text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MessageParts {
    pub(crate) whole: Span,
    pub(crate) role: Option<Span>,
    /// What [`role`](Self::role) says: asked of every message many times.
    pub(crate) who: Role,
    pub(crate) content: Option<Span>,
    pub(crate) blocks: Vec<BlockParts>,
    pub(crate) timestamp: Option<Span>,
    pub(crate) stop_reason: Option<Span>,
    pub(crate) provider: Option<Span>,
    pub(crate) model: Option<Span>,
    pub(crate) usage: Option<Span>,
    pub(crate) tool_call_id: Option<Span>,
    pub(crate) tool_name: Option<Span>,
    pub(crate) is_error: Option<Span>,
    pub(crate) details: Option<Span>,
    pub(crate) idempotency_key: Option<Span>,
    pub(crate) openclaw: Option<Span>,
    pub(crate) custom_type: Option<Span>,
    pub(crate) provenance: Option<Span>,
}

/// Where the fields of a content block stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct BlockParts {
    pub(crate) whole: Span,
    pub(crate) kind: BlockType,
    pub(crate) text: Option<Span>,
    pub(crate) thinking: Option<Span>,
    pub(crate) signature: Option<Span>,
    pub(crate) id: Option<Span>,
    pub(crate) name: Option<Span>,
    pub(crate) arguments: Option<Span>,
    pub(crate) input: Option<Span>,
    pub(crate) mime: Option<Span>,
    pub(crate) data: Option<Span>,
}

/// Scans a row that is a JSON object.
pub(crate) fn row(text: &str, max_depth: u32) -> Result<RowParts, ScanError> {
    let mut scanner = Scanner::new(text, max_depth);
    let row = row_parts(&mut scanner)?;
    scanner.end()?;
    Ok(row)
}

/// Scans the row that a text begins with; also how long it is.
pub(crate) fn row_prefix(text: &str, max_depth: u32) -> Result<(RowParts, usize), ScanError> {
    let mut scanner = Scanner::new(text, max_depth);
    let row = row_parts(&mut scanner)?;
    Ok((row, scanner.pos()))
}

fn row_parts(scanner: &mut Scanner<'_>) -> Result<RowParts, ScanError> {
    let mut row = RowParts::default();
    scanner.object(|scanner, key| {
        let field = match key {
            "type" => &mut row.kind,
            "id" => &mut row.id,
            "parentId" => &mut row.parent,
            "timestamp" => &mut row.timestamp,
            "appendMode" => &mut row.append_mode,
            "message" if scanner.peek() == Some(b'{') => {
                row.message = Some(Box::new(message_parts(scanner)?));
                return Ok(());
            }
            "message" => {
                row.message = None;
                return scanner.value().map(drop);
            }
            _ => return scanner.value().map(drop),
        };
        *field = Some(scanner.value()?);
        Ok(())
    })?;
    row.surrogates = scanner.met_surrogates();
    Ok(row)
}

/// Scans a message that stands alone, as in the `messages` of a hook payload.
pub(crate) fn message(text: &str, max_depth: u32) -> Result<MessageParts, ScanError> {
    let mut scanner = Scanner::new(text, max_depth);
    let parts = message_parts(&mut scanner)?;
    scanner.end()?;
    Ok(parts)
}

fn message_parts(scanner: &mut Scanner<'_>) -> Result<MessageParts, ScanError> {
    let mut message = MessageParts::default();
    message.whole = scanner.object(|scanner, key| {
        let field = match key {
            "role" => &mut message.role,
            "content" if scanner.peek() == Some(b'[') => {
                let mut blocks = Vec::with_capacity(1);
                message.content = Some(scanner.array(|scanner| {
                    blocks.push(block_parts(scanner)?);
                    Ok(())
                })?);
                message.blocks = blocks;
                return Ok(());
            }
            "content" => {
                message.blocks.clear();
                &mut message.content
            }
            "timestamp" => &mut message.timestamp,
            "stopReason" => &mut message.stop_reason,
            "provider" => &mut message.provider,
            "model" => &mut message.model,
            "usage" => &mut message.usage,
            "toolCallId" => &mut message.tool_call_id,
            "toolName" => &mut message.tool_name,
            "isError" => &mut message.is_error,
            "details" => &mut message.details,
            "idempotencyKey" => &mut message.idempotency_key,
            "__openclaw" => &mut message.openclaw,
            "customType" => &mut message.custom_type,
            "provenance" => &mut message.provenance,
            _ => return scanner.value().map(drop),
        };
        *field = Some(scanner.value()?);
        Ok(())
    })?;
    message.who =
        message.role.and_then(|role| scanner.text_of(role)).map_or(Role::Unknown, |r| Role::from_name(&r));
    Ok(message)
}

fn block_parts(scanner: &mut Scanner<'_>) -> Result<BlockParts, ScanError> {
    let mut block = BlockParts::default();
    if scanner.peek() != Some(b'{') {
        block.whole = scanner.value()?;
        return Ok(block);
    }
    let mut kind = None;
    block.whole = scanner.object(|scanner, key| {
        let field = match key {
            "type" => &mut kind,
            "text" => &mut block.text,
            "thinking" => &mut block.thinking,
            "textSignature" => &mut block.signature,
            "id" => &mut block.id,
            "name" => &mut block.name,
            "arguments" => &mut block.arguments,
            "input" | "args" => &mut block.input,
            "mimeType" => &mut block.mime,
            "data" => &mut block.data,
            _ => return scanner.value().map(drop),
        };
        *field = Some(scanner.value()?);
        Ok(())
    })?;
    block.kind =
        kind.and_then(|kind| scanner.text_of(kind)).map_or(BlockType::Other, |k| BlockType::from_name(&k));
    Ok(block)
}
