//! What a GraphQL request asks for: one operation, its fields with fragments expanded and variables filled in.
//!
//! Separate because several systems speak GraphQL and all must read it alike. The grammar is `apollo-parser`'s; here is what a
//! server does with a document before it runs it.
//! INVARIANT: every field that a server could run is listed. `@skip` and `@include` are read as included, fragments are
//! expanded whatever type they are on, and a document that two servers could read differently is [`Unresolved`].
//! SOURCE: GraphQL specification, October 2021, sections 2 (grammar), 5 (validation) and 6.1 (variables); GraphQL over HTTP.

pub mod input;

use std::collections::BTreeMap;

use apollo_parser::cst::{self, CstNode as _};
use apollo_parser::{Lexer, Parser, TokenKind};

use crate::field::Unresolved;
use crate::json::Json;

/// The operation that a server would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What it is.
    pub kind: OperationKind,
    /// Its name, when it has one.
    pub name: Option<String>,
    /// Its top-level fields, in order; a fragment's stand where it is spread.
    pub fields: Vec<RootField>,
}

/// The three kinds of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// A query.
    Query,
    /// A mutation.
    Mutation,
    /// A subscription.
    Subscription,
}

/// A field at the top of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootField {
    /// The field's own name, whatever its alias.
    pub name: String,
    /// What the answer calls it.
    pub alias: Option<String>,
    /// Its arguments with variables filled in; one whose variable has no value is not there.
    pub arguments: Vec<(String, Json)>,
    /// What is selected below it.
    pub selections: Vec<Selection>,
}

/// A field below another: the same shape.
pub type Selection = RootField;

impl RootField {
    /// The value of an argument.
    pub fn argument(&self, name: &str) -> Option<&Json> {
        self.arguments
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }
}

/// Read a request: the pairs of its URL and the body that was sent as JSON.
/// Errors: [`Unresolved`] for a batch, a persisted query, a document in two places, and whatever [`read`] refuses.
pub fn read_request(
    url: &[(String, String)],
    body: Option<&Json>,
) -> Result<Operation, Unresolved> {
    let in_url: Vec<&(String, String)> = url.iter().filter(|(name, _)| is_member(name)).collect();
    let from_url;
    let envelope: &[(String, Json)] = match body {
        Some(Json::Array(_)) => {
            return Err(Unresolved::new(
                "a batch of GraphQL operations; send one operation per request",
            ));
        }
        Some(Json::Object(members)) if in_url.is_empty() => members,
        Some(Json::Object(_)) => {
            return Err(Unresolved::new(
                "GraphQL members stand in the query string and in the body",
            ));
        }
        Some(_) => return Err(Unresolved::new("expected a JSON object with a `query`")),
        None => {
            from_url = members_of_url(&in_url)?;
            &from_url
        }
    };
    refuse_persisted(envelope)?;
    let query = match member(envelope, "query") {
        Some(Json::String(query)) if !query.trim().is_empty() => query,
        _ => {
            return Err(Unresolved::new(
                "expected a GraphQL document in the string `query`",
            ));
        }
    };
    let operation_name = match member(envelope, "operationName") {
        None | Some(Json::Null) => None,
        Some(Json::String(name)) => Some(name.as_str()),
        Some(_) => return Err(Unresolved::new("expected a string as `operationName`")),
    };
    read(
        query,
        operation_name,
        member(envelope, "variables").unwrap_or(&Json::Null),
    )
}

/// Read a document.
/// `variables` is an object, or null for none; an empty `operation_name` is none.
/// Errors: [`Unresolved`] for a document that is malformed, too deep or too long, that holds several operations of which none
/// is named, or that a server would refuse or another read differently.
pub fn read(
    query: &str,
    operation_name: Option<&str>,
    variables: &Json,
) -> Result<Operation, Unresolved> {
    let given: &[(String, Json)] = match variables {
        Json::Null => &[],
        Json::Object(members) => members,
        _ => return Err(Unresolved::new("expected an object as `variables`")),
    };
    let document = parse(query)?;
    let (operations, fragments) = definitions(&document)?;
    let operation = chosen(&operations, operation_name.filter(|name| !name.is_empty()))?;
    let kind = match operation.operation_type() {
        None => OperationKind::Query,
        Some(kind) if kind.mutation_token().is_some() => OperationKind::Mutation,
        Some(kind) if kind.subscription_token().is_some() => OperationKind::Subscription,
        Some(_) => OperationKind::Query,
    };
    let mut reader = Reader {
        fragments,
        variables: BTreeMap::new(),
        spread: Vec::new(),
        left: MAX_SELECTIONS,
    };
    reader.bind(operation, given)?;
    let set = operation.selection_set().ok_or_else(malformed)?;
    let mut fields = Vec::new();
    reader.select(&set, 1, &mut fields)?;
    Ok(Operation {
        kind,
        name: operation.name().and_then(text_of),
        fields,
    })
}

