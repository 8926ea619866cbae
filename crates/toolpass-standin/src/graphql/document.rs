//! A GraphQL document as plain data: fragments put in place, variables and their defaults filled in, directives ignored.
//!
//! Source: the GraphQL specification, October 2021, sections 2 and 6.

use std::collections::BTreeMap;

use apollo_parser::Parser;
use apollo_parser::cst::{self, Definition};
use serde_json::{Map, Value, json};

/// The one operation to run.
pub(crate) struct Operation {
    pub(crate) mutates: bool,
    pub(crate) selections: Vec<Selection>,
}

/// A field, or the fields of a fragment.
pub(crate) enum Selection {
    Field(Field),
    Fragment {
        on: Option<String>,
        selections: Vec<Selection>,
    },
}

/// A field with its arguments' values.
pub(crate) struct Field {
    /// What it is called in the answer.
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
    /// Absent on a leaf.
    pub(crate) selections: Option<Vec<Selection>>,
}

/// Read a document. Errors: what is wrong, in words for the client.
pub(crate) fn read(
    text: &str,
    variables: &Value,
    wanted: Option<&str>,
) -> Result<Operation, String> {
    let tree = Parser::new(text)
        .recursion_limit(64)
        .token_limit(20_000)
        .parse();
    if let Some(error) = tree.errors().next() {
        return Err(format!("Parse error on {}", error.message()));
    }
    let document = tree.document();
    let mut fragments = BTreeMap::new();
    let mut operations = Vec::new();
    for definition in document.definitions() {
        match definition {
            Definition::FragmentDefinition(fragment) => {
                let name = fragment
                    .fragment_name()
                    .and_then(|name| name.name())
                    .map(|name| name.text().to_string());
                fragments.insert(name.unwrap_or_default(), fragment);
            }
            Definition::OperationDefinition(operation) => operations.push(operation),
            other => return Err(format!("{} is not executable", other.kind())),
        }
    }
    let named =
        |operation: &cst::OperationDefinition| operation.name().map(|name| name.text().to_string());
    let operation = match (wanted, operations.as_slice()) {
        (None, [one]) => one,
        (Some(wanted), all) => all
            .iter()
            .find(|one| named(one).as_deref() == Some(wanted))
            .ok_or_else(|| format!("No operation named {wanted:?}"))?,
        (None, _) => return Err("An operation name is required".to_owned()),
    };
    let kind = operation.operation_type();
    if kind
        .as_ref()
        .is_some_and(|kind| kind.subscription_token().is_some())
    {
        return Err("Subscriptions are not supported".to_owned());
    }
    let reader = Reader {
        fragments,
        variables: values(operation, variables)?,
    };
    let set = operation
        .selection_set()
        .ok_or("An operation needs selections")?;
    Ok(Operation {
        mutates: kind.is_some_and(|kind| kind.mutation_token().is_some()),
        selections: reader.selections(&set, 0)?,
    })
}

struct Reader {
    fragments: BTreeMap<String, cst::FragmentDefinition>,
    variables: Map<String, Value>,
}

impl Reader {
    fn selections(&self, set: &cst::SelectionSet, depth: usize) -> Result<Vec<Selection>, String> {
        if depth > MAX_DEPTH {
            return Err("The query is nested too deeply".to_owned());
        }
        set.selections()
            .map(|selection| self.selection(&selection, depth))
            .collect()
    }

    fn selection(&self, selection: &cst::Selection, depth: usize) -> Result<Selection, String> {
        match selection {
            cst::Selection::Field(field) => self.field(field, depth).map(Selection::Field),
            cst::Selection::FragmentSpread(spread) => {
                let name = spread
                    .fragment_name()
                    .and_then(|name| name.name())
                    .map(|name| name.text().to_string())
                    .unwrap_or_default();
                let fragment = self
                    .fragments
                    .get(&name)
                    .ok_or_else(|| format!("Fragment {name} was used, but not defined"))?;
                self.fragment(fragment.type_condition(), fragment.selection_set(), depth)
            }
            cst::Selection::InlineFragment(fragment) => {
                self.fragment(fragment.type_condition(), fragment.selection_set(), depth)
            }
        }
    }

