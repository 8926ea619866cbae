//! "Did you mean": the known name nearest to a mistyped one.

/// The candidate at most a third of its length (and two edits) away, the nearest first; of equals the first.
pub(crate) fn nearest<'a>(
    typed: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if typed.len() > MAX_BYTES {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (edits(typed, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= 2 && *edits * 3 <= candidate.len().max(3))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// `; did you mean NAME?`, or nothing.
pub(crate) fn hint<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, candidates)
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}

/// `` `a`, `b` or `c` ``.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>, last: &str) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
        None => String::new(),
    }
}

/// How many letters must be put in, taken out or changed, or two neighbours exchanged, to get from one to the other.
fn edits(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (row, a) in from.iter().enumerate() {
        let mut here = vec![row + 1];
        for (column, b) in to.iter().enumerate() {
            let at =
                |cells: &[usize], place: usize| cells.get(place).copied().unwrap_or(usize::MAX - 1);
            let mut best = at(&above, column) + usize::from(a != b);
            best = best
                .min(at(&above, column + 1) + 1)
                .min(at(&here, column) + 1);
            let exchanged = row > 0
                && column > 0
                && from.get(row - 1) == Some(b)
                && to.get(column - 1) == Some(a);
            if exchanged {
                best = best.min(at(&before, column - 1) + 1);
            }
            here.push(best);
        }
        before = std::mem::replace(&mut above, here);
    }
    above.last().copied().unwrap_or(usize::MAX)
}

const MAX_BYTES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let names = ["timeout", "url", "integration", "ca_file", "id"];
        for (typed, found) in [
            ("timout", Some("timeout")),
            ("tiemout", Some("timeout")),
            ("timeouts", Some("timeout")),
            ("ulr", Some("url")),
            ("intergration", Some("integration")),
            ("cafile", Some("ca_file")),
            ("di", Some("id")),
            ("secret", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, names), found, "{typed}");
        }
        assert_eq!(nearest(&"x".repeat(10_000), names), None);
    }

    #[test]
    fn lists() {
        assert_eq!(listed(["a"], "or"), "`a`");
        assert_eq!(listed(["a", "b", "c"], "or"), "`a`, `b` or `c`");
        assert_eq!(listed([], "or"), "");
    }
}