/// What is carried through a document: its fragments, what the variables stand for, and what may still be expanded.
struct Reader {
    fragments: BTreeMap<String, cst::FragmentDefinition>,
    /// Declared variables; `None` has no value.
    variables: BTreeMap<String, Option<Json>>,
    /// The fragments being spread, outermost first.
    spread: Vec<String>,
    left: usize,
}

impl Reader {
    fn bind(
        &mut self,
        operation: &cst::OperationDefinition,
        given: &[(String, Json)],
    ) -> Result<(), Unresolved> {
        let declared = operation.variable_definitions();
        for definition in declared
            .iter()
            .flat_map(cst::VariableDefinitions::variable_definitions)
        {
            let name = definition
                .variable()
                .and_then(|variable| variable.name())
                .and_then(text_of)
                .ok_or_else(malformed)?;
            let sent = given
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| value.clone());
            let value = match (sent, definition.default_value()) {
                (Some(sent), _) => Some(sent),
                (None, Some(default)) => {
                    let default = default.value().ok_or_else(malformed)?;
                    // A default is constant, so no variable can stand in it.
                    Some(self.value(&default, 1)?.ok_or_else(malformed)?)
                }
                (None, None) => None,
            };
            if self.variables.insert(name.clone(), value).is_some() {
                return Err(Unresolved::new(format!(
                    "the GraphQL variable `{name}` is declared twice"
                )));
            }
        }
        Ok(())
    }

    fn select(
        &mut self,
        set: &cst::SelectionSet,
        depth: usize,
        into: &mut Vec<RootField>,
    ) -> Result<(), Unresolved> {
        if depth > MAX_DEPTH {
            return Err(Unresolved::new(format!(
                "the GraphQL document is nested deeper than {MAX_DEPTH}"
            )));
        }
        for selection in set.selections() {
            self.left = self.left.checked_sub(1).ok_or_else(|| {
                Unresolved::new(format!(
                    "the GraphQL document selects more than {MAX_SELECTIONS} fields"
                ))
            })?;
            match selection {
                cst::Selection::Field(field) => {
                    let field = self.field(&field, depth)?;
                    into.push(field);
                }
                cst::Selection::InlineFragment(fragment) => {
                    // A fragment nests the document, not the answer; it counts, so that recursion is bounded.
                    self.select(
                        &fragment.selection_set().ok_or_else(malformed)?,
                        depth + 1,
                        into,
                    )?;
                }
                cst::Selection::FragmentSpread(spread) => {
                    let name = spread
                        .fragment_name()
                        .and_then(|name| name.name())
                        .and_then(text_of)
                        .ok_or_else(malformed)?;
                    self.spread(&name, depth, into)?;
                }
            }
        }
        Ok(())
    }

    fn spread(
        &mut self,
        name: &str,
        depth: usize,
        into: &mut Vec<RootField>,
    ) -> Result<(), Unresolved> {
        if self.spread.iter().any(|open| open == name) {
            return Err(Unresolved::new(format!(
                "the GraphQL fragment `{name}` spreads itself"
            )));
        }
        let fragment = self.fragments.get(name).cloned();
        let fragment = fragment.ok_or_else(|| {
            Unresolved::new(format!("the GraphQL fragment `{name}` is not defined"))
        })?;
        self.spread.push(name.to_string());
        self.select(
            &fragment.selection_set().ok_or_else(malformed)?,
            depth + 1,
            into,
        )?;
        self.spread.pop();
        Ok(())
    }

    fn field(&mut self, field: &cst::Field, depth: usize) -> Result<RootField, Unresolved> {
        let name = field.name().and_then(text_of).ok_or_else(malformed)?;
        let alias = field
            .alias()
            .map(|alias| alias.name().and_then(text_of).ok_or_else(malformed))
            .transpose()?;
        let mut arguments: Vec<(String, Json)> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for argument in field.arguments().iter().flat_map(cst::Arguments::arguments) {
            let argument_name = argument.name().and_then(text_of).ok_or_else(malformed)?;
            if seen.contains(&argument_name) {
                return Err(Unresolved::new(format!(
                    "the GraphQL argument `{argument_name}` is given twice"
                )));
            }
            seen.push(argument_name.clone());
            if let Some(value) = self.value(&argument.value().ok_or_else(malformed)?, 1)? {
                arguments.push((argument_name, value));
            }
        }
        let mut selections = Vec::new();
        if let Some(set) = field.selection_set() {
            self.select(&set, depth + 1, &mut selections)?;
        }
        Ok(RootField {
            name,
            alias,
            arguments,
            selections,
        })
    }

    /// A value with its variables filled in; `None` is a variable without a value.
    fn value(&self, value: &cst::Value, depth: usize) -> Result<Option<Json>, Unresolved> {
        if depth > MAX_DEPTH {
            return Err(Unresolved::new(format!(
                "a GraphQL value is nested deeper than {MAX_DEPTH}"
            )));
        }
        Ok(Some(match value {
            cst::Value::Variable(variable) => {
                let name = variable.name().and_then(text_of).ok_or_else(malformed)?;
                let bound = self.variables.get(&name);
                let bound = bound.ok_or_else(|| {
                    Unresolved::new(format!("the GraphQL variable `{name}` is not declared"))
                })?;
                return Ok(bound.clone());
            }
            cst::Value::StringValue(text) => Json::String(String::from(text)),
            cst::Value::FloatValue(number) => Json::Number(
                number
                    .float_token()
                    .ok_or_else(malformed)?
                    .text()
                    .to_string(),
            ),
            cst::Value::IntValue(number) => {
                Json::Number(number.int_token().ok_or_else(malformed)?.text().to_string())
            }
            cst::Value::BooleanValue(truth) => Json::Bool(truth.true_token().is_some()),
            cst::Value::NullValue(_) => Json::Null,
            cst::Value::EnumValue(member) => {
                Json::String(member.name().and_then(text_of).ok_or_else(malformed)?)
            }
            cst::Value::ListValue(list) => {
                let items = list
                    .values()
                    .map(|item| Ok(self.value(&item, depth + 1)?.unwrap_or(Json::Null)));
                Json::Array(items.collect::<Result<_, Unresolved>>()?)
            }
            cst::Value::ObjectValue(object) => Json::Object(self.members(object, depth)?),
        }))
    }

    fn members(
        &self,
        object: &cst::ObjectValue,
        depth: usize,
    ) -> Result<Vec<(String, Json)>, Unresolved> {
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for member in object.object_fields() {
            let name = member.name().and_then(text_of).ok_or_else(malformed)?;
            if seen.contains(&name) {
                return Err(Unresolved::new(format!(
                    "the GraphQL input member `{name}` is given twice"
                )));
            }
            seen.push(name.clone());
            if let Some(value) = self.value(&member.value().ok_or_else(malformed)?, depth + 1)? {
                members.push((name, value));
            }
        }
        Ok(members)
    }
}

