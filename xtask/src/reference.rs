//! `cargo xtask gen`: the pages of the reference, made from the tables. With `--check`, as CI runs it, nothing is written and
//! a page that differs is an error.
//!
//! The tables are Rust's, the command's help and the Python face's annotations. This program knows none of them: each source
//! is a program that prints its pages as one line of JSON, from path to text.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;

use crate::build::cargo;
use crate::python::Interpreter;
use crate::steps::{Report, Screen, Step};
use crate::{Options, paths};

type Pages = BTreeMap<String, String>;

/// The steps: one.
pub(crate) fn steps(options: &Options) -> anyhow::Result<Vec<Step>> {
    let python = Interpreter::find()?;
    let check = options.has("check");
    Ok(vec![step(python, check)])
}

/// Make the pages; write them, or compare them with the tree.
pub(crate) fn step(python: Interpreter, check: bool) -> Step {
    Step::new("reference", move |screen| {
        let pages = pages(screen, &python)?;
        let changed: Vec<&str> = pages
            .iter()
            .filter(|(path, text)| !is_written(&paths::root().join(path), text))
            .map(|(path, _)| path.as_str())
            .collect();
        if check {
            anyhow::ensure!(
                changed.is_empty(),
                "run `cargo xtask gen`: {} differ from the tables",
                changed.join(", ")
            );
            return Ok(Report::note(format!("{} pages", pages.len())));
        }
        for path in &changed {
            let file = paths::root().join(path);
            if let Some(folder) = file.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&file, pages.get(*path).map_or("", String::as_str))
                .with_context(|| format!("cannot write {path}"))?;
            screen.tell(&format!("wrote {path}"))?;
        }
        Ok(Report::note(format!(
            "{} pages, {} changed",
            pages.len(),
            changed.len()
        )))
    })
}

fn is_written(path: &Path, text: &str) -> bool {
    std::fs::read_to_string(path).is_ok_and(|found| found == text)
}

fn pages(screen: &mut Screen, python: &Interpreter) -> anyhow::Result<Pages> {
    let mut tables = cargo(&["run", "--quiet", "--package", "toolpass-tests", "--bin"]);
    python.for_pyo3(tables.arg("toolpass-reference"));
    let output = screen.run(&mut tables)?.required()?.stdout;
    let mut pages: Pages = serde_json::from_str(&output).context("the pages of the tables")?;

    let mut face = std::process::Command::new(python.program());
    face.arg(paths::root().join("python/build/reference.py"));
    let output = screen.run(&mut face)?.required()?.stdout;
    let more: Pages = serde_json::from_str(&output).context("the pages of the Python face")?;
    pages.extend(more);
    pages.insert(COMMAND.to_owned(), command_page(screen, python)?);
    Ok(pages)
}

/// The page of the command: its own help, whole.
fn command_page(screen: &mut Screen, python: &Interpreter) -> anyhow::Result<String> {
    let mut help = |words: &[&str]| -> anyhow::Result<String> {
        let mut command = cargo(&["run", "--quiet", "--package", "toolpass-cli", "--"]);
        python.for_pyo3(command.args(words));
        Ok(screen.run(&mut command)?.required()?.stdout)
    };
    let overview = help(&["help"])?;
    let mut page = format!(
        "# The command\n\n<!-- Made by `cargo xtask gen`; change `crates/toolpass-cli/src/flags.rs`. -->\n\n\
         What `toolpass help` prints. `python -m toolpass` is the same.\n\n```text\n{}\n```\n",
        overview.trim_end()
    );
    for name in command_names(&overview) {
        let text = help(&["help", &name])?;
        page.push_str(&format!(
            "\n## {name}\n\n```text\n{}\n```\n",
            text.trim_end()
        ));
    }
    Ok(page)
}

/// The commands an overview lists: the first columns of its indented lines, of one word or two.
fn command_names(overview: &str) -> Vec<String> {
    overview
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split("  ").next())
        .filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
        .filter(|name| {
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b' ')
        })
        .map(str::to_owned)
        .collect()
}

const COMMAND: &str = "docs/reference/command.md";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_the_overview() {
        let overview = "usage: toolpass COMMAND\n\ncommands:\n  check     ask\n  list all  them\n  routes    list\n      more of it\n  -json    a flag\n";
        assert_eq!(command_names(overview), ["check", "list all", "routes"]);
    }
}
