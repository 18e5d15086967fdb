//! Sends requests, each destination with its own queue.

use crate::cli::{Backend, Options, Redact};
use crate::print;
use crate::setup::Setup;
use crate::spool::Spool;
use base64::Engine as _;
use clawgauge_support::Stop;
use clawgauge_support::settings::TraceSettings;
use clawgauge_tracing_map::{
    Batcher, Decision, Destination, Format, Request, RetryPolicy, SendResult, Span, langfuse_scores,
    read_answer, retry,
};
use clawgauge_transcript::{RedactionLevel, Redactor};
use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// One export may take this long.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How long a backend that is down is left alone.
const REST_MS: i64 = 60_000;
/// Requests held in memory for a destination without a spool.
const MAX_HELD: usize = 64;

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// What came of all requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) requests: u64,
    pub(crate) spans: u64,
    pub(crate) rejected: u64,
    pub(crate) failed: u64,
    pub(crate) kept: u64,
}

/// Replaces secrets in the texts of a span, each text by itself.
pub(crate) fn redact(span: &mut Span, redactor: Option<&Redactor>) {
    if let Some(redactor) = redactor {
        let mut redaction = redactor.begin();
        span.map_texts(|text| redaction.text(text).into_owned());
    }
}

/// The redactor that the command line asks for.
pub(crate) fn redactor(options: &Options) -> Option<Redactor> {
    match options.redact {
        Redact::Nothing => None,
        Redact::Secrets => Some(Redactor::of_level(RedactionLevel::Secrets)),
        Redact::Personal => Some(Redactor::of_level(RedactionLevel::Personal)),
    }
}

/// Sends spans to the primary and the mirror.
pub(crate) struct Exporter {
    lanes: Vec<Lane>,
    no_content: bool,
    sample: Option<f64>,
    redactor: Option<Redactor>,
}

impl Exporter {
    pub(crate) fn new(setup: &Setup, options: &Options) -> Result<Self, Stop> {
        let settings = &setup.settings;
        let (mut lanes, mut scores) = (Vec::new(), Vec::new());
        for (name, destination) in
            [("primary", Some(&settings.primary)), ("mirror", settings.mirror.as_ref().ok())]
        {
            let Some(destination) = destination else { continue };
            // The label of a mirror stands on its copy only.
            let stamp = match destination.environment() {
                Some(label) if name == "mirror" => settings.stamp.clone().with_environment(Some(label)),
                _ => settings.stamp.clone(),
            };
            let langfuse = options.to == Backend::Langfuse;
            let lane = |payload, url, format| -> Result<Lane, Stop> {
                let folder = match payload {
                    Payload::Spans(_) => name.to_owned(),
                    Payload::Scores(_) => format!("{name}-scores"),
                };
                let spool = options.spool.as_ref();
                let spool = spool.map(|spool| Spool::open(&spool.join(&folder), options.spool_bytes));
                Ok(Lane {
                    name,
                    url,
                    shown: destination.describe(),
                    headers: headers(destination, options.to),
                    format,
                    payload,
                    agent: agent(settings, destination, options)?,
                    spool: spool.transpose()?,
                    held: VecDeque::new(),
                    attempt: 0,
                    not_before_ms: 0,
                    resting_until_ms: 0,
                    sent: Sent::default(),
                })
            };
            if setup.convention.has_langfuse() && langfuse {
                scores.push(lane(
                    Payload::Scores(stamp.environment.clone()),
                    destination.scores_url(),
                    Format::Json,
                )?);
            }
            let format = options.to.format();
            let spans = Payload::Spans(Box::new(Batcher::new(setup.convention, format, stamp)));
            lanes.push(lane(spans, destination.traces_url(langfuse), format)?);
        }
        // Scores come after the spans that they stand on.
        lanes.append(&mut scores);
        Ok(Self {
            lanes,
            no_content: options.no_content,
            sample: options.sample,
            redactor: redactor(options),
        })
    }

    /// Takes a span; sends when a request is full.
    pub(crate) fn push(&mut self, mut span: Span) -> Result<(), String> {
        if !sampled(&span, self.sample) {
            return Ok(());
        }
        if self.no_content {
            span.remove_content();
        }
        redact(&mut span, self.redactor.as_ref());
        for lane in &mut self.lanes {
            lane.push(&span)?;
        }
        Ok(())
    }

