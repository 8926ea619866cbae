//! The walk: from an operation to data and errors.
//!
//! An object is a JSON object with a `__typename`; another object in it is `{"__ref": ID}` and loaded when it is selected.
//! `{"__leaf": VALUE}` is one value, whatever it is made of.
//! Source: the GraphQL specification, October 2021, section 6.

use serde_json::{Map, Value, json};

use super::document::{Field, Operation, Selection};

/// The objects and the mutations of a system, as one caller sees them.
pub(crate) trait Schema {
    /// Run a mutation; `None` when it is only echoed.
    fn mutation(&mut self, field: &Field) -> Option<Result<Value, FieldError>>;

    /// A field that takes arguments or asks for a permission; `None` when the object itself has it, or nobody.
    fn computed(
        &mut self,
        object: &Value,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Option<Result<Value, FieldError>>;

    /// An object by its id; `None` when there is none the caller may see.
    fn load(&mut self, id: &str) -> Option<Value>;

    /// Whether a type has an interface or belongs to a union of this name.
    fn implements(&self, type_name: &str, interface: &str) -> bool;

    /// Write the kind of an error as the system does.
    fn mark(&self, kind: &str, error: &mut Value);
}

/// A field that could not be answered: the system's error type and message.
pub(crate) struct FieldError {
    /// Absent where the system gives none.
    pub(crate) kind: Option<&'static str>,
    pub(crate) message: String,
    /// Whether the whole answer has no data.
    pub(crate) fatal: bool,
}

impl FieldError {
    pub(crate) fn of(kind: &'static str, message: String) -> FieldError {
        FieldError {
            kind: Some(kind),
            message,
            fatal: false,
        }
    }
}

/// Run an operation: the body of the answer.
pub(crate) fn answer(schema: &mut dyn Schema, operation: &Operation) -> Value {
    let mut walk = Walk {
        schema,
        errors: Vec::new(),
        fatal: false,
    };
    let data = walk.operation(operation);
    let mut body = Map::new();
    if !walk.fatal {
        body.insert("data".to_owned(), data);
    }
    if !walk.errors.is_empty() {
        body.insert("errors".to_owned(), Value::Array(walk.errors));
    }
    Value::Object(body)
}

struct Walk<'s> {
    schema: &'s mut dyn Schema,
    errors: Vec<Value>,
    /// Whether an error was found that a system finds before it runs anything.
    fatal: bool,
}

impl Walk<'_> {
    fn operation(&mut self, operation: &Operation) -> Value {
        let mut data = Map::new();
        if operation.mutates {
            self.mutations(&operation.selections, &mut data);
        } else {
            self.object(
                &json!({"__typename": "Query"}),
                &operation.selections,
                &mut Vec::new(),
                &mut data,
            );
        }
        Value::Object(data)
    }

    fn mutations(&mut self, selections: &[Selection], data: &mut Map<String, Value>) {
        for selection in selections {
            match selection {
                Selection::Fragment { selections, .. } => self.mutations(selections, data),
                Selection::Field(field) => {
                    let mut path = vec![json!(field.key)];
                    let value = match self.schema.mutation(field) {
                        None => echo(field, &given(field)),
                        Some(Ok(payload)) => self.value(payload, field, &mut path),
                        Some(Err(error)) => self.refuse(&error, &path),
                    };
                    data.insert(field.key.clone(), value);
                }
            }
        }
    }

    fn object(
        &mut self,
        object: &Value,
        selections: &[Selection],
        path: &mut Vec<Value>,
        into: &mut Map<String, Value>,
    ) {
        let type_name = object
            .get("__typename")
            .and_then(Value::as_str)
            .unwrap_or_default();
        for selection in selections {
            match selection {
                Selection::Fragment { on, selections } => {
                    if on
                        .as_deref()
                        .is_none_or(|on| on == type_name || self.schema.implements(type_name, on))
                    {
                        self.object(object, selections, path, into);
                    }
                }
                Selection::Field(field) => {
                    path.push(json!(field.key));
                    let value = self.field(object, type_name, field, path);
                    path.pop();
                    into.insert(field.key.clone(), value);
                }
            }
        }
    }

    fn field(
        &mut self,
        object: &Value,
        type_name: &str,
        field: &Field,
        path: &mut Vec<Value>,
    ) -> Value {
        match self.schema.computed(object, &field.name, &field.arguments) {
            Some(Ok(value)) => self.value(value, field, path),
            Some(Err(error)) => self.refuse(&error, path),
            None => match object.get(&field.name) {
                Some(value) => self.value(value.clone(), field, path),
                None => {
                    let text =
                        format!("Field '{}' doesn't exist on type '{type_name}'", field.name);
                    self.errors.push(json!({
                        "path": path, "message": text, "locations": [],
                        "extensions": {"code": "undefinedField", "typeName": type_name, "fieldName": field.name},
                    }));
                    self.fatal = true;
                    Value::Null
                }
            },
        }
    }

    fn value(&mut self, value: Value, field: &Field, path: &mut Vec<Value>) -> Value {
        match value {
            Value::Array(items) => {
                let mut answers = Vec::new();
                for (index, item) in items.into_iter().enumerate() {
                    path.push(json!(index));
                    answers.push(self.value(item, field, path));
                    path.pop();
                }
                Value::Array(answers)
            }
            Value::Object(mut members) if members.contains_key("__leaf") => {
                members.remove("__leaf").unwrap_or_default()
            }
            Value::Object(_) => {
                let object = match value.get("__ref").and_then(Value::as_str) {
                    Some(id) => self.schema.load(id).unwrap_or(Value::Null),
                    None => value,
                };
                if object.is_null() {
                    return Value::Null;
                }
                let Some(selections) = &field.selections else {
                    let text = format!(
                        "Field must have selections (field '{}' returns an object but has no selections)",
                        field.name
                    );
                    self.errors.push(json!({"path": path, "message": text, "extensions": {"code": "selectionMismatch"}}));
                    self.fatal = true;
                    return Value::Null;
                };
                let mut members = Map::new();
                self.object(&object, selections, path, &mut members);
                Value::Object(members)
            }
            leaf => leaf,
        }
    }

    fn refuse(&mut self, error: &FieldError, path: &[Value]) -> Value {
        let mut body = json!({"path": path, "locations": [], "message": error.message});
        if let Some(kind) = error.kind {
            self.schema.mark(kind, &mut body);
        }
        self.fatal |= error.fatal;
        self.errors.push(body);
        Value::Null
    }
}

/// What an echo answers from: the input, or the arguments of a mutation without one.
fn given(field: &Field) -> Value {
    match field.arguments.get("input") {
        Some(input) => input.clone(),
        None => Value::Object(field.arguments.clone()),
    }
}

/// The answer to a mutation that does nothing: members of the input by name and null for the rest, so any mutation that is let
/// through succeeds and is seen.
pub(crate) fn echo(field: &Field, input: &Value) -> Value {
    let mut members = Map::new();
    for selection in field.selections.iter().flatten() {
        echo_selection(selection, input, &mut members);
    }
    Value::Object(members)
}

fn echo_selection(selection: &Selection, input: &Value, members: &mut Map<String, Value>) {
    match selection {
        Selection::Field(field) => {
            let given = input.get(&field.name).cloned().unwrap_or(Value::Null);
            let value = if field.selections.is_some() {
                echo(field, &given)
            } else {
                given
            };
            members.insert(field.key.clone(), value);
        }
        Selection::Fragment { selections, .. } => selections
            .iter()
            .for_each(|one| echo_selection(one, input, members)),
    }
}
