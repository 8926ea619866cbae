//! Words that do not belong: empty or foreign names in code, a to-do nobody can look up, a waiver without a reason, filler in
//! documents, a path of somebody's machine.

use std::path::Path;

use super::{Problem, Source};

/// Check the lines of one file.
pub(super) fn problems(source: &Source, root: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    // A clone in the root of a disk has a name too short to tell from any other word.
    let machine = (root.components().count() > 2).then(|| root.display().to_string());
    for (number, line) in source.text.lines().enumerate() {
        let mut wrong = |what: String| problems.push(Problem::new(source, number + 1, what));
        if machine.as_ref().is_some_and(|path| line.contains(path)) {
            wrong("names a path of this machine".to_owned());
        }
        if source.path.ends_with(".rs")
            || source.path.ends_with(".py")
            || source.path.ends_with(".pyi")
        {
            code(line, &source.path, &mut wrong);
        }
        if source.path.starts_with("docs/") || source.path == "README.md" {
            for word in
                words(line).filter(|word| DOCUMENT_WORDS.contains(&word.to_lowercase().as_str()))
            {
                wrong(format!("`{word}` in a document for users"));
            }
        }
    }
    problems
}

fn code(line: &str, path: &str, wrong: &mut dyn FnMut(String)) {
    for mark in MARKS {
        if words(line).any(|word| word == *mark) && !has_issue(line) {
            wrong(format!("`{mark}` without the number of an issue (`#12`)"));
        }
    }
    let code = line.trim_start();
    if path.ends_with(".rs")
        && WAIVERS.iter().any(|open| code.starts_with(open))
        && code.ends_with(")]")
        && !code.contains("reason")
    {
        wrong("a lint is waived without a reason".to_owned());
    }
    let python = !path.ends_with(".rs");
    if python && line.contains("# type: ignore") && !line.contains("# type: ignore[") {
        wrong("`type: ignore` without the error it ignores".to_owned());
    }
    if python && line.contains("# noqa") && !line.contains("# noqa: ") {
        wrong("`noqa` without the rule it waives".to_owned());
    }
    if let Some(name) = declared(code) {
        let mut before = String::new();
        for word in name_words(name) {
            // Python's own word for what stands in `with`.
            let is_pythons = before == "context" && word == "manager";
            before.clone_from(&word);
            if is_pythons || !NAMES.contains(&word.as_str()) {
                continue;
            }
            wrong(format!(
                "`{word}` in the name `{name}`: see CONTRIBUTING.md, \"Names\""
            ));
        }
    }
}

/// The name a line declares, if it declares one.
fn declared(code: &str) -> Option<&str> {
    let mut words = code
        .split_whitespace()
        .skip_while(|word| QUALIFIERS.contains(word) || word.starts_with("pub("));
    if !DECLARATIONS.contains(&words.next()?) {
        return None;
    }
    let rest = words.next()?;
    let end = rest
        .find(|char: char| !char.is_alphanumeric() && char != '_')
        .unwrap_or(rest.len());
    rest.get(..end)
}

/// The words of a name in either form, in lower case.
fn name_words(name: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::with_capacity(name.len() * 2);
    for char in name.chars() {
        if char.is_uppercase() {
            spaced.push('_');
        }
        spaced.extend(char.to_lowercase());
    }
    spaced
        .split('_')
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|char: char| !char.is_alphanumeric() && char != '_')
}

fn has_issue(line: &str) -> bool {
    line.split('#')
        .skip(1)
        .any(|rest| rest.starts_with(|char: char| char.is_ascii_digit()))
}

const MARKS: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("HA", "CK"),
];

const WAIVERS: &[&str] = &["#[allow(", "#![allow("];

const QUALIFIERS: &[&str] = &["pub", "async", "const", "unsafe"];

const DECLARATIONS: &[&str] = &[
    "fn", "struct", "enum", "trait", "mod", "type", "class", "def",
];

/// Words no name has: empty ones, and other trades' words for what has a name here.
const NAMES: &[&str] = &[
    "blacklist",
    "common",
    "firewall",
    "helper",
    "helpers",
    "impersonate",
    "impersonation",
    "interceptor",
    "manager",
    "misc",
    "util",
    "utils",
    "whitelist",
];

/// Words that say nothing to a reader, and words that speak of the writer.
const DOCUMENT_WORDS: &[&str] = &["simply", "we", "our"];

#[cfg(test)]
mod tests {
    use super::*;

    fn said(path: &str, text: &str) -> Vec<String> {
        let source = Source {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let root = Path::new("/place/of/clone");
        problems(&source, root)
            .into_iter()
            .map(|problem| problem.what)
            .collect()
    }

    #[test]
    fn lines_that_are_wrong() {
        let mark = MARKS.first().unwrap();
        for (path, line) in [
            ("a.rs", format!("// {mark}: later")),
            ("a.rs", "#[allow(dead_code)]".to_owned()),
            ("a.py", "x = f()  # type: ignore".to_owned()),
            ("a.py", "import x  # noqa".to_owned()),
            ("a.rs", "pub(crate) struct SessionManager {".to_owned()),
            ("a.rs", "pub async fn read_helper() {".to_owned()),
            ("a.py", "class RequestInterceptor:".to_owned()),
            ("docs/a.md", "You simply call it.".to_owned()),
            ("README.md", "Then we ask the system.".to_owned()),
            ("a.txt", "see /place/of/clone/crates".to_owned()),
        ] {
            assert_eq!(said(path, &line).len(), 1, "{path}: {line}");
        }
    }

    #[test]
    fn lines_that_are_right() {
        let mark = MARKS.first().unwrap();
        for (path, line) in [
            ("a.rs", format!("// {mark}: as #12 says")),
            (
                "a.rs",
                "#[allow(dead_code, reason = \"read by a macro\")]".to_owned(),
            ),
            ("a.py", "x = f()  # type: ignore[attr-defined]".to_owned()),
            ("a.rs", "fn utility() {}".to_owned()),
            (
                "a.py",
                "def test_a_context_manager_in_a_block():".to_owned(),
            ),
            ("a.rs", "let manager = 1;".to_owned()),
            ("ARCHITECTURE.md", "What we build.".to_owned()),
            ("a.txt", "/place/of/another".to_owned()),
        ] {
            assert!(said(path, &line).is_empty(), "{path}: {line}");
        }
    }
}
