//! Statistics against values worked out by hand or by a slower way.

use clawgauge_scoring::stats::{
    Labelled, Verdict, Z_95, auc, auc_difference, auc_interval, bootstrap_difference, bootstrap_mean,
    compare, mean, wilson,
};
use proptest::prelude::*;

#[test]
fn wilson_agrees_with_the_formula_worked_out_by_hand() {
    // 8 of 10: centre (0.8 + 3.8415/20) / 1.38415 = 0.71674, half width 1.96 * sqrt(0.016 + 0.0096037) / 1.38415 = 0.22657.
    let interval = wilson(8, 10, Z_95).unwrap();
    assert!((interval.low - 0.49016).abs() < 1e-4 && (interval.high - 0.94331).abs() < 1e-4, "{interval:?}");
    // 0 of n: the upper end is z^2 / (n + z^2).
    let none = wilson(0, 10, Z_95).unwrap();
    assert_eq!(none.low, 0.0);
    assert!((none.high - 3.8415 / 13.8415).abs() < 1e-4);
    assert_eq!(wilson(10, 10, Z_95).unwrap().high, 1.0);
    assert_eq!(wilson(0, 0, Z_95), None);
}

#[test]
fn means_and_intervals_of_too_little_are_unknown() {
    assert_eq!(mean(&[]), None);
    assert_eq!(bootstrap_mean(&[1.0], 1, 100), None);
    assert_eq!(bootstrap_mean(&[0.2, 0.4], 1, 0), None);
    assert_eq!(bootstrap_difference(&[0.2, 0.4], &[1.0], 1, 100), None);
}

#[test]
fn a_constant_has_an_interval_of_no_width_and_seeds_repeat() {
    let constant = bootstrap_mean(&[0.25; 8], 7, 200).unwrap();
    assert_eq!((constant.low, constant.high), (0.25, 0.25));
    let values = [0.1, 0.9, 0.4, 0.7, 0.2];
    assert_eq!(bootstrap_mean(&values, 7, 500), bootstrap_mean(&values, 7, 500));
    let interval = bootstrap_mean(&values, 7, 500).unwrap();
    assert!(interval.low < 0.46 && 0.46 < interval.high);
}

#[test]
fn verdicts() {
    // Four against four, fully apart: 2 of 70 splits are as extreme.
    let apart = compare(&[0.1, 0.2, 0.3, 0.4], &[0.6, 0.7, 0.8, 0.9], 1);
    assert_eq!((apart.verdict, apart.p, apart.exact), (Verdict::Better, Some(2.0 / 70.0), true));
    assert_eq!(compare(&[0.6, 0.7, 0.8, 0.9], &[0.1, 0.2, 0.3, 0.4], 1).verdict, Verdict::Worse);
    // Three against three: even fully apart it is 2 of 20.
    let few = compare(&[0.0; 3], &[1.0; 3], 1);
    assert_eq!((few.verdict, few.p), (Verdict::TooFew, Some(0.1)));
    assert_eq!(compare(&[], &[1.0; 30], 1).verdict, Verdict::TooFew);
    // One against twenty: the one split that is fully apart is 1 of 21.
    assert_eq!(compare(&[0.0], &[1.0; 20], 1).verdict, Verdict::Better);
    let same = compare(&[0.5; 30], &[0.5; 30], 1);
    assert_eq!((same.verdict, same.p, same.exact), (Verdict::NoClearDifference, Some(1.0), false));
    // Large sets, sampled: clearly apart, and the same with the same seed.
    let (low, high): (Vec<f64>, Vec<f64>) =
        (0..40).map(|i| (f64::from(i) / 100.0, f64::from(i) / 100.0 + 0.3)).unzip();
    assert_eq!(compare(&low, &high, 3).verdict, Verdict::Better);
    assert_eq!(compare(&low, &high, 3), compare(&low, &high, 3));
}

#[test]
fn what_is_no_number_is_left_out_and_never_makes_a_verdict() {
    let (low, high) = ([0.1, 0.2, 0.3, 0.4], [0.6, 0.7, 0.8, 0.9]);
    let with_nan = |list: &[f64]| list.iter().copied().chain([f64::NAN]).collect::<Vec<f64>>();
    assert_eq!(compare(&with_nan(&low), &with_nan(&high), 1), compare(&low, &high, 1));
    assert_eq!(compare(&[f64::NAN; 9], &high, 1).verdict, Verdict::TooFew);
    assert_eq!(mean(&with_nan(&low)), mean(&low));
    assert_eq!(mean(&[f64::NAN]), None);
    assert_eq!(bootstrap_mean(&with_nan(&low), 1, 100), bootstrap_mean(&low, 1, 100));
    assert_eq!(
        bootstrap_difference(&with_nan(&low), &with_nan(&high), 1, 100),
        bootstrap_difference(&low, &high, 1, 100)
    );
}