    /// Sends what is waiting, as far as the backend lets us.
    pub(crate) fn flush(&mut self) -> Result<(), String> {
        for lane in &mut self.lanes {
            lane.close_batch()?;
            lane.drain(false)?;
        }
        Ok(())
    }

    /// The last flush: waits for the backend, as patiently as the policy says.
    pub(crate) fn finish(&mut self) -> Result<Sent, String> {
        let mut total = Sent::default();
        for lane in &mut self.lanes {
            lane.close_batch()?;
            lane.drain(true)?;
            total.requests += lane.sent.requests;
            total.spans += lane.sent.spans;
            total.rejected += lane.sent.rejected;
            total.failed += lane.sent.failed;
            total.kept += lane.sent.kept;
        }
        Ok(total)
    }
}

/// Whether a run is among those that are sent. Decided by its trace id: all its spans, and each time the same.
pub(crate) fn sampled(span: &Span, sample: Option<f64>) -> bool {
    let Some(part) = sample else { return true };
    let bytes = span.trace_id.bytes();
    let number = bytes.iter().take(4).fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    f64::from(number) / (f64::from(u32::MAX) + 1.0) < part
}

/// What a lane carries.
enum Payload {
    Spans(Box<Batcher>),
    /// Langfuse's scores, one a request, with this environment.
    Scores(Option<String>),
}

struct Lane {
    name: &'static str,
    url: String,
    shown: String,
    headers: Vec<(&'static str, String)>,
    format: Format,
    payload: Payload,
    agent: ureq::Agent,
    spool: Option<Spool>,
    held: VecDeque<Vec<u8>>,
    attempt: u32,
    not_before_ms: i64,
    /// The backend was down; it is left alone until then.
    resting_until_ms: i64,
    sent: Sent,
}

impl Lane {
    fn push(&mut self, span: &Span) -> Result<(), String> {
        let batcher = match &mut self.payload {
            Payload::Spans(batcher) => batcher,
            Payload::Scores(environment) => {
                let scores = langfuse_scores(span, environment.as_deref());
                return scores.into_iter().try_for_each(|score| self.queue(score.to_string().into_bytes()));
            }
        };
        match batcher.push(span) {
            Ok(request) => request.map_or(Ok(()), |request| self.queue_spans(request)),
            Err(error) => {
                self.sent.failed += 1;
                print::export_failed(&format!("{} {error}", self.name));
                Ok(())
            }
        }
    }

    /// Queues the spans that wait for a full request.
    fn close_batch(&mut self) -> Result<(), String> {
        let request = match &mut self.payload {
            Payload::Spans(batcher) => batcher.flush(),
            Payload::Scores(_) => None,
        };
        request.map_or(Ok(()), |request| self.queue_spans(request))
    }

    fn queue_spans(&mut self, request: Request) -> Result<(), String> {
        self.sent.spans += request.spans as u64;
        self.queue(request.body)
    }

    fn queue(&mut self, body: Vec<u8>) -> Result<(), String> {
        match &mut self.spool {
            Some(spool) => {
                let dropped = spool.push(&body)?;
                if dropped > 0 {
                    self.sent.failed += dropped as u64;
                    print::export_failed(&format!(
                        "{}: the spool is full, {dropped} oldest requests dropped",
                        self.name
                    ));
                }
            }
            None => {
                self.held.push_back(body);
                if self.held.len() > MAX_HELD {
                    self.held.pop_front();
                    self.sent.failed += 1;
                    print::export_failed(&format!(
                        "{}: too many requests wait, the oldest is dropped",
                        self.name
                    ));
                }
            }
        }
        self.drain(false)
    }

