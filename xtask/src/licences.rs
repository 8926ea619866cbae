//! Whether every dependency may be shipped: its licence expression against the lists of `deny.toml`.
//!
//! The lists have one home, which `cargo deny` reads too where it is installed; this check needs nothing installed, so it
//! is part of `cargo xtask test`. An expression is allowed if one of its choices (`OR`) is, and each of its parts (`AND`).
//! Source: SPDX specification 2.3, annex D; the slash of older crates means `OR`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, bail};
use serde_json::Value;

use crate::build::cargo;
use crate::paths;
use crate::steps::{Report, Screen};

/// What `deny.toml` allows.
#[derive(Debug, Default, PartialEq, Eq)]
struct Allowed {
    everywhere: BTreeSet<String>,
    by_crate: BTreeMap<String, BTreeSet<String>>,
}

/// Check every package of the lock file.
pub(crate) fn step(screen: &mut Screen) -> anyhow::Result<Report> {
    let table = std::fs::read_to_string(paths::root().join("deny.toml"))
        .context("cannot read deny.toml")?;
    let allowed = read_table(&table)?;
    let metadata = screen.run(&mut cargo(&[
        "metadata",
        "--format-version=1",
        "--locked",
        "--all-features",
    ]));
    let metadata: Value = serde_json::from_str(&metadata?.required()?.stdout)?;
    let packages = metadata
        .get("packages")
        .and_then(Value::as_array)
        .context("cargo gave no packages")?;
    let mut refused = 0_usize;
    for package in packages {
        let name = package
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let licence = package
            .get("license")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if !allowed.covers(name, licence) {
            refused += 1;
            screen.tell(&format!(
                "{name}: `{licence}` is not in the lists of deny.toml"
            ))?;
        }
    }
    if refused > 0 {
        bail!(
            "{refused} of {} packages have a licence that is not allowed",
            packages.len()
        );
    }
    Ok(Report::note(format!("{} packages", packages.len())))
}

impl Allowed {
    fn covers(&self, name: &str, expression: &str) -> bool {
        let more = self.by_crate.get(name);
        let known = |licence: &str| {
            self.everywhere.contains(licence)
                || more.is_some_and(|licences| licences.contains(licence))
        };
        let tokens = tokens(expression);
        let mut rest = tokens.as_slice();
        let covered = any(&mut rest, &known);
        covered == Some(true) && rest.is_empty()
    }
}

/// `a OR b`. None when it is no expression.
fn any(rest: &mut &[String], known: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut covered = all(rest, known)?;
    while take(rest, "OR") {
        covered |= all(rest, known)?;
    }
    Some(covered)
}

/// `a AND b`, which binds closer than `OR`.
fn all(rest: &mut &[String], known: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut covered = one(rest, known)?;
    while take(rest, "AND") {
        covered &= one(rest, known)?;
    }
    Some(covered)
}

/// One licence, with its exception if it has one, or an expression in parentheses.
fn one(rest: &mut &[String], known: &dyn Fn(&str) -> bool) -> Option<bool> {
    if take(rest, "(") {
        let covered = any(rest, known)?;
        return take(rest, ")").then_some(covered);
    }
    let (name, after) = rest.split_first()?;
    if ["(", ")", "OR", "AND", "WITH"].contains(&name.as_str()) {
        return None;
    }
    *rest = after;
    if take(rest, "WITH") {
        let (exception, after) = rest.split_first()?;
        *rest = after;
        return Some(known(&format!("{name} WITH {exception}")) || known(name));
    }
    Some(known(name))
}

fn take(rest: &mut &[String], word: &str) -> bool {
    match rest.split_first() {
        Some((first, after)) if first == word => {
            *rest = after;
            true
        }
        _ => false,
    }
}

fn tokens(expression: &str) -> Vec<String> {
    expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ")
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

/// Read the two lists: `allow = [...]` with one quoted licence a line, and `exceptions = [...]` with one
/// `{ allow = ["..."], crate = "..." }` a line. A line of another form in them is an error.
fn read_table(text: &str) -> anyhow::Result<Allowed> {
    let mut allowed = Allowed::default();
    let mut list = "";
    for line in text.lines() {
        let row = line.split('#').next().unwrap_or_default().trim();
        match row {
            "" => {}
            "allow = [" => list = "allow",
            "exceptions = [" => list = "exceptions",
            "]" => list = "",
            _ if list == "allow" => match quoted(row).as_slice() {
                [licence] => {
                    allowed.everywhere.insert(licence.clone());
                }
                _ => bail!("deny.toml: one licence a line is expected in `allow`, not `{row}`"),
            },
            _ if list == "exceptions" => match quoted(row).as_slice() {
                [licence, name] => {
                    allowed
                        .by_crate
                        .entry(name.clone())
                        .or_default()
                        .insert(licence.clone());
                }
                _ => bail!(
                    "deny.toml: one licence and one crate a line are expected in `exceptions`, not `{row}`"
                ),
            },
            _ => {}
        }
    }
    Ok(allowed)
}

fn quoted(row: &str) -> Vec<String> {
    row.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Allowed {
        let text = r#"
            [licenses]
            allow = [
                "MIT", # says little
                "Apache-2.0",
                "Unicode-3.0",
            ]
            exceptions = [
                { allow = ["MPL-2.0"], crate = "roots" }, # a list of certificates
            ]
        "#;
        read_table(text).unwrap()
    }

    #[test]
    fn expressions() {
        for (name, expression, covered) in [
            ("a", "MIT", true),
            ("a", "MIT OR GPL-3.0-only", true),
            ("a", "MIT/GPL-3.0-only", true),
            ("a", "MIT AND GPL-3.0-only", false),
            ("a", "(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("a", "GPL-3.0-only OR MIT AND Unicode-3.0", true),
            ("a", "Apache-2.0 WITH LLVM-exception", true),
            ("a", "GPL-2.0-only WITH Classpath-exception-2.0", false),
            ("a", "MPL-2.0", false),
            ("roots", "MPL-2.0", true),
            ("a", "", false),
            ("a", "MIT OR", false),
            ("a", "(MIT", false),
            ("a", "MIT Apache-2.0", false),
        ] {
            assert_eq!(
                table().covers(name, expression),
                covered,
                "{name}: {expression}"
            );
        }
    }

    #[test]
    fn a_row_of_another_form_is_an_error() {
        assert!(read_table("allow = [\n\"MIT\", \"ISC\",\n]").is_err());
        assert!(read_table("exceptions = [\n{ allow = [\"MPL-2.0\"] },\n]").is_err());
    }

    #[test]
    fn the_projects_own_table_is_read() {
        let text = std::fs::read_to_string(paths::root().join("deny.toml")).unwrap();
        let allowed = read_table(&text).unwrap();
        assert!(allowed.covers("toolpass-core", "Apache-2.0"));
        assert!(!allowed.covers("toolpass-core", "GPL-3.0-only"));
    }
}