    fn fragment(
        &self,
        on: Option<cst::TypeCondition>,
        set: Option<cst::SelectionSet>,
        depth: usize,
    ) -> Result<Selection, String> {
        let on = on
            .and_then(|on| on.named_type())
            .and_then(|named| named.name())
            .map(|name| name.text().to_string());
        let set = set.ok_or("A fragment needs selections")?;
        Ok(Selection::Fragment {
            on,
            selections: self.selections(&set, depth + 1)?,
        })
    }

    fn field(&self, field: &cst::Field, depth: usize) -> Result<Field, String> {
        let name = field
            .name()
            .ok_or("A field needs a name")?
            .text()
            .to_string();
        let key = field
            .alias()
            .and_then(|alias| alias.name())
            .map_or_else(|| name.clone(), |alias| alias.text().to_string());
        let mut arguments = Map::new();
        for argument in field.arguments().iter().flat_map(cst::Arguments::arguments) {
            let argument_name = argument
                .name()
                .ok_or("An argument needs a name")?
                .text()
                .to_string();
            let value = argument
                .value()
                .ok_or_else(|| format!("Argument {argument_name} needs a value"))?;
            arguments.insert(argument_name, self.value(&value)?);
        }
        let selections = field
            .selection_set()
            .map(|set| self.selections(&set, depth + 1))
            .transpose()?;
        Ok(Field {
            key,
            name,
            arguments,
            selections,
        })
    }

    fn value(&self, value: &cst::Value) -> Result<Value, String> {
        match value {
            cst::Value::Variable(variable) => {
                let name = variable
                    .name()
                    .ok_or("A variable needs a name")?
                    .text()
                    .to_string();
                self.variables
                    .get(&name)
                    .cloned()
                    .ok_or_else(|| format!("Variable ${name} is used but not declared"))
            }
            cst::Value::ListValue(list) => list
                .values()
                .map(|item| self.value(&item))
                .collect::<Result<_, _>>()
                .map(Value::Array),
            cst::Value::ObjectValue(object) => {
                let mut members = Map::new();
                for field in object.object_fields() {
                    let name = field
                        .name()
                        .ok_or("An input field needs a name")?
                        .text()
                        .to_string();
                    let value = field
                        .value()
                        .ok_or_else(|| format!("Input field {name} needs a value"))?;
                    members.insert(name, self.value(&value)?);
                }
                Ok(Value::Object(members))
            }
            constant => literal(constant),
        }
    }
}

/// The declared variables: given, else their default, else null.
fn values(
    operation: &cst::OperationDefinition,
    given: &Value,
) -> Result<Map<String, Value>, String> {
    let mut values = Map::new();
    for definition in operation
        .variable_definitions()
        .iter()
        .flat_map(cst::VariableDefinitions::variable_definitions)
    {
        let name = definition
            .variable()
            .and_then(|variable| variable.name())
            .ok_or("A variable needs a name")?
            .text()
            .to_string();
        let default = definition
            .default_value()
            .and_then(|default| default.value());
        let value = match (given.get(&name), default) {
            (Some(value), _) => value.clone(),
            (None, Some(default)) => literal(&default)?,
            (None, None) if matches!(definition.ty(), Some(cst::Type::NonNullType(_))) => {
                return Err(format!("Variable ${name} was provided invalid value"));
            }
            (None, None) => Value::Null,
        };
        values.insert(name, value);
    }
    Ok(values)
}

fn literal(value: &cst::Value) -> Result<Value, String> {
    match value {
        cst::Value::StringValue(text) => Ok(Value::String(String::from(text))),
        cst::Value::IntValue(number) => i32::try_from(number)
            .map(|number| json!(number))
            .map_err(|error| error.to_string()),
        cst::Value::FloatValue(number) => f64::try_from(number)
            .map(|number| json!(number))
            .map_err(|error| error.to_string()),
        cst::Value::BooleanValue(truth) => Ok(json!(truth.true_token().is_some())),
        cst::Value::NullValue(_) => Ok(Value::Null),
        cst::Value::EnumValue(name) => Ok(json!(
            name.name()
                .ok_or("An enum value needs a name")?
                .text()
                .to_string()
        )),
        cst::Value::ListValue(list) => list
            .values()
            .map(|item| literal(&item))
            .collect::<Result<_, _>>()
            .map(Value::Array),
        cst::Value::Variable(_) | cst::Value::ObjectValue(_) => {
            Err("A default value must be constant".to_owned())
        }
    }
}

const MAX_DEPTH: usize = 32;
