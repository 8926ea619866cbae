//! The matcher as one would explain it to a person: walk all rows, keep those that fit, take the most specific.
//!
//! Test only, and written without the tree, the ranks or the parsed templates, so that it can disagree with them.

use std::cmp::Reverse;

use crate::table::Rows;

/// The index of the row that answers for a decoded path, given as its segments.
pub(super) fn find(rows: &Rows, method: &str, path: &[&str]) -> Option<usize> {
    let fold = rows.quirks.literals_fold_case;
    let fits = |index: &usize| {
        rows.routes
            .get(*index)
            .is_some_and(|row| takes(&row.method, method) && matches(&row.path, path, fold))
    };
    (0..rows.routes.len()).filter(fits).min_by_key(|index| {
        let row = &rows.routes[*index];
        let method_last = if row.method == "*" {
            2
        } else {
            u8::from(row.method != "HEAD")
        };
        (specificity(&row.path, fold), method_last)
    })
}

/// Lower is more specific.
fn specificity(template: &str, fold: bool) -> (Reverse<usize>, bool, Reverse<usize>, String) {
    let segments: Vec<&str> = template
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    let literals = segments
        .iter()
        .filter(|segment| !is_variable(segment))
        .count();
    let has_tail = segments.last().is_some_and(|last| is_tail(last));
    let length_of_tailed = if has_tail { segments.len() } else { 0 };
    let text = segments.iter().map(|segment| match *segment {
        tail if is_tail(tail) => "/{+}".to_string(),
        variable if is_variable(variable) => "/{}".to_string(),
        literal if fold => format!("/{}", literal.to_ascii_lowercase()),
        literal => format!("/{literal}"),
    });
    (
        Reverse(literals),
        has_tail,
        Reverse(length_of_tailed),
        text.collect(),
    )
}

fn matches(template: &str, path: &[&str], fold: bool) -> bool {
    if path.iter().any(|segment| segment.is_empty()) {
        return false;
    }
    let mut rest = path;
    for segment in template.split('/').filter(|segment| !segment.is_empty()) {
        if is_tail(segment) {
            return !rest.is_empty();
        }
        let [given, after @ ..] = rest else {
            return false;
        };
        let same = *given == segment || fold && given.eq_ignore_ascii_case(segment);
        if !same && !is_variable(segment) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

fn takes(of_row: &str, method: &str) -> bool {
    of_row == "*" || of_row == method || (method == "HEAD" && of_row == "GET")
}

fn is_variable(segment: &str) -> bool {
    segment.starts_with('{') || is_tail(segment)
}

fn is_tail(segment: &str) -> bool {
    segment == "**" || segment.contains('+')
}
