//! What the documents must have: every code, key and action; every link a target.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toolpass_core::codes::{Code, RefusalCode};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

fn markdown(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            markdown(&path, found);
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
}

fn documents() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "md"));
    for folder in ["docs", "examples", "benches", "integrations"] {
        markdown(&root().join(folder), &mut found);
    }
    found
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[track_caller]
fn names_all(page: &str, names: impl IntoIterator<Item = &'static str>) {
    let text = text(page);
    let missing: Vec<&str> = names
        .into_iter()
        .filter(|name| !text.contains(&format!("`{name}`")))
        .collect();
    assert!(
        missing.is_empty(),
        "{page} lacks {missing:?}: run `cargo xtask gen`"
    );
}

#[test]
fn every_code_is_in_the_reference() {
    names_all(
        "docs/reference/decision-codes.md",
        Code::ALL.iter().map(|code| code.as_str()),
    );
    names_all(
        "docs/reference/refusal-codes.md",
        RefusalCode::ALL.iter().map(|code| code.as_str()),
    );
}

#[test]
fn every_key_is_in_the_reference() {
    let shared = toolpass_config::keys::TOP
        .iter()
        .chain(toolpass_config::keys::COMMON);
    names_all(
        "docs/reference/configuration.md",
        shared.map(|key| key.name).chain(["connections"]),
    );
    for product in toolpass_registry::all() {
        let page = format!("docs/integrations/{}.md", product.name());
        names_all(&page, product.keys().iter().map(|key| key.name));
    }
}

#[test]
fn every_action_and_route_is_in_the_reference() {
    for product in toolpass_registry::all() {
        names_all(
            &format!("docs/integrations/{}.md", product.name()),
            product.actions().iter().map(|action| action.name),
        );
        if let Some(table) = product.routes() {
            let page = text(&format!("docs/integrations/{}.routes.md", product.name()));
            let rows: BTreeSet<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
            for route in table.rows() {
                let start = format!("| {} | `{}` |", route.method, route.path);
                assert!(
                    rows.iter().any(|row| row.starts_with(&start)),
                    "{start} is missing: run `cargo xtask gen`"
                );
            }
        }
    }
}

#[test]
fn generated_pages_are_those_of_the_tables() {
    for (path, expected) in toolpass_tests::reference::pages() {
        assert!(
            text(&path) == expected,
            "{path} is not what the tables say: run `cargo xtask gen`"
        );
    }
}

#[test]
fn every_link_has_a_target() {
    let mut broken = Vec::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let file = if path.is_empty() {
                document.clone()
            } else {
                document.parent().unwrap().join(path)
            };
            let found = file.exists() && (heading.is_empty() || headings(&file).contains(heading));
            if !found {
                broken.push(format!(
                    "{}: {target}",
                    document.strip_prefix(root()).unwrap().display()
                ));
            }
        }
    }
    assert!(broken.is_empty(), "links without a target: {broken:#?}");
}

/// The anchors of a page's headings.
fn headings(file: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let anchor = |line: &str| {
        let kept = line.trim_start_matches('#').trim().to_lowercase();
        kept.chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect()
    };
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(anchor)
        .collect()
}

#[test]
fn every_guide_and_concept_is_in_the_index() {
    let index = text("docs/README.md");
    for folder in ["guides", "concepts", "reference"] {
        let mut pages = Vec::new();
        markdown(&root().join("docs").join(folder), &mut pages);
        for page in pages {
            let name = format!("{folder}/{}", page.file_name().unwrap().to_string_lossy());
            assert!(
                index.contains(&format!("({name})")),
                "docs/README.md does not name {name}"
            );
        }
    }
}