    /// Sends in order until the queue is empty or the backend asks to wait.
    fn drain(&mut self, wait: bool) -> Result<(), String> {
        loop {
            if now_ms() < self.resting_until_ms {
                return self.rest(wait);
            }
            let (body, path) = match &self.spool {
                Some(spool) => match spool.waiting()?.into_iter().next() {
                    Some((_, path)) => (Spool::read(&path)?, Some(path)),
                    None => return Ok(()),
                },
                None => match self.held.front() {
                    Some(body) => (body.clone(), None),
                    None => return Ok(()),
                },
            };
            let now = now_ms();
            if now < self.not_before_ms {
                if !wait {
                    return Ok(());
                }
                let pause = u64::try_from(self.not_before_ms - now).unwrap_or(0);
                std::thread::sleep(Duration::from_millis(pause));
            }
            self.attempt += 1;
            let (decision, says) = self.post(&body);
            match decision {
                Decision::Retry { after_ms } => {
                    self.not_before_ms = now_ms().saturating_add(i64::try_from(after_ms).unwrap_or(i64::MAX));
                }
                Decision::Keep => {
                    self.attempt = 0;
                    let then = if self.spool.is_some() { "kept for later" } else { "kept in memory for now" };
                    print::export_failed(&format!("{} {}: {says}; {then}", self.name, self.shown));
                    self.resting_until_ms = now_ms().saturating_add(REST_MS);
                }
                done_or_not => {
                    self.attempt = 0;
                    if done_or_not == Decision::Done {
                        self.sent.requests += 1;
                    } else {
                        self.sent.failed += 1;
                        print::export_failed(&format!(
                            "{} {}: {says}; not sent again",
                            self.name, self.shown
                        ));
                    }
                    match path {
                        Some(path) => Spool::remove(&path)?,
                        None => drop(self.held.pop_front()),
                    }
                }
            }
        }
    }

    /// The backend is down. At the end of the program what is on disk stays there, and what is not is lost.
    fn rest(&mut self, last: bool) -> Result<(), String> {
        if !last {
            return Ok(());
        }
        match &self.spool {
            Some(spool) => self.sent.kept = spool.waiting()?.len() as u64,
            None if self.held.is_empty() => {}
            None => {
                let lost = self.held.len();
                print::export_failed(&format!("{} {}: {lost} requests not sent", self.name, self.shown));
                self.sent.failed += lost as u64;
                self.held.clear();
            }
        }
        Ok(())
    }

    fn post(&mut self, body: &[u8]) -> (Decision, String) {
        let mut request = self.agent.post(&self.url).header("content-type", self.format.content_type());
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let policy = RetryPolicy::default();
        let random = jitter();
        match request.send(body) {
            Ok(mut response) => {
                let status = response.status().as_u16();
                let after = response
                    .headers()
                    .get("retry-after")
                    .and_then(|value| value.to_str().ok())
                    .map(str::to_owned);
                let answer = response
                    .body_mut()
                    .with_config()
                    .limit(4 * 1024 * 1024)
                    .read_to_vec()
                    .unwrap_or_default();
                let result = SendResult::Status { status, retry_after: after.as_deref() };
                let decision = retry(result, self.attempt, random, now_ms(), policy);
                if decision == Decision::Done && matches!(self.payload, Payload::Spans(_)) {
                    self.read(&answer);
                }
                (decision, format!("status {status}"))
            }
            Err(error) => {
                let decision = retry(SendResult::NoAnswer, self.attempt, random, now_ms(), policy);
                (decision, says(&error))
            }
        }
    }

    fn read(&mut self, body: &[u8]) {
        match read_answer(self.format, body) {
            Ok(answer) if answer.is_partial() => {
                self.sent.rejected += answer.rejected_spans;
                let why = answer.message.unwrap_or_default();
                print::export_failed(&format!(
                    "{}: the backend refused {} spans: {why}",
                    self.name, answer.rejected_spans
                ));
            }
            Ok(_) => {}
            Err(error) => print::export_failed(&format!("{}: {error}", self.name)),
        }
    }
}

/// An error without the address: it can hold credentials.
fn says(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Timeout(_) => "timed out".to_owned(),
        ureq::Error::HostNotFound => "host not found".to_owned(),
        ureq::Error::ConnectionFailed => "connection failed".to_owned(),
        // The words, not the kind alone, which can say nothing ("uncategorized"). They name a host at most.
        ureq::Error::Io(error) => error.to_string(),
        _ => "no answer".to_owned(),
    }
}

/// A number in `0.0..1.0` from the clock: good enough to spread retries.
fn jitter() -> f64 {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
    f64::from(nanos % 1_000_000) / 1_000_000.0
}

fn headers(destination: &Destination, to: Backend) -> Vec<(&'static str, String)> {
    let mut headers = Vec::new();
    match (destination.public_key(), destination.secret_key()) {
        (Some(public), Some(secret)) => {
            let pair = base64::engine::general_purpose::STANDARD.encode(format!("{public}:{secret}"));
            headers.push(("authorization", format!("Basic {pair}")));
        }
        (None, Some(secret)) => headers.push(("authorization", format!("Bearer {secret}"))),
        _ => {}
    }
    if to == Backend::Langfuse {
        headers.push(("x-langfuse-ingestion-version", "4".to_owned()));
    }
    headers
}