fn parse(query: &str) -> Result<cst::Document, Unresolved> {
    let ignored = |kind| {
        matches!(
            kind,
            TokenKind::Whitespace | TokenKind::Comment | TokenKind::Comma | TokenKind::Eof
        )
    };
    let mut tokens = 0;
    for token in Lexer::new(query) {
        let token = token.map_err(|_| malformed())?;
        tokens += usize::from(!ignored(token.kind()));
        if tokens > MAX_TOKENS {
            return Err(Unresolved::new(format!(
                "the GraphQL document has more than {MAX_TOKENS} tokens"
            )));
        }
    }
    let tree = Parser::new(query).recursion_limit(PARSER_DEPTH).parse();
    if tree.errors().len() > 0 {
        Err(malformed())
    } else {
        Ok(tree.document())
    }
}

type Definitions = (
    Vec<cst::OperationDefinition>,
    BTreeMap<String, cst::FragmentDefinition>,
);

fn definitions(document: &cst::Document) -> Result<Definitions, Unresolved> {
    let mut operations = Vec::new();
    let mut fragments = BTreeMap::new();
    for definition in document.definitions() {
        match definition {
            cst::Definition::OperationDefinition(operation) => operations.push(operation),
            cst::Definition::FragmentDefinition(fragment) => {
                let name = fragment
                    .fragment_name()
                    .and_then(|name| name.name())
                    .and_then(text_of)
                    .ok_or_else(malformed)?;
                if fragments.insert(name.clone(), fragment).is_some() {
                    return Err(Unresolved::new(format!(
                        "the GraphQL fragment `{name}` is defined twice"
                    )));
                }
            }
            _ => {
                return Err(Unresolved::new(
                    "expected only operations and fragments in the GraphQL document",
                ));
            }
        }
    }
    Ok((operations, fragments))
}

