//! What is wrong with a configuration: every problem of a pass, each with its line.

use std::fmt;

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is, counted from 1; none for what has no place in a file.
    pub line: Option<usize>,
    /// What is wrong and what is accepted. Never a value.
    pub message: String,
}

/// All problems of one pass over one file. Shown one a line as `file:line: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    file: String,
    problems: Vec<Problem>,
}

impl Problem {
    pub(crate) fn at(line: impl Into<Option<usize>>, message: impl Into<String>) -> Problem {
        Problem {
            line: line.into(),
            message: message.into(),
        }
    }
}

impl Errors {
    /// The problems of a file, brought into the order of their lines; those without one come first.
    pub(crate) fn new(file: &str, mut problems: Vec<Problem>) -> Errors {
        problems.sort_by_key(|problem| problem.line);
        Errors {
            file: file.into(),
            problems,
        }
    }

    /// The name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The problems, at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Problem { line, message }) in self.problems.iter().enumerate() {
            let end = if index + 1 < self.problems.len() {
                "\n"
            } else {
                ""
            };
            match line {
                Some(line) => write!(f, "{}:{line}: {message}{end}", self.file)?,
                None => write!(f, "{}: {message}{end}", self.file)?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}
