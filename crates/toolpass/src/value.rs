//! JSON as the guard looks at it: arguments as they are compared, results as they are recorded.
//!
//! Separate because the guard knows no language's values; it looks at them through its trait `Value`.

use serde_json::Value as Json;
use toolpass_guard::budget::{Budget, TooLarge};
use toolpass_guard::scope::{AskText, Host, PredicateId, Verdict};
use toolpass_guard::value::{ClassId, Value, View};

/// A value in JSON, or the name of a member.
#[derive(Clone, Copy)]
pub(crate) enum Given<'j> {
    Name(&'j str),
    Value(&'j Json),
}

/// An application without callables: nothing validates, and no predicate holds.
pub(crate) struct NoCallables;

impl Value for Given<'_> {
    fn view(&self) -> View<'_, Self> {
        match self {
            Given::Name(name) => View::Text((*name).into()),
            Given::Value(Json::Null) => View::None,
            Given::Value(Json::Bool(truth)) => View::Bool(*truth),
            Given::Value(Json::Number(number)) => number_of(number),
            Given::Value(Json::String(text)) => View::Text(text.as_str().into()),
            Given::Value(Json::Array(items)) => {
                View::List(items.iter().map(Given::Value).collect())
            }
            Given::Value(Json::Object(members)) => View::Mapping(
                members
                    .iter()
                    .map(|(name, value)| (Given::Name(name), Given::Value(value)))
                    .collect(),
            ),
        }
    }

    fn type_name(&self) -> String {
        match self {
            Given::Name(_) | Given::Value(Json::String(_)) => "string",
            Given::Value(Json::Null) => "null",
            Given::Value(Json::Bool(_)) => "boolean",
            Given::Value(Json::Number(_)) => "number",
            Given::Value(Json::Array(_)) => "array",
            Given::Value(Json::Object(_)) => "object",
        }
        .into()
    }

    fn is_instance(&self, _: ClassId) -> bool {
        false
    }

    fn is_member(&self, _: ClassId) -> bool {
        false
    }

    fn shown(&self, max_chars: usize) -> String {
        let text = match self {
            Given::Name(name) => (*name).to_owned(),
            Given::Value(value) => value.to_string(),
        };
        text.chars().take(max_chars).collect()
    }

    fn texts(&self, budget: &mut Budget, found: &mut Vec<String>) -> Result<(), TooLarge> {
        match self.view() {
            View::Text(text) => {
                budget.take(text.len())?;
                found.push(text.into_owned());
                Ok(())
            }
            View::List(items) => {
                budget.take(0)?;
                items.iter().try_for_each(|item| item.texts(budget, found))
            }
            View::Mapping(members) => {
                budget.take(0)?;
                members.iter().try_for_each(|(name, value)| {
                    name.texts(budget, found)?;
                    value.texts(budget, found)
                })
            }
            View::Bool(_)
            | View::Bytes(_)
            | View::Float(_)
            | View::FrozenSet(_)
            | View::Int(_)
            | View::None
            | View::Other
            | View::Set(_)
            | View::Tuple(_) => budget.take(0),
        }
    }
}

impl Host<Given<'_>> for NoCallables {
    fn validate(&mut self, _: usize, _: &Given<'_>) -> Verdict {
        Verdict::Reject(None)
    }

    fn holds(&mut self, _: PredicateId, _: &Given<'_>) -> bool {
        false
    }
}

impl AskText for NoCallables {
    fn holds_text(&self, _: PredicateId, _: &str) -> bool {
        false
    }
}

/// The texts of a value by record: what stands together in one object. A list in an object belongs to it; an object in a list
/// is a record of its own.
/// Errors: [`TooLarge`].
pub(crate) fn records(value: &Json) -> Result<Vec<Vec<String>>, TooLarge> {
    let mut budget = Budget::of_result();
    let mut records = Vec::new();
    gather(value, None, &mut budget, &mut records)?;
    Ok(records)
}

fn gather(
    value: &Json,
    record: Option<usize>,
    budget: &mut Budget,
    records: &mut Vec<Vec<String>>,
) -> Result<(), TooLarge> {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => budget.take(0),
        Json::String(text) => {
            budget.take(text.len())?;
            let place = record.unwrap_or_else(|| begun(records));
            if let Some(texts) = records.get_mut(place) {
                texts.push(text.clone());
            }
            Ok(())
        }
        Json::Array(items) => {
            budget.take(0)?;
            items.iter().try_for_each(|item| {
                let own = record.filter(|_| !item.is_object());
                gather(item, own, budget, records)
            })
        }
        Json::Object(members) => {
            budget.take(0)?;
            let place = record.unwrap_or_else(|| begun(records));
            members
                .values()
                .try_for_each(|member| gather(member, Some(place), budget, records))
        }
    }
}

fn begun(records: &mut Vec<Vec<String>>) -> usize {
    records.push(Vec::new());
    records.len() - 1
}

fn number_of<'v, V>(number: &serde_json::Number) -> View<'v, V> {
    let text = number.to_string();
    let is_whole = text
        .strip_prefix('-')
        .unwrap_or(&text)
        .bytes()
        .all(|byte| byte.is_ascii_digit());
    if is_whole {
        return View::Int(text.into());
    }
    number.as_f64().map_or(View::Other, View::Float)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_text_is_found_names_included() {
        let value = json!({"a": ["x", {"b": "y"}], "c": 1});
        let mut found = Vec::new();
        let taken = Given::Value(&value).texts(&mut Budget::of_result(), &mut found);
        assert_eq!(taken, Ok(()));
        assert_eq!(found, ["a", "x", "b", "y", "c"]);
    }

    #[test]
    fn an_object_in_a_list_is_a_record_of_its_own() {
        let value = json!({"title": "t", "tags": ["u"], "comments": [{"by": "v"}, {"by": "w"}]});
        let records = records(&value);
        assert_eq!(
            records.map(|mut records| {
                records.iter_mut().for_each(|texts| texts.sort());
                records
            }),
            Ok(vec![
                vec!["t".to_owned(), "u".to_owned()],
                vec!["v".to_owned()],
                vec!["w".to_owned()]
            ])
        );
    }

    #[test]
    fn numbers_are_whole_or_not() {
        for (text, is_whole) in [("1", true), ("-7", true), ("1.5", false), ("1e3", false)] {
            let number: serde_json::Number = text.parse().unwrap();
            let view: View<'_, Given<'_>> = number_of(&number);
            assert_eq!(matches!(view, View::Int(_)), is_whole, "{text}");
        }
    }
}
