//! `events`: from diagnostic events to spans.

use crate::cli::Options;
use crate::files::Texts;
use crate::print;
use crate::print::Trees;
use crate::send::{Exporter, now_ms};
use crate::setup::Setup;
use clawgauge_support::{Stop, exit};
use clawgauge_tracing_map::{Batcher, Config, ContentSource as _, DiagnosticEvent, Format, Mapper, Span};
use clawgauge_transcript::Redactor;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Where spans go.
pub(crate) enum Sink {
    Send(Box<Exporter>),
    Trees(Trees, Option<f64>),
    Json(Box<Batcher>, Option<f64>, bool, Option<Box<Redactor>>),
}

impl Sink {
    pub(crate) fn new(options: &Options, setup: &Setup) -> Result<Self, Stop> {
        if !options.dry_run {
            return Ok(Self::Send(Box::new(Exporter::new(setup, options)?)));
        }
        if options.json {
            let batcher = Batcher::new(setup.convention, Format::Json, setup.settings.stamp.clone());
            return Ok(Self::Json(
                Box::new(batcher),
                options.sample,
                options.no_content,
                crate::send::redactor(options).map(Box::new),
            ));
        }
        Ok(Self::Trees(Trees::default(), options.sample))
    }

    pub(crate) fn push(&mut self, mut span: Span) -> Result<(), String> {
        match self {
            Self::Send(exporter) => exporter.push(span)?,
            Self::Trees(trees, sample) => {
                if crate::send::sampled(&span, *sample)
                    && let Some(tree) = trees.add(span)
                {
                    print::line(&tree);
                }
            }
            Self::Json(batcher, sample, no_content, redactor) => {
                if *no_content {
                    span.remove_content();
                }
                crate::send::redact(&mut span, redactor.as_deref());
                if crate::send::sampled(&span, *sample) {
                    let request = batcher.push(&span).map_err(|error| error.to_string())?;
                    if let Some(request) = request {
                        print::data(&String::from_utf8_lossy(&request.body));
                    }
                }
            }
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> Result<(), String> {
        match self {
            Self::Send(exporter) => exporter.flush(),
            Self::Trees(..) | Self::Json(..) => Ok(()),
        }
    }

    /// The exit code.
    pub(crate) fn finish(&mut self) -> Result<u8, String> {
        match self {
            Self::Send(exporter) => {
                let sent = exporter.finish()?;
                print::complain(&format!(
                    "{} spans; {} requests sent, {} failed, {} kept for later; {} spans refused",
                    sent.spans, sent.requests, sent.failed, sent.kept, sent.rejected
                ));
                Ok(if sent.failed > 0 || sent.rejected > 0 || sent.kept > 0 { exit::NO } else { exit::OK })
            }
            Self::Trees(..) => Ok(exit::OK),
            Self::Json(batcher, ..) => {
                if let Some(request) = batcher.flush() {
                    print::data(&String::from_utf8_lossy(&request.body));
                }
                Ok(exit::OK)
            }
        }
    }
}

enum Input {
    Line(String),
    /// It cannot be read on.
    Broken(String),
    End,
    Stop,
}

pub(crate) fn run(file: &Path, options: &Options, setup: &Setup) -> Result<u8, Stop> {
    let config = if options.no_content || options.state_dir.is_none() {
        Config::without_content()
    } else {
        Config::default()
    };
    let mut mapper = Mapper::new(config);
    let mut sink = Sink::new(options, setup)?;
    let mut texts = options.state_dir.as_deref().map(Texts::new);
    let live = file.as_os_str() == "-";
    let (sender, receiver) = mpsc::sync_channel(1_024);
    if live {
        let stop = sender.clone();
        ctrlc::set_handler(move || {
            // When the queue is full the reader is busy anyway; it ends with its input.
            drop(stop.try_send(Input::Stop));
        })
        .map_err(|error| format!("signals: {error}"))?;
    }
    let reader: Box<dyn BufRead + Send> = if live {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        let cannot = |error| Stop::input(format!("{}: {error}", file.display()));
        Box::new(BufReader::new(File::open(file).map_err(cannot)?))
    };
    thread::spawn(move || {
        for line in reader.split(b'\n') {
            // Bytes that are no text spoil what they stand in, not the lines after it.
            let input = match line {
                Ok(line) => Input::Line(String::from_utf8_lossy(&line).into_owned()),
                Err(error) => Input::Broken(error.to_string()),
            };
            let over = matches!(input, Input::Broken(_));
            if sender.send(input).is_err() || over {
                return;
            }
        }
        // The other end may be gone already.
        drop(sender.send(Input::End));
    });
    let mut clock = 0;
    let (mut bad_lines, mut broken) = (0_u64, false);
    loop {
        let wait = if live { Duration::from_millis(500) } else { Duration::from_secs(3_600) };
        match receiver.recv_timeout(wait) {
            Ok(Input::Line(line)) => {
                if line.trim().is_empty() {
                    continue;
                }
                let Some((event, at)) = read(&line) else {
                    bad_lines += 1;
                    continue;
                };
                clock = if live { now_ms() } else { at.unwrap_or(clock).max(clock) };
                step(&mut mapper, clock, texts.as_mut(), &mut sink)?;
                mapper.handle(&event, clock);
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                clock = now_ms();
                step(&mut mapper, clock, texts.as_mut(), &mut sink)?;
                sink.flush()?;
                continue;
            }
            Ok(Input::Broken(error)) => {
                print::complain(&format!("{}: {error}", file.display()));
                broken = true;
                break;
            }
            Ok(Input::End | Input::Stop) | Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
        step(&mut mapper, clock, texts.as_mut(), &mut sink)?;
    }
    mapper.request_all();
    answer(&mut mapper, clock, texts.as_mut());
    mapper.finish(clock);
    while let Some(span) = mapper.poll() {
        sink.push(span)?;
    }
    let counters = mapper.counters();
    print::complain(&format!(
        "{} events, {} runs, {} spans; {} late, {} duplicates, {} dropped, {bad_lines} lines that are no event",
        counters.events,
        counters.runs,
        counters.spans,
        counters.late,
        counters.duplicates,
        counters.dropped_spans
    ));
    let code = sink.finish()?;
    Ok(if code == exit::OK && broken { exit::IO } else { code })
}

fn read(line: &str) -> Option<(DiagnosticEvent, Option<i64>)> {
    let value: Value = serde_json::from_str(line).ok()?;
    let at = value.get("at").and_then(Value::as_i64);
    let event = DiagnosticEvent::from_value(value).ok()?;
    let at = at.or_else(|| event.at_ms());
    Some((event, at))
}

/// Does what is due up to `clock`, at its own time.
fn step(
    mapper: &mut Mapper,
    clock: i64,
    mut texts: Option<&mut Texts>,
    sink: &mut Sink,
) -> Result<(), String> {
    while let Some(at) = mapper.poll_timeout().filter(|at| *at < clock) {
        mapper.handle_timeout(at);
        answer(mapper, at, texts.as_deref_mut());
    }
    answer(mapper, clock, texts);
    while let Some(span) = mapper.poll() {
        sink.push(span)?;
    }
    Ok(())
}

fn answer(mapper: &mut Mapper, at: i64, mut texts: Option<&mut Texts>) {
    while let Some(request) = mapper.poll_request() {
        let content = texts.as_mut().and_then(|texts| texts.resolve(&request));
        if let Some(content) = content {
            mapper.content(request.token, content, at);
        }
    }
}
