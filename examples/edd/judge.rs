//! `edd judge`: a model's opinion on the results of a report.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clawgauge_cases::{Json, Judgement, Prompt, Provider, Run};
use clawgauge_support::cases::workspace;
use clawgauge_support::exit;

use crate::{Stop, read, show, tell};

/// The options.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The report of a run
    #[arg(long)]
    report: PathBuf,
    /// Where to write the report with the opinions in it
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// The model; else the case's, else the provider's
    #[arg(long)]
    model: Option<String>,
    /// anthropic, openai, deepseek or moonshot; else the case's, else anthropic
    #[arg(long)]
    provider: Option<String>,
    /// Another address that speaks the provider's protocol
    #[arg(long)]
    base_url: Option<String>,
    /// A file of earlier answers: the same content is not asked twice, and needs no key
    #[arg(long)]
    cache: Option<PathBuf>,
    /// The least score that passes, 0 to 1
    #[arg(long, default_value_t = 0.7)]
    min_score: f64,
    /// Seconds one call may take
    #[arg(long, default_value_t = 60)]
    timeout_s: u64,
    /// How often a call is tried again after 429 or 5xx
    #[arg(long, default_value_t = 3)]
    retries: u32,
    /// Exit with 1 if an opinion is below --min-score
    #[arg(long)]
    fail_below: bool,
}

type Cache = BTreeMap<String, Json>;

fn load_cache(path: Option<&Path>) -> Result<Cache, Stop> {
    let Some(path) = path.filter(|p| p.exists()) else { return Ok(Cache::new()) };
    serde_json::from_str(&read(path)?).map_err(|e| Stop::input(format!("{}: {e}", path.display())))
}

/// Asks about each result and writes the report.
pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    let text = read(&args.report)?;
    let run = Run::from_json(&text).map_err(|e| Stop::input(format!("{}: {e}", args.report.display())))?;
    let mut report: Json = serde_json::from_str(&text).map_err(|e| Stop::input(e.to_string()))?;
    let mut cache = load_cache(args.cache.as_deref())?;
    let (mut failed, mut errors) = (0_usize, 0_usize);
    let mut opinions = Vec::new();
    for result in &run.results {
        let named = |key: &str| {
            result.case.get(key).and_then(Json::as_str).filter(|s| !s.is_empty()).map(str::to_owned)
        };
        let provider = args.provider.clone().or_else(|| named("judge_provider"));
        let name = provider.unwrap_or_else(|| "anthropic".to_owned());
        let Some(mut provider) = Provider::named(&name) else {
            return Err(Stop::input(format!(
                "the provider `{name}` is not known: anthropic, openai, deepseek, moonshot"
            )));
        };
        if let Some(base) = &args.base_url {
            provider = provider.at(base.clone());
        }
        let model = args
            .model
            .clone()
            .or_else(|| named("judge_model"))
            .unwrap_or_else(|| provider.default_model.to_owned());
        let prompt = Prompt::of(result);
        let key = prompt.cache_key(&name, &model);
        let cached = cache.get(&key).and_then(|j| Judgement::parse(&j.compact(), &prompt.criteria).ok());
        let opinion = match cached {
            Some(opinion) => Ok(opinion),
            None => ask(args, &provider, &model, &prompt),
        };
        let mut entry = Json::Object(Vec::new());
        match &opinion {
            Ok(opinion) => {
                cache.insert(key, opinion.to_json());
                let passes = opinion.passes(args.min_score);
                failed += usize::from(!passes);
                let overall = opinion.scores.get("overall").copied().unwrap_or(0.0);
                let detail: Vec<String> = opinion.scores.iter().map(|(k, v)| format!("{k} {v:.2}")).collect();
                show(&format!("{} {}: {}\n", if passes { "✓" } else { "✗" }, result.id, detail.join(", ")));
                for c in &opinion.criteria {
                    show(&format!("    {:.2} {} ({})\n", c.score, c.criterion, c.reason));
                }
                entry.set("passed", Json::Bool(passes));
                entry.set("overall_score", Json::from(overall));
                if let Some(pairs) = opinion.to_json().as_object() {
                    for (key, value) in pairs {
                        entry.set(key, value.clone());
                    }
                }
                entry.set("clamped", Json::Bool(opinion.clamped));
            }
            Err(why) => {
                errors += 1;
                tell(&format!("⚠ {}: {why}\n", result.id));
                entry.set("passed", Json::Bool(false));
                entry.set("error", Json::from(why.as_str()));
            }
        }
        entry.set("model", Json::from(model));
        entry.set("provider", Json::from(name));
        opinions.push(entry);
    }
    if let Json::Array(items) = &mut report {
        for (item, opinion) in items.iter_mut().zip(opinions) {
            item.set("judge", opinion);
        }
    }
    if let Some(path) = &args.cache {
        let text = serde_json::to_string_pretty(&cache).unwrap_or_default();
        workspace::write_atomically(path, &format!("{text}\n")).map_err(Stop::system)?;
    }
    if let Some(path) = &args.output {
        let text = serde_json::to_string_pretty(&report).unwrap_or_default();
        workspace::write_atomically(path, &format!("{text}\n")).map_err(Stop::system)?;
    }
    show(&format!(
        "{} judged, {failed} below {}, {errors} without an opinion\n",
        run.results.len() - errors,
        args.min_score
    ));
    Ok(match (errors, failed) {
        (1.., _) => exit::IO,
        (0, 1..) if args.fail_below => exit::NO,
        _ => exit::OK,
    })
}