fn agent(
    settings: &TraceSettings,
    destination: &Destination,
    options: &Options,
) -> Result<ureq::Agent, Stop> {
    // The client would read the environment by itself, for any address.
    let mut builder = ureq::Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
        .proxy(proxy(settings, destination)?);
    if let Some(path) = &options.ca_file {
        builder = builder.tls_config(tls(path)?);
    }
    Ok(ureq::Agent::new_with_config(builder.build()))
}

/// `HTTPS_PROXY` stands for `https` addresses, but for the hosts that `NO_PROXY` names.
fn proxy(settings: &TraceSettings, destination: &Destination) -> Result<Option<ureq::Proxy>, Stop> {
    let secure =
        destination.base_url().get(..8).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"));
    let Some(given) = settings.proxy.as_ref().filter(|_| secure) else { return Ok(None) };
    let bad = |_| Stop::input("HTTPS_PROXY is no proxy address");
    let plain = ureq::Proxy::new(&given.value).map_err(bad)?;
    let mut builder = ureq::Proxy::builder(plain.protocol()).host(plain.host()).port(plain.port());
    if let Some(user) = plain.username() {
        builder = builder.username(user);
    }
    if let Some(password) = plain.password() {
        builder = builder.password(password);
    }
    for host in settings.no_proxy.iter().flat_map(|list| list.value.split(',')) {
        builder = builder.no_proxy(host.trim());
    }
    builder.build().map(Some).map_err(bad)
}

fn tls(path: &Path) -> Result<ureq::tls::TlsConfig, Stop> {
    let pem = std::fs::read(path).map_err(|error| Stop::input(format!("{}: {error}", path.display())))?;
    let certificate = ureq::tls::Certificate::from_pem(&pem)
        .map_err(|_| Stop::input(format!("{} holds no certificate", path.display())))?;
    let roots = ureq::tls::RootCerts::new_with_certs(&[certificate]);
    Ok(ureq::tls::TlsConfig::builder().root_certs(roots).build())
}

/// What a ping found.
pub(crate) struct Verdict {
    pub(crate) good: bool,
    /// The backend was reached and does not take the keys.
    pub(crate) refused: bool,
    pub(crate) text: String,
}

/// One request without spans: it changes nothing in the backend.
pub(crate) fn ping(setup: &Setup, options: &Options) -> Result<Verdict, Stop> {
    let settings = &setup.settings;
    let agent = agent(settings, &settings.primary, options)?;
    let format = options.to.format();
    let body: &[u8] = if format == Format::Json { b"{\"resourceSpans\":[]}" } else { b"" };
    let url = settings.primary.traces_url(options.to == Backend::Langfuse);
    let mut request = agent.post(&url).header("content-type", format.content_type());
    for (name, value) in headers(&settings.primary, options.to) {
        request = request.header(name, &value);
    }
    let shown = settings.primary.describe();
    let verdict = |good, text: String| Ok(Verdict { good, refused: false, text: format!("{shown}: {text}") });
    match request.send(body) {
        Ok(response) => {
            let status = response.status().as_u16();
            let date = response.headers().get("date").and_then(|value| value.to_str().ok());
            let at = date.and_then(|date| chrono::DateTime::parse_from_rfc2822(date).ok());
            let skew = at.map_or(0, |at| now_ms() - at.timestamp_millis());
            let clock = if skew.abs() > 60_000 {
                format!("; the clocks are {} s apart", skew / 1_000)
            } else {
                String::new()
            };
            match status {
                200..=299 => verdict(true, format!("reached, keys accepted{clock}")),
                400 => verdict(
                    true,
                    format!("reached, keys accepted (an empty request is refused there){clock}"),
                ),
                401 | 403 => {
                    let text = format!("{shown}: reached, but the keys are refused ({status}){clock}");
                    Ok(Verdict { good: false, refused: true, text })
                }
                404 | 405 => verdict(false, format!("no OTLP endpoint at this address ({status})")),
                other => verdict(false, format!("answers {other}{clock}")),
            }
        }
        Err(error) => verdict(false, says(&error)),
    }
}
