//! One self-contained HTML page: no script, no request, everything escaped.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{heading, interval, percent};
use crate::runs::{CaseResult, Run};
use crate::stats::{share, wilson};
use crate::text::quote;
use crate::verdict::Status;

const STYLE: &str = "
:root{--bg:#fff;--fg:#1b1f24;--dim:#57606a;--line:#d0d7de;--soft:#f6f8fa;--good:#1a7f37;--bad:#cf222e;--warn:#9a6700}
@media(prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9da7b1;--line:#30363d;--soft:#161b22;--good:#3fb950;--bad:#ff7b72;--warn:#d29922}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1rem;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;margin:.5rem 0}h2{font-size:1.15rem;margin:1.5rem 0 .5rem}
code,td{font-family:ui-monospace,monospace;font-size:.875rem}
.dim{color:var(--dim)}.bad{color:var(--bad)}
.filters{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0}
.filters label{border:1px solid var(--line);border-radius:1rem;padding:.25rem .75rem;cursor:pointer}
input.f{position:absolute;opacity:0;pointer-events:none}
input.f:focus-visible~.filters{outline:2px solid var(--fg);outline-offset:4px}
#fa:checked~.filters label[for=fa],#fp:checked~.filters label[for=fp],#ff:checked~.filters label[for=ff],#fe:checked~.filters label[for=fe],#fu:checked~.filters label[for=fu]{background:var(--fg);color:var(--bg)}
#fp:checked~main .case:not(.passed),#ff:checked~main .case:not(.failed),#fe:checked~main .case:not(.errored),#fu:checked~main .case:not(.unchecked){display:none}
.case{border:1px solid var(--line);border-left-width:.4rem;border-radius:.4rem;margin:.5rem 0;background:var(--soft)}
.case.passed{border-left-color:var(--good)}.case.failed{border-left-color:var(--bad)}.case.errored,.case.unchecked{border-left-color:var(--warn)}
.case summary{padding:.5rem .75rem;cursor:pointer;display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline}
.case summary strong{flex:0 1 auto}.case summary .end{margin-left:auto}
.passed .word{color:var(--good)}.failed .word{color:var(--bad)}.errored .word,.unchecked .word{color:var(--warn)}
.body{padding:0 .75rem .75rem}.body p,.body ul{margin:.35rem 0}
.check{border-top:1px solid var(--line);padding-top:.35rem;margin-top:.5rem}
.scroll{overflow-x:auto}
table.align{border-collapse:collapse;width:100%}table.align th{text-align:left;font-size:.875rem;color:var(--dim);font-weight:600}
table.align td:first-child,table.align th:first-child{min-width:7rem}table.align td,table.align th{padding:.2rem .5rem;border-bottom:1px solid var(--line);vertical-align:top}
tr.missing td:first-child{color:var(--bad)}tr.extra td:nth-child(2){color:var(--warn)}
.rate{display:grid;grid-template-columns:7rem minmax(4rem,26rem) auto;gap:.75rem;align-items:center;margin:.35rem 0}.rate svg{width:100%;height:1.5rem;display:block}
@media(max-width:36rem){.case summary .end{margin-left:0}table.align td:nth-child(3),table.align th:nth-child(3){display:none}}
";

impl Run {
    /// One HTML page that needs no script and asks for nothing from a network: pass rates by type as pictures, filters,
    /// and for each failed case the explanation. `title` is shown as it is given.
    #[must_use]
    pub fn to_html(&self, title: &str) -> String {
        let filters = [
            ("fa", "All", self.results.len()),
            ("ff", "Failed", self.count(Status::Failed)),
            ("fe", "Errored", self.count(Status::Errored)),
            ("fu", "Unchecked", self.count(Status::Unchecked)),
            ("fp", "Passed", self.count(Status::Passed)),
        ];
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:";
                    title { (title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    h1 { (title) }
                    p { (self.summary_line()) }
                    @for (id, ..) in &filters {
                        @if *id == "fa" { input.f type="radio" name="f" id=(id) checked; }
                        @else { input.f type="radio" name="f" id=(id); }
                    }
                    div.filters {
                        @for (id, name, count) in &filters { label for=(id) { (name) " (" (count) ")" } }
                    }
                    main {
                        (self.pictures())
                        @for (eval_type, results) in self.by_type() {
                            @let passed = results.iter().filter(|r| r.status() == Status::Passed).count();
                            h2 { (heading(&eval_type).trim_start_matches(|c: char| !c.is_alphanumeric())) }
                            p.dim { "Passed: " (passed) "/" (results.len()) " (" (percent(passed, results.len())) ", 95 % interval " (interval(passed, results.len())) ")" }
                            @for result in results { (case(result)) }
                        }
                    }
                }
            }
        };
        page.into_string()
    }

    /// Pass rate by type: a bar with its 95 % interval. Only the bar is stretched, so the text stays readable.
    fn pictures(&self) -> Markup {
        html! {
            @for (eval_type, results) in self.by_type() {
                @let passed = results.iter().filter(|r| r.status() == Status::Passed).count();
                @let rate = share(passed, results.len()) * 100.0;
                div.rate {
                    span { (quote(eval_type.as_str(), 40)) }
                    svg viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label=(format!("{passed} of {} passed", results.len())) {
                        rect width="100" height="24" fill="var(--line)" {}
                        rect width=(format!("{rate:.2}")) height="24" fill="var(--good)" {}
                        @if let Some((low, high)) = counts(passed, results.len()) {
                            rect x=(format!("{:.2}", low * 100.0)) width=(format!("{:.2}", (high - low) * 100.0)) y="11" height="3" fill="var(--fg)" {}
                        }
                    }
                    span { (passed) "/" (results.len()) }
                }
            }
            p.dim { "Green: passed. The line is the 95 % interval of the rate." }
        }
    }
}

fn counts(passed: usize, all: usize) -> Option<(f64, f64)> {
    wilson(u32::try_from(passed).ok()?, u32::try_from(all).ok()?)
}

fn case(result: &CaseResult) -> Markup {
    let status = result.status();
    let shown = result.representative();
    let seconds: f64 = result.attempts.iter().map(|a| a.duration_s).sum();
    html! {
        details class={ "case " (status.as_str()) } open[status == Status::Failed || status == Status::Errored] {
            summary {
                span.word { (status.as_str()) }
                strong { (quote(&result.id, 120)) }
                span.dim.end { (result.passes()) "/" (result.judged()) " attempts, " (format!("{seconds:.1}")) " s" }
            }
            div.body {
                p { (quote(&result.message, 600)) }
                @for warning in result.warnings() { p.dim { "⚠ " (warning) } }
                @if let Some(attempt) = shown {
                    @if let Some(error) = &attempt.error { p.bad { (quote(error, 600)) } }
                    @if !attempt.tool_names.is_empty() {
                        p.dim { "Tools: " (quote(&attempt.tool_names.join(" → "), 400)) }
                    }
                    @if !attempt.final_output.is_empty() { p.dim { "Answer: " (quote(&attempt.final_output, 600)) } }
                    @for check in attempt.checks.iter().filter(|c| !c.passed) {
                        div.check {
                            p.bad { (check.message) }
                            @if let Some(explanation) = &check.explanation { (explanation.to_html()) }
                        }
                    }
                    @if attempt.checks.is_empty() {
                        @for failure in &attempt.failures { p.bad { (quote(failure, 600)) } }
                    }
                    @for d in &attempt.differences {
                        p.dim { "openclaw-edd differs on " code { (d.check) } ": here " (d.ours) ", there " (d.edd) }
                    }
                }
            }
        }
    }
}