/// The operation that runs: the named one, or the only one.
fn chosen<'o>(
    operations: &'o [cst::OperationDefinition],
    name: Option<&str>,
) -> Result<&'o cst::OperationDefinition, Unresolved> {
    match (operations, name) {
        ([], _) => Err(Unresolved::new("the GraphQL document holds no operation")),
        ([only], None) => Ok(only),
        (_, None) => Err(Unresolved::new(
            "the GraphQL document holds several operations and `operationName` names none",
        )),
        (_, Some(name)) => {
            let named = |operation: &&cst::OperationDefinition| {
                operation.name().and_then(text_of).as_deref() == Some(name)
            };
            let mut found = operations.iter().filter(named);
            match (found.next(), found.next()) {
                (Some(only), None) => Ok(only),
                (Some(_), Some(_)) => Err(Unresolved::new(
                    "two GraphQL operations have the name in `operationName`",
                )),
                (None, _) => Err(Unresolved::new(
                    "no GraphQL operation has the name in `operationName`",
                )),
            }
        }
    }
}

fn member<'e>(envelope: &'e [(String, Json)], wanted: &str) -> Option<&'e Json> {
    envelope
        .iter()
        .find(|(name, _)| name == wanted)
        .map(|(_, value)| value)
}

/// A server that finds a stored document by one of these members does not run the document that is sent.
fn refuse_persisted(envelope: &[(String, Json)]) -> Result<(), Unresolved> {
    let given = |name: &&&str| member(envelope, name).is_some_and(|value| *value != Json::Null);
    let named = match member(envelope, "extensions") {
        None | Some(Json::Null) => PERSISTED.iter().find(given),
        Some(Json::Object(extensions))
            if extensions.iter().all(|(name, _)| name != "persistedQuery") =>
        {
            PERSISTED.iter().find(given)
        }
        Some(_) => Some(&"extensions"),
    };
    match named {
        Some(name) => Err(Unresolved::new(format!(
            "`{name}` names a persisted GraphQL query; send the document itself"
        ))),
        None => Ok(()),
    }
}

fn members_of_url(pairs: &[&(String, String)]) -> Result<Vec<(String, Json)>, Unresolved> {
    let mut members: Vec<(String, Json)> = Vec::new();
    for (name, value) in pairs {
        if members.iter().any(|(seen, _)| seen == name) {
            return Err(Unresolved::new(format!(
                "`{name}` is given twice in the query string"
            )));
        }
        let is_json = matches!(name.as_str(), "variables" | "extensions") && !value.is_empty();
        let value = if is_json {
            Json::parse(value.as_bytes())
                .map_err(|_| Unresolved::new(format!("expected JSON as `{name}`")))?
        } else if value.is_empty() {
            Json::Null
        } else {
            Json::String(value.clone())
        };
        members.push((name.clone(), value));
    }
    Ok(members)
}

fn is_member(name: &str) -> bool {
    matches!(name, "query" | "operationName" | "variables" | "extensions")
        || PERSISTED.contains(&name)
}

fn text_of(name: cst::Name) -> Option<String> {
    name.ident_token()
        .map(|token| token.text().to_string())
        .or_else(|| Some(name.syntax().first_token()?.text().to_string()))
}

fn malformed() -> Unresolved {
    Unresolved::new("the GraphQL document cannot be read")
}

/// Members by which servers take a stored document instead of the one sent.
/// SOURCE: Apollo automatic persisted queries, Relay persisted queries, GraphQL over HTTP appendix on persisted documents.
const PERSISTED: &[&str] = &[
    "docId",
    "doc_id",
    "documentId",
    "hash",
    "id",
    "persistedQuery",
    "queryId",
    "query_id",
];

/// How deep selections and values may nest.
const MAX_DEPTH: usize = 32;

/// How many tokens a document may have, ignored ones not counted.
const MAX_TOKENS: usize = 10_000;

/// How many selections a document may have once its fragments are expanded.
const MAX_SELECTIONS: usize = 10_000;

/// Above [`MAX_DEPTH`], so that our own limit speaks; low enough for the parser's recursion.
const PARSER_DEPTH: usize = 2 * MAX_DEPTH + 8;

#[cfg(test)]
mod tests;