#[test]
fn what_lies_outside_zero_to_one_is_compared_as_what_it_is_brought_to() {
    // Otherwise the means would tell of a difference that the test has not looked at.
    let compared = compare(&[-3.0, 0.5, 7.0], &[0.0, 0.5, f64::INFINITY], 1);
    assert_eq!((compared.mean_before, compared.difference), (Some(0.5), Some(0.0)));
    assert_eq!(compared.interval.map(|interval| interval.high <= 1.0), Some(true));
}

fn labelled(values: &[(f64, bool, usize)]) -> Vec<Labelled> {
    let one = |&(value, positive, cluster)| Labelled { value, positive, group: 0, cluster };
    values.iter().map(one).collect()
}

#[test]
fn one_task_has_no_interval_and_ties_tell_nothing_apart() {
    let one_task = labelled(&[(1.0, true, 7), (0.0, false, 7)]);
    assert_eq!(auc(&one_task).map(|found| found.value), Some(1.0));
    assert_eq!(auc_interval(&one_task, 1, 100), None);
    assert_eq!(auc_difference(&one_task, &one_task, 1, 100), None);
    let ties = labelled(&[(0.0, true, 1), (-0.0, false, 1), (0.0, true, 2), (0.0, false, 2)]);
    let found = auc(&ties).unwrap();
    assert_eq!((found.value, found.pairs, found.ties), (0.5, 4, 4));
    let interval = auc_interval(&ties, 1, 100).unwrap();
    assert_eq!((interval.low, interval.high), (0.5, 0.5));
    assert_eq!(auc_interval(&ties, 1, 0), None);
    assert_eq!(auc(&labelled(&[(1.0, true, 1)])), None);
    // However many rounds are asked for, memory is taken only for those that are done: here none is.
    assert_eq!(auc_interval(&one_task, 1, usize::MAX), None);
}

#[test]
fn a_difference_is_of_the_things_that_both_measured() {
    let mut a = Vec::new();
    let mut b = Vec::new();
    for task in 0..20_usize {
        let (good, bad) = (task as f64, task as f64 + 0.5);
        a.extend([(bad, true, task), (good, false, task)]);
        b.extend([(bad, true, task), (good, false, task)]);
    }
    let same = auc_difference(&labelled(&a), &labelled(&b), 1, 200).unwrap();
    assert_eq!((same.low, same.high), (0.0, 0.0));
    // Each lacks another one: what is left of both is the same again.
    a[0].0 = f64::NAN;
    b[39].0 = f64::NAN;
    let same = auc_difference(&labelled(&a), &labelled(&b), 1, 200).unwrap();
    assert_eq!((same.low, same.high), (0.0, 0.0));
    // Not the same things.
    b[1].1 = true;
    assert_eq!(auc_difference(&labelled(&a), &labelled(&b), 1, 200), None);
}

#[test]
fn chance_alone_is_rarely_called_a_difference() {
    // Both halves of one sequence that repeats: at most one seed in twenty may be called clear; here none is.
    let values: Vec<f64> = (0..60).map(|i| f64::from((i * 37) % 100) / 100.0).collect();
    let (even, odd): (Vec<_>, Vec<_>) = values.iter().enumerate().partition(|(at, _)| at % 2 == 0);
    let strip = |list: Vec<(usize, &f64)>| list.into_iter().map(|(_, value)| *value).collect::<Vec<f64>>();
    assert_eq!(compare(&strip(even), &strip(odd), 1).verdict, Verdict::NoClearDifference);
}

proptest! {
    #[test]
    fn exact_shares_agree_with_trying_every_subset(
        before in prop::collection::vec(0_u32..6, 1..5),
        after in prop::collection::vec(0_u32..6, 1..5),
    ) {
        // Whole sixteenths: sums of doubles are exact, so that the slow way below has no rounding either.
        let scores = |list: &[u32]| list.iter().map(|x| f64::from(*x) / 16.0).collect::<Vec<f64>>();
        let pool: Vec<u32> = before.iter().chain(&after).copied().collect();
        let gap = |mask: u32| {
            let chosen: u32 = pool.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, x)| x).sum();
            let total: u32 = pool.iter().sum();
            (chosen * pool.len() as u32).abs_diff(total * before.len() as u32)
        };
        let observed = gap((1 << before.len()) - 1);
        let masks: Vec<u32> = (0..1 << pool.len()).filter(|mask: &u32| mask.count_ones() as usize == before.len()).collect();
        let extreme = masks.iter().filter(|mask| gap(**mask) >= observed).count();
        let p = compare(&scores(&before), &scores(&after), 1).p.unwrap();
        prop_assert!((p - extreme as f64 / masks.len() as f64).abs() < 1e-12);
    }

    #[test]
    fn wilson_holds_the_share_and_narrows(trials in 1_u64..2000, share in 0.0..=1.0) {
        let successes = (trials as f64 * share) as u64;
        let interval = wilson(successes, trials, Z_95).unwrap();
        let found = successes as f64 / trials as f64;
        prop_assert!(0.0 <= interval.low && interval.low <= found && found <= interval.high && interval.high <= 1.0);
        let more = wilson(successes * 4, trials * 4, Z_95).unwrap();
        prop_assert!(more.high - more.low <= interval.high - interval.low);
    }
}
