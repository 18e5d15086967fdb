//! Pairing expected steps with calls: optimal, never greedy where it matters.

/// Which call each expected step was paired with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pairing {
    /// For each expected step the index of its call.
    pub(crate) calls: Vec<Option<usize>>,
}

impl Pairing {
    pub(crate) fn count(&self) -> usize {
        self.calls.iter().filter(|c| c.is_some()).count()
    }

    /// The first expected step without a call.
    pub(crate) fn first_missing(&self) -> Option<usize> {
        self.calls.iter().position(Option::is_none)
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.calls.iter().all(Option::is_some)
    }
}

/// Bipartite matching by augmenting paths. `edges[e]` are the calls that satisfy expected step `e`.
struct Matcher<'e> {
    edges: &'e [Vec<usize>],
    /// For each call the expected step it is paired with.
    owner: std::collections::BTreeMap<usize, usize>,
}

impl Matcher<'_> {
    /// Pairs `start` with a free call, moving earlier pairs if needed. Iterative: a long chain must not use the stack.
    fn add(&mut self, start: usize) -> bool {
        let mut visited = std::collections::BTreeSet::new();
        // The path of expected steps, each with the position of the next edge to try and the call it tries.
        let mut path: Vec<(usize, usize, Option<usize>)> = vec![(start, 0, None)];
        while let Some((step, next, tried)) = path.last_mut() {
            let edges = self.edges.get(*step).map(Vec::as_slice).unwrap_or_default();
            // A free call ends the path; the first one, so that pairs keep the order of the calls where they can.
            if *next == 0
                && let Some(&free) = edges.iter().find(|call| !self.owner.contains_key(call))
            {
                *tried = Some(free);
                for &(step, _, call) in &path {
                    if let Some(call) = call {
                        self.owner.insert(call, step);
                    }
                }
                return true;
            }
            let Some(&call) = edges.get(*next) else {
                path.pop();
                continue;
            };
            *next += 1;
            if visited.insert(call)
                && let Some(&owner) = self.owner.get(&call)
            {
                *tried = Some(call);
                path.push((owner, 0, None));
            }
        }
        false
    }

    fn pairing(&self, expected: usize) -> Pairing {
        let mut calls = vec![None; expected];
        for (&call, &step) in &self.owner {
            if let Some(slot) = calls.get_mut(step) {
                *slot = Some(call);
            }
        }
        Pairing { calls }
    }
}

/// The largest pairing without regard to order; `fitting` gives the calls that fit an expected step, in order. Of them the
/// first `expected` are looked at: whoever has so many finds a free one. O(expected x edges) at worst, O(edges) where
/// steps do not compete.
pub(crate) fn unordered<F, I>(expected: usize, fitting: F) -> Pairing
where
    F: Fn(usize) -> I,
    I: Iterator<Item = usize>,
{
    if let Some(pairing) = uncontested(expected, &fitting) {
        return pairing;
    }
    let edges: Vec<Vec<usize>> = (0..expected).map(|step| fitting(step).take(expected).collect()).collect();
    let mut matcher = Matcher { edges: &edges, owner: std::collections::BTreeMap::new() };
    for step in 0..expected {
        matcher.add(step);
    }
    matcher.pairing(expected)
}

/// Each expected step with the first call that fits and is free, if there is one for all of them: no pair has to move, and
/// the calls behind it need not be looked at.
fn uncontested<F, I>(expected: usize, fitting: &F) -> Option<Pairing>
where
    F: Fn(usize) -> I,
    I: Iterator<Item = usize>,
{
    // Beyond that, looking through a list for what is taken costs more than the general way.
    const MOST: usize = 32;
    if expected > MOST {
        return None;
    }
    let mut calls = Vec::with_capacity(expected);
    for step in 0..expected {
        let free = fitting(step).take(expected).find(|call| !calls.contains(&Some(*call)))?;
        calls.push(Some(free));
    }
    Some(Pairing { calls })
}

/// The longest beginning of the expected steps that is found in order, with multiplicity. Calls of one group (`group`
/// is not decreasing) have no order among themselves: a run of expected steps fits a group if a matching exists.
///
/// Taking as many steps as possible from each group in turn is optimal: whatever is left is a shorter rest.
/// O(calls) for groups of one call.
pub(crate) fn ordered(expected: usize, groups: &[usize], fits: &dyn Fn(usize, usize) -> bool) -> Pairing {
    let mut calls = vec![None; expected];
    let mut done = 0;
    let mut at = 0;
    while at < groups.len() && done < expected {
        let group = groups.get(at);
        let size =
            groups.get(at..).map_or(1, |rest| rest.iter().take_while(|g| Some(*g) == group).count()).max(1);
        if size == 1 {
            if fits(done, at) {
                if let Some(slot) = calls.get_mut(done) {
                    *slot = Some(at);
                }
                done += 1;
            }
        } else {
            let run = size.min(expected - done);
            let edges: Vec<Vec<usize>> = (done..done + run)
                .map(|step| (at..at + size).filter(|&call| fits(step, call)).collect())
                .collect();
            let mut matcher = Matcher { edges: &edges, owner: std::collections::BTreeMap::new() };
            let mut taken = 0;
            while taken < run && matcher.add(taken) {
                taken += 1;
            }
            for (offset, call) in matcher.pairing(run).calls.into_iter().enumerate() {
                if let Some(slot) = calls.get_mut(done + offset) {
                    *slot = call;
                }
            }
            done += taken;
        }
        at += size;
    }
    Pairing { calls }
}

/// The calls as [`ordered`] may take them: those of one group change places so that as many as can be stand in the order of
/// the expected steps; the rest keeps its places. O(calls) for groups of one call.
pub(crate) fn suited(expected: usize, groups: &[usize], fits: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut order = Vec::with_capacity(groups.len());
    let mut done = 0;
    for group in groups.chunk_by(|a, b| a == b) {
        let at = order.len();
        order.extend(at..at + group.len());
        if group.len() == 1 || done == expected {
            done += usize::from(done < expected && fits(done, at));
            continue;
        }
        let edges: Vec<Vec<usize>> = (done..expected)
            .map(|step| (at..at + group.len()).filter(|&call| fits(step, call)).collect())
            .collect();
        let mut matcher = Matcher { edges: &edges, owner: std::collections::BTreeMap::new() };
        for step in 0..edges.len() {
            matcher.add(step);
        }
        let places: Vec<usize> = matcher.owner.keys().copied().collect();
        let pairing = matcher.pairing(edges.len());
        for (place, call) in places.into_iter().zip(pairing.calls.iter().flatten()) {
            if let Some(slot) = order.get_mut(place) {
                *slot = *call;
            }
        }
        done += pairing.first_missing().unwrap_or(edges.len());
    }
    order
}
