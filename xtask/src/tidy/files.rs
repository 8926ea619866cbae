//! A file by itself: that it begins with its documentation, is not too long, has a name that says something, and that what
//! has to be pure is.

use super::{Problem, Source};

/// Check one file.
pub(super) fn problems(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    let is_rust = source.path.ends_with(".rs");
    let is_python = source.path.ends_with(".py") || source.path.ends_with(".pyi");
    if !is_rust && !is_python {
        return problems;
    }
    if is_rust && !is_fixture(&source.path) && !source.text.starts_with("//!") {
        problems.push(Problem::new(
            source,
            1,
            "does not begin with a module doc `//!`",
        ));
    }
    if is_python && !has_docstring(&source.text) {
        problems.push(Problem::new(source, 1, "does not begin with a docstring"));
    }
    let lines = source.text.lines().count();
    if lines > MAX_LINES && !is_test(&source.path) && !source.text.starts_with("//! Table:") {
        problems.push(Problem::new(
            source,
            0,
            format!("has {lines} lines, more than {MAX_LINES}: split it, or begin its doc with `//! Table:` if it is one"),
        ));
    }
    for part in source.path.split('/') {
        let stem = part.split('.').next().unwrap_or_default();
        if let Some(word) = stem
            .split(['_', '-'])
            .find(|word| EMPTY_NAMES.contains(word))
        {
            problems.push(Problem::new(
                source,
                0,
                format!("`{word}` in a file's name says nothing"),
            ));
        }
    }
    if is_rust && must_be_pure(&source.path) {
        for (number, line) in source.text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if let Some(impure) = IMPURE.iter().find(|impure| code.contains(*impure)) {
                problems.push(Problem::new(
                    source,
                    number + 1,
                    format!(
                        "`{impure}` below the line: no async, input, output, clock or log here"
                    ),
                ));
            }
        }
    }
    problems
}

/// Whether a Python file is empty or begins with a docstring, after comments.
fn has_docstring(text: &str) -> bool {
    let first = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_none_or(|line| line.trim_start_matches(['r', 'R']).starts_with("\"\"\""))
}

/// Inputs of compile-fail tests are not modules.
fn is_fixture(path: &str) -> bool {
    path.contains("tests/ui/")
}

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.split('/').any(|part| part == "tests") || name == "tests.rs" || name.starts_with("test_")
}

fn must_be_pure(path: &str) -> bool {
    path.starts_with("crates/toolpass-core/src/")
        || path.starts_with("crates/toolpass-wire/src/")
        || (path.starts_with("integrations/") && path.ends_with("/src/rules.rs"))
}

const MAX_LINES: usize = 800;

const EMPTY_NAMES: &[&str] = &[
    "common", "helper", "helpers", "manager", "misc", "util", "utils",
];

const IMPURE: &[&str] = &[
    "async fn",
    ".await",
    "std::env",
    "std::fs",
    "TcpListener",
    "TcpStream",
    "ToSocketAddrs",
    "UdpSocket",
    "tokio::",
    "tracing::",
    "Instant::now",
    "SystemTime::now",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn said(path: &str, text: &str) -> usize {
        let source = Source {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        problems(&source).len()
    }

    #[test]
    fn documentation_comes_first() {
        for (path, text, wrong) in [
            ("a.rs", "//! What it answers.\n", 0),
            ("a.rs", "use std::fmt;\n", 1),
            ("a/tests/ui/forged.rs", "fn main() {}\n", 0),
            ("a.py", "\"\"\"What it answers.\"\"\"\n", 0),
            (
                "a.py",
                "#!/usr/bin/env python\nr\"\"\"What it answers.\"\"\"\n",
                0,
            ),
            ("a.py", "import os\n", 1),
            ("__init__.py", "", 0),
            ("a.txt", "words", 0),
        ] {
            assert_eq!(said(path, text), wrong, "{path}: {text}");
        }
    }

    #[test]
    fn long_files() {
        let long = format!("//! Doc.\n{}", "\n".repeat(MAX_LINES));
        assert_eq!(said("crates/a/src/a.rs", &long), 1);
        assert_eq!(said("crates/a/src/a/tests.rs", &long), 0);
        assert_eq!(
            said("crates/a/src/a.rs", &long.replace("Doc", "Table: rows")),
            0
        );
    }

    #[test]
    fn empty_names() {
        assert_eq!(said("crates/a/src/http_utils.rs", "//! Doc.\n"), 1);
        assert_eq!(said("crates/a/src/utility.rs", "//! Doc.\n"), 0);
    }

    #[test]
    fn what_has_to_be_pure() {
        let text = "//! Doc.\nfn now() { Instant::now() }\n// Instant::now is read elsewhere\n";
        assert_eq!(said("crates/toolpass-wire/src/path.rs", text), 1);
        assert_eq!(said("integrations/toolpass-github/src/rules.rs", text), 1);
        assert_eq!(
            said("integrations/toolpass-github/src/upstream.rs", text),
            0
        );
    }
}
