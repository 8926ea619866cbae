//! From a file to entitlements: YAML here, what it means in `guard`.

use std::fmt;
use std::path::Path;

use toolpass_config::yaml::{self, Content as Yaml};
use toolpass_guard::entitlements::read::{self, Content, Node, Problem, Reading};

use crate::file;

/// Why a file gives no entitlements.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It does not say what it should: every problem, with its line.
    #[error(transparent)]
    Invalid(Invalid),
    /// There is no such file. Enforced as nothing, so never taken for an empty set.
    #[error("{0}: there is no such file of entitlements, so nothing would be enforced")]
    Missing(String),
    /// It cannot be read or written.
    #[error("{file}: {source}")]
    Unusable {
        /// The file.
        file: String,
        /// What failed.
        source: std::io::Error,
    },
}

/// Every problem of a file. Shown one a line as `file:line: place: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    file: String,
    problems: Vec<Problem>,
}

impl Invalid {
    /// The problems, at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let lead = if index == 0 { "" } else { "\n" };
            match problem.line {
                Some(line) => write!(f, "{lead}{}:{line}: {problem}", self.file)?,
                None => write!(f, "{lead}{}: {problem}", self.file)?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Invalid {}

/// Load a file.
/// Errors: [`Error`].
pub fn load(path: &Path) -> Result<Reading, Error> {
    let name = path.display().to_string();
    match file::read(path)? {
        Some(text) => parse(&name, &text).map_err(Error::Invalid),
        None => Err(Error::Missing(name)),
    }
}

/// Read the text of a file called `name`.
/// Errors: every problem of it.
pub fn parse(name: &str, text: &str) -> Result<Reading, Invalid> {
    let invalid = |problems| Invalid {
        file: name.into(),
        problems,
    };
    let document = yaml::document(text).map_err(|problem| {
        invalid(vec![Problem {
            line: problem.line,
            place: "file".into(),
            message: problem.message,
        }])
    })?;
    let empty = Node {
        line: None,
        content: Content::Null,
    };
    let root = document.map_or(empty, node);
    read::read(&root).map_err(invalid)
}

fn node(node_of_yaml: yaml::Node) -> Node {
    let content = match node_of_yaml.content {
        Yaml::Alias => Content::Other("an alias".into()),
        Yaml::List(items) => Content::List(items.into_iter().map(node).collect()),
        Yaml::Mapping(pairs) => {
            let pairs = pairs.into_iter();
            Content::Mapping(pairs.map(|(key, value)| (node(key), node(value))).collect())
        }
        Yaml::Null => Content::Null,
        Yaml::Text(text) => Content::Text(text),
    };
    Node {
        line: Some(node_of_yaml.line),
        content,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_the_documentation_is_read() {
        let text = "tools:
  propose_fix:
    hosts: [ci.example.com]          # other hosts the body may call
    actions:
      - action: github:repo.read     # <integration>:<action>
        resource: \"repo:{repo}\"
        as: agent
        effect: read
      - action: github:pr.create
        resource: \"repo:{repo}\"
        fresh: true
        limit: 3
";
        let reading = parse("f.yaml", text).unwrap();
        let entry = reading.entitlements.for_tool("propose_fix").unwrap();
        let shown: Vec<_> = entry.actions.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "github:repo.read on repo:{repo} as agent, read",
                "github:pr.create on repo:{repo} as user, write"
            ]
        );
        assert_eq!(entry.actions.last().and_then(|entry| entry.limit), Some(3));
        for empty in ["", "# nothing yet\n", "---\n", "tools:\n", "tools: {}\n"] {
            assert!(
                parse("f.yaml", empty).unwrap().entitlements.is_empty(),
                "{empty:?}"
            );
        }
    }

    #[test]
    fn problems_have_their_lines() {
        let text = "tools:
  t:
    hosts: [a b]
    actions:
      - action: github
        when: now
  t: {}
  u: &x {}
  v: *x
";
        assert_eq!(
            parse("f.yaml", text).unwrap_err().to_string(),
            "f.yaml:7: tools: the key `t` stands twice
f.yaml:3: tools.t.hosts[0]: expected a host such as `ci.example.com`, `*.example.com`, `ci.example.com:8443` or `tcp://db.example.com:5432`
f.yaml:5: tools.t.actions[0]: `action`: expected `integration:action`: lower-case letters and digits, a `:`, then letters, digits and any of `_ . : / * -`
f.yaml:6: tools.t.actions[0]: expected `action`, `resource`, `as`, `effect`, `fresh`, `limit`, `seen` and `candidate`, not `when`
f.yaml:9: tools.v: expected a mapping with `hosts` and `actions`"
        );
        let broken = parse("f.yaml", "tools: [\n").unwrap_err().to_string();
        assert!(
            broken.starts_with("f.yaml:") && broken.contains("not readable as YAML"),
            "{broken}"
        );
    }
}
