//! Attempts in numbers: pass@k, pass^k, intervals, flap rate, paired comparison.

/// pass@k, unbiased: the chance that at least one of `k` attempts passes, estimated from `passed` of `n` as
/// `1 - C(n - passed, k) / C(n, k)` (Chen et al. 2021, "Evaluating Large Language Models Trained on Code").
///
/// `None` where it cannot be estimated: `k` is 0 or greater than `n`, or `passed` is greater than `n`. O(k).
///
/// ```
/// use clawgauge_cases::pass_at_k;
/// assert_eq!(pass_at_k(4, 1, 1), Some(0.25));
/// assert_eq!(pass_at_k(4, 1, 2), Some(0.5));
/// assert_eq!(pass_at_k(2, 1, 3), None);
/// ```
#[must_use]
pub fn pass_at_k(n: u32, passed: u32, k: u32) -> Option<f64> {
    let failed = n.checked_sub(passed)?;
    if k == 0 || k > n {
        return None;
    }
    if failed < k {
        return Some(1.0);
    }
    // C(failed, k) / C(n, k) as a product of ratios, which neither overflows nor loses digits.
    let none: f64 = (0..k).map(|i| f64::from(failed - i) / f64::from(n - i)).product();
    Some(1.0 - none)
}

/// pass^k: the chance that all of `k` attempts pass, estimated as `C(passed, k) / C(n, k)`. `None` as for
/// [`pass_at_k`]. O(k).
#[must_use]
pub fn pass_hat_k(n: u32, passed: u32, k: u32) -> Option<f64> {
    if k == 0 || k > n || passed > n {
        return None;
    }
    if passed < k {
        return Some(0.0);
    }
    Some((0..k).map(|i| f64::from(passed - i) / f64::from(n - i)).product())
}

/// Wilson's score interval for a share, at 95 %. `None` for no attempt.
#[must_use]
pub fn wilson(passed: u32, n: u32) -> Option<(f64, f64)> {
    // The 97.5 % point of the normal distribution.
    const Z: f64 = 1.959_963_984_540_054;
    if n == 0 || passed > n {
        return None;
    }
    let count = f64::from(n);
    let share = f64::from(passed) / count;
    let z2 = Z * Z;
    let middle = share + z2 / (2.0 * count);
    let spread = Z * (share * (1.0 - share) / count + z2 / (4.0 * count * count)).sqrt();
    let below = 1.0 + z2 / count;
    let low = if passed == 0 { 0.0 } else { ((middle - spread) / below).max(0.0) };
    let high = if passed == n { 1.0 } else { ((middle + spread) / below).min(1.0) };
    Some((low, high))
}

/// How often the result changed from one attempt to the next, as a share of the changes possible. `None` for fewer than
/// two attempts. 0: always the same; 1: every attempt differed from the one before.
#[must_use]
pub fn flap_rate(results: &[bool]) -> Option<f64> {
    let pairs = results.len().checked_sub(1).filter(|&p| p > 0)?;
    let flips = results.windows(2).filter(|pair| matches!(pair, [a, b] if a != b)).count();
    Some(share(flips, pairs))
}

pub(crate) fn share(part: usize, whole: usize) -> f64 {
    let as_f64 = |n: usize| u32::try_from(n).map_or(f64::MAX, f64::from);
    if whole == 0 { 0.0 } else { as_f64(part) / as_f64(whole) }
}

/// The exact two-sided sign test on pairs that changed (McNemar): how likely a split at least as uneven as `better` to
/// `worse` is if neither direction is favoured. 1 if nothing changed. O(better + worse).
#[must_use]
pub fn sign_test(better: u32, worse: u32) -> f64 {
    let n = better.saturating_add(worse);
    if n == 0 {
        return 1.0;
    }
    let least = better.min(worse);
    // Sum of C(n, i) / 2^n for i up to the smaller side, in logarithms: n may be large.
    let mut log_term = -f64::from(n) * std::f64::consts::LN_2;
    let mut sum = log_term.exp();
    for i in 1..=least {
        log_term += f64::from(n - i + 1).ln() - f64::from(i).ln();
        sum += log_term.exp();
    }
    (2.0 * sum).min(1.0)
}
