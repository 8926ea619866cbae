//! Which row of a table a request falls under.
//!
//! Separate from the rows (`table`) because it is compiled once and asked often: one tree per method, no allocation per
//! question. `slow.rs` says the same in the most obvious way, and a property test holds the two together.
//! INVARIANT: which row answers depends on the rows only, never on their order in the table or on the names of variables.
//!
//! Order of specificity: more literal segments; then exact length before a tail; then, among tails, the longer template;
//! then the text of the shape, in which a literal comes before a variable; then the exact method before `*`.

mod compile;
mod tree;

#[cfg(test)]
mod slow;
#[cfg(test)]
mod tests;

use crate::table::{Quirks, Route, Rows, Text, Unrouted};
use crate::template::{InvalidTemplate, Mismatch, Path, PathTemplate, ResourceTemplate};
use tree::Tree;

/// A compiled table.
#[derive(Clone, Debug)]
pub struct RouteTable {
    rows: Rows,
    compiled: Vec<Compiled>,
    left_out: Vec<PathTemplate>,
    ranked: Vec<usize>,
    trees: Vec<(Text, Tree)>,
    any_method: Tree,
    version: String,
}

/// The row that answers.
#[derive(Clone, Copy, Debug)]
pub struct Match<'t> {
    /// The row.
    pub route: &'t Route,
    compiled: &'t Compiled,
}

/// A row whose template has been held against a path.
#[derive(Clone, Debug)]
pub struct Candidate<'t> {
    /// The row.
    pub route: &'t Route,
    /// Whether its template matches.
    pub path: Result<(), Mismatch>,
    /// Whether it takes the method.
    pub takes_method: bool,
    /// How many segments of the path fit from its start.
    pub agreement: usize,
    /// How much the template looks like the path: of rows that do not match, the greater the nearer.
    pub similarity: usize,
}

/// Why rows make no table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// A text that is no action name.
    #[error("row `{method} {path}`: `{action}` is no action name")]
    Action {
        /// The row's method.
        method: Text,
        /// The row's template.
        path: Text,
        /// The text.
        action: Text,
    },
    /// A field of the resource that nothing can give.
    #[error(
        "row `{method} {path}`: nothing gives the resource's `{name}`; expected a path variable or a reader"
    )]
    Field {
        /// The row's method.
        method: Text,
        /// The row's template.
        path: Text,
        /// The field.
        name: Text,
    },
    /// A method that is not upper-case letters or `*`.
    #[error("row `{method} {path}`: expected the method in upper-case letters, or `*`")]
    Method {
        /// The row's method.
        method: Text,
        /// The row's template.
        path: Text,
    },
    /// An action without anything it acts on.
    #[error("row `{method} {path}`: expected a resource or a reader beside the action")]
    NoResource {
        /// The row's method.
        method: Text,
        /// The row's template.
        path: Text,
    },
    /// A prefix that is no plain path, or a claim that is no template.
    #[error("prefix `{prefix}`: expected a path of literal segments; of a claim, a path template")]
    Prefix {
        /// The prefix or claim.
        prefix: Text,
    },
    /// A template that cannot be read.
    #[error("row `{method} {path}`: {why}")]
    Template {
        /// The row's method.
        method: Text,
        /// The row's template.
        path: Text,
        /// What is wrong with its path or resource.
        why: InvalidTemplate,
    },
    /// Two rows that answer for the same requests.
    #[error("rows `{method} {first}` and `{method} {second}` have one shape; expected one row")]
    Twice {
        /// The method of both.
        method: Text,
        /// The first template.
        first: Text,
        /// The second template.
        second: Text,
    },
}

#[derive(Clone, Debug)]
struct Compiled {
    path: PathTemplate,
    resource: Option<ResourceTemplate>,
}

impl RouteTable {
    /// Compile rows.
    /// Errors: [`TableError`], for the first row that is wrong.
    pub fn build(rows: Rows) -> Result<RouteTable, TableError> {
        RouteTable::build_with_labels(rows, &[])
    }