#[cfg(not(feature = "net"))]
fn ask(_args: &Args, provider: &Provider, _model: &str, _prompt: &Prompt) -> Result<Judgement, String> {
    Err(format!(
        "no cached answer, and this program was built without the feature `net`, so {} cannot be asked",
        provider.name
    ))
}

#[cfg(feature = "net")]
fn ask(args: &Args, provider: &Provider, model: &str, prompt: &Prompt) -> Result<Judgement, String> {
    use clawgauge_cases::{ApiShape, answer_text};
    use std::time::Duration;

    let secret = std::env::var(provider.key_variable)
        .ok()
        .filter(|k| !k.is_empty())
        .ok_or_else(|| format!("the environment variable {} is not set", provider.key_variable))?;
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(Duration::from_secs(args.timeout_s)))
        .http_status_as_error(false)
        .build()
        .into();
    let body = prompt.body(provider.shape, model).to_string();
    let mut last = String::new();
    for attempt in 0..=args.retries {
        if attempt > 0 {
            // 0.5, 1, 2, ... seconds, at most 8.
            std::thread::sleep(Duration::from_millis((250_u64 << attempt.min(5)).min(8000)));
        }
        let mut request = agent.post(provider.url()).header("content-type", "application/json");
        request = match provider.shape {
            ApiShape::Anthropic => {
                request.header("x-api-key", &secret).header("anthropic-version", "2023-06-01")
            }
            _ => request.header("authorization", &format!("Bearer {secret}")),
        };
        match request.send(&body) {
            // The library's own texts hold addresses, never headers.
            Err(fault) => last = format!("{}: {fault}", provider.name),
            Ok(mut response) => {
                let status = response.status().as_u16();
                let text =
                    response.body_mut().read_to_string().map_err(|e| format!("{}: {e}", provider.name));
                if status == 429 || status >= 500 {
                    last = format!("{} answered {status}", provider.name);
                    continue;
                }
                let answered = text.and_then(|t| answer_text(provider.shape, &t).map_err(|e| e.to_string()));
                match answered {
                    Ok(_) if status >= 400 => return Err(format!("{} answered {status}", provider.name)),
                    Ok(answer) => match Judgement::parse(&answer, &prompt.criteria) {
                        Ok(opinion) => return Ok(opinion),
                        // A model that answered badly may answer well when it is asked again.
                        Err(fault) => last = fault.to_string(),
                    },
                    Err(fault) if status >= 400 => {
                        return Err(format!("{} answered {status}: {fault}", provider.name));
                    }
                    Err(fault) => last = fault,
                }
            }
        }
    }
    Err(last)
}
