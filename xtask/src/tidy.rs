//! What no compiler says about this tree: which crate may use which, module docs, sizes, names, words, tables.
//!
//! An ordinary test, so that `cargo test` says it too, and a command that can align the tables. Each rule is a function from
//! text to problems in a module below; this one finds the files and collects.

mod files;
mod layers;
mod tables;
mod words;

use std::fmt;
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::Options;
use crate::paths;
use crate::steps::{Report, Screen, Step};

/// One thing to mend.
#[derive(Debug, PartialEq, Eq)]
struct Problem {
    path: String,
    /// From 1; 0 when it is about the whole file.
    line: usize,
    what: String,
}

/// One file of the tree, as git lists it.
struct Source {
    /// From the root, with `/`.
    path: String,
    text: String,
}

/// The steps of the command.
pub(crate) fn steps(options: &Options) -> anyhow::Result<Vec<Step>> {
    let mut steps = Vec::new();
    if options.has("fix") {
        steps.push(Step::new("align tables", align));
    }
    steps.push(Step::new("tidy", |screen| {
        let (problems, looked) = problems()?;
        for problem in &problems {
            screen.tell(&problem.to_string())?;
        }
        if !problems.is_empty() {
            bail!("{} problems", problems.len());
        }
        Ok(Report::note(format!("{looked} files")))
    }));
    Ok(steps)
}

/// Every problem of the tree, and how many files were read.
fn problems() -> anyhow::Result<(Vec<Problem>, usize)> {
    let sources = sources()?;
    let mut problems = layers::problems()?;
    for source in &sources {
        problems.extend(files::problems(source));
        problems.extend(words::problems(source, paths::root()));
        problems.extend(tables::problems(source));
    }
    problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok((problems, sources.len()))
}

/// Rewrite the tables whose columns are not aligned.
fn align(screen: &mut Screen) -> anyhow::Result<Report> {
    let mut changed = 0_usize;
    for source in sources()?
        .iter()
        .filter(|source| source.path.ends_with(".rs"))
    {
        let aligned = tables::aligned(&source.text);
        if aligned != source.text {
            std::fs::write(paths::root().join(&source.path), aligned)?;
            screen.tell(&source.path)?;
            changed += 1;
        }
    }
    Ok(Report::note(format!("{changed} files changed")))
}

/// The text files that git knows or would add.
fn sources() -> anyhow::Result<Vec<Source>> {
    let output = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(paths::root())
        .output()
        .context("cannot start git")?;
    if !output.status.success() {
        bail!(
            "git cannot list the files: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let listed = String::from_utf8(output.stdout).context("a path is not UTF-8")?;
    let mut sources = Vec::new();
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        // A file may be listed and gone; one that is not text has no words.
        let Ok(text) = std::fs::read_to_string(paths::root().join(path)) else {
            continue;
        };
        sources.push(Source {
            path: path.to_owned(),
            text,
        });
    }
    Ok(sources)
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.what),
            line => write!(f, "{}:{line}: {}", self.path, self.what),
        }
    }
}

impl Problem {
    fn new(source: &Source, line: usize, what: impl Into<String>) -> Self {
        Self {
            path: source.path.clone(),
            line,
            what: what.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let (problems, looked) = problems().unwrap();
        let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
        assert!(looked > 10, "git listed only {looked} files");
    }
}