    /// Compile rows of a system whose host patterns capture `labels`, which are variables of every row.
    /// Errors: [`TableError`], for the first row that is wrong.
    pub fn build_with_labels(rows: Rows, labels: &[&str]) -> Result<RouteTable, TableError> {
        compile::check_prefixes(&rows)?;
        let compiled = rows
            .routes
            .iter()
            .map(|route| compile::row(route, labels))
            .collect::<Result<Vec<_>, _>>()?;
        let left_out = rows
            .unrouted
            .iter()
            .map(compile::left_out)
            .collect::<Result<Vec<_>, _>>()?;
        let ranked = compile::ranked(&rows, &compiled)?;
        let grow = |takes: &dyn Fn(&str) -> bool| {
            let mut tree = Tree::new(rows.quirks.literals_fold_case);
            for (rank, row) in (0..).zip(&ranked) {
                let method = rows.routes.get(*row).map_or("", |route| &route.method);
                if let Some(compiled) = compiled.get(*row).filter(|_| takes(method)) {
                    tree.insert(&compiled.path, rank);
                }
            }
            tree
        };
        let mut methods: Vec<Text> = rows
            .routes
            .iter()
            .map(|route| route.method.clone())
            .collect();
        methods.extend(["GET".into(), "HEAD".into()]);
        methods.sort();
        methods.dedup();
        methods.retain(|method| method != "*");
        let grow_for = |method: Text| {
            (
                method.clone(),
                grow(&|of_row| takes_method(of_row, &method)),
            )
        };
        let trees = methods.into_iter().map(grow_for).collect();
        let any_method = grow(&|of_row| of_row == "*");
        let version = compile::version(&rows);
        Ok(RouteTable {
            rows,
            compiled,
            left_out,
            ranked,
            trees,
            any_method,
            version,
        })
    }

    /// The rows, as they were given.
    pub fn rows(&self) -> &[Route] {
        &self.rows.routes
    }

    /// The shapes left out on purpose.
    pub fn unrouted(&self) -> &[Unrouted] {
        &self.rows.unrouted
    }

    /// Path prefixes of which every write operation must be routed or left out.
    pub fn claims(&self) -> &[Text] {
        &self.rows.claims
    }

    /// Prefixes of the table's own.
    pub fn prefixes(&self) -> &[Text] {
        &self.rows.prefixes
    }

    /// What this vendor's servers do with a path.
    pub fn quirks(&self) -> &Quirks {
        &self.rows.quirks
    }

    /// A hash of the rows. Readers are code and are not in it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The most specific row for decoded path segments and a method; HEAD takes GET's rows too.
    pub fn find<'p>(&self, method: &str, path: impl Into<Path<'p>>) -> Option<Match<'_>> {
        let tree = self
            .trees
            .iter()
            .find(|(of_tree, _)| of_tree == method)
            .map_or(&self.any_method, |(_, tree)| tree);
        let rank = tree.find(path.into())?;
        let row = *self.ranked.get(usize::try_from(rank).ok()?)?;
        Some(Match {
            route: self.rows.routes.get(row)?,
            compiled: self.compiled.get(row)?,
        })
    }

    /// Every row, from most to least specific, held against a path and method: what `explain` prints.
    pub fn candidates<'p>(&self, method: &str, path: impl Into<Path<'p>>) -> Vec<Candidate<'_>> {
        let (fold, path) = (self.rows.quirks.literals_fold_case, path.into());
        let rows = self
            .ranked
            .iter()
            .filter_map(|row| Some((self.rows.routes.get(*row)?, self.compiled.get(*row)?)));
        rows.map(|(route, compiled)| Candidate {
            route,
            path: compiled.path.compare(path, fold),
            takes_method: takes_method(&route.method, method),
            agreement: compiled.path.agreement(path, fold),
            similarity: compiled.path.similarity(path),
        })
        .collect()
    }

    /// The shape left out on purpose that a request has, the exact method before `*`.
    pub fn left_out<'p>(&self, method: &str, path: impl Into<Path<'p>>) -> Option<&Unrouted> {
        let (fold, path) = (self.rows.quirks.literals_fold_case, path.into());
        let fitting = |wanted: &str| {
            self.rows
                .unrouted
                .iter()
                .zip(&self.left_out)
                .find_map(|(unrouted, template)| {
                    (unrouted.method == wanted && template.compare(path, fold).is_ok())
                        .then_some(unrouted)
                })
        };
        fitting(method).or_else(|| fitting("*"))
    }
}

impl<'t> Match<'t> {
    /// What the path variables take.
    pub fn captures(&self, path: Path<'_>) -> Vec<(Text, String)> {
        self.compiled.path.captures(path)
    }

    /// Whether each encoded slash stands where the row allows one.
    pub fn allows_slashes(&self, path: Path<'_>) -> bool {
        self.compiled.path.allows_slashes(path)
    }

    /// The row's resource, to be filled.
    pub fn resource(&self) -> Option<&'t ResourceTemplate> {
        self.compiled.resource.as_ref()
    }
}

/// Whether a row of `of_row` answers a request of `method`.
fn takes_method(of_row: &str, method: &str) -> bool {
    of_row == "*" || of_row == method || method == "HEAD" && of_row == "GET"
}
