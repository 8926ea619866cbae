//! The members of an input object, or the arguments of a field, as a vendor's table asks for them.
//!
//! Separate from the reader of documents because it is what a vendor's schema makes of the values: which names there are and of
//! which type. A null says nothing, so it reads as absent; a value of another type is [`Unresolved`], never absent.

use super::RootField;
use crate::field::Unresolved;
use crate::json::Json;

/// Named values: an input object or the arguments of a field.
#[derive(Clone, Copy, Debug)]
pub struct Input<'f>(&'f [(String, Json)]);

impl<'f> Input<'f> {
    /// The one argument `input` of a mutation.
    /// Errors: [`Unresolved`] when there is none, or another argument beside it.
    pub fn only(root: &'f RootField) -> Result<Input<'f>, Unresolved> {
        match root.arguments.as_slice() {
            [(name, Json::Object(members))] if name == "input" => Ok(Input(members)),
            _ => Err(Unresolved::new(format!(
                "expected one object `input` as the argument of `{}`",
                root.name
            ))),
        }
    }

    /// The arguments of a field.
    pub fn arguments(field: &'f RootField) -> Input<'f> {
        Input(&field.arguments)
    }

    /// The members of an object.
    pub fn members(members: &'f [(String, Json)]) -> Input<'f> {
        Input(members)
    }

    /// The object a member is; nothing of one that is absent.
    /// Errors: [`Unresolved`] for a value of another type.
    pub fn object(&self, name: &str) -> Result<Input<'f>, Unresolved> {
        match self.member(name) {
            None => Ok(Input(&[])),
            Some(Json::Object(members)) => Ok(Input(members)),
            Some(_) => Err(Unresolved::new(format!("expected an object as `{name}`"))),
        }
    }

    /// The objects of a member that is a list; none of one that is absent.
    /// Errors: [`Unresolved`] for a value of another type.
    pub fn objects(&self, name: &str) -> Result<Vec<Input<'f>>, Unresolved> {
        let expected = || Unresolved::new(format!("expected a list of objects as `{name}`"));
        let one = |item: &'f Json| item.as_object().map(Input);
        match self.member(name) {
            None => Ok(Vec::new()),
            Some(Json::Array(items)) => items
                .iter()
                .map(one)
                .collect::<Option<_>>()
                .ok_or_else(expected),
            // A list of one may be written without its brackets.
            Some(item) => one(item).map(|item| vec![item]).ok_or_else(expected),
        }
    }

    /// A text that must be there.
    /// Errors: [`Unresolved`] when it is absent or of another type.
    pub fn text(&self, name: &str) -> Result<&'f str, Unresolved> {
        self.maybe_text(name)?
            .ok_or_else(|| Unresolved::new(format!("the input does not give `{name}`")))
    }

    /// A text that may be absent.
    /// Errors: [`Unresolved`] for a value of another type.
    pub fn maybe_text(&self, name: &str) -> Result<Option<&'f str>, Unresolved> {
        match self.member(name) {
            None => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(_) => Err(Unresolved::new(format!("expected a text as `{name}`"))),
        }
    }

    /// The texts of a list; none of one that is absent.
    /// Errors: [`Unresolved`] for a value of another type.
    pub fn texts(&self, name: &str) -> Result<Vec<&'f str>, Unresolved> {
        let expected = || Unresolved::new(format!("expected a list of texts as `{name}`"));
        match self.member(name) {
            None => Ok(Vec::new()),
            Some(Json::Array(items)) => items
                .iter()
                .map(Json::as_str)
                .collect::<Option<_>>()
                .ok_or_else(expected),
            // A list of one may be written without its brackets.
            Some(Json::String(text)) => Ok(vec![text]),
            Some(_) => Err(expected()),
        }
    }

    /// A switch: off when absent.
    /// Errors: [`Unresolved`] for a value of another type.
    pub fn flag(&self, name: &str) -> Result<bool, Unresolved> {
        match self.member(name) {
            None => Ok(false),
            Some(Json::Bool(set)) => Ok(*set),
            Some(_) => Err(Unresolved::new(format!(
                "expected true or false as `{name}`"
            ))),
        }
    }

    /// A member that says something.
    pub fn member(&self, name: &str) -> Option<&'f Json> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
            .filter(|value| **value != Json::Null)
    }

    /// Whether a member says something.
    pub fn says(&self, name: &str) -> bool {
        self.member(name)
            .is_some_and(|value| value.as_str() != Some(""))
    }

    /// Whether a member is there, be it null: a null may take something away.
    pub fn names(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// The names of the members.
    pub fn all_names(&self) -> impl Iterator<Item = &'f str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Whether there is no other member than these and the client's own mark.
    pub fn has_only(&self, allowed: &[&str]) -> bool {
        self.all_names()
            .all(|name| name == "clientMutationId" || allowed.contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphql::read;

    fn root(query: &str) -> RootField {
        read(query, None, &Json::Null)
            .unwrap()
            .fields
            .into_iter()
            .next()
            .unwrap()
    }

    #[test]
    fn a_value_of_another_type_is_never_absent() {
        let root = root(
            "mutation { m(input: {a: 1, b: [\"x\", 2], c: null, d: \"t\", e: {f: \"g\"}, h: true}) }",
        );
        let input = Input::only(&root).unwrap();
        assert!(input.maybe_text("a").is_err() && input.text("a").is_err());
        assert!(input.texts("b").is_err() && input.objects("b").is_err());
        assert!(input.flag("d").is_err() && input.object("d").is_err());
        assert_eq!(input.maybe_text("c").unwrap(), None);
        assert!(input.text("c").is_err() && input.text("none").is_err());
        assert_eq!(input.text("d").unwrap(), "t");
        assert_eq!(input.object("e").unwrap().text("f").unwrap(), "g");
        assert!(input.flag("h").unwrap() && !input.flag("none").unwrap());
        assert!(input.names("c") && !input.says("c") && !input.names("none"));
    }

    #[test]
    fn a_list_of_one_may_stand_without_brackets() {
        let root = root("mutation { m(ids: \"a\", issues: {teamId: \"t\"}) }");
        let arguments = Input::arguments(&root);
        assert_eq!(arguments.texts("ids").unwrap(), ["a"]);
        let issues = arguments.objects("issues").unwrap();
        assert_eq!(issues.len(), 1);
        assert_eq!(issues[0].text("teamId").unwrap(), "t");
        assert!(arguments.texts("none").unwrap().is_empty());
    }

    #[test]
    fn another_argument_beside_the_input_is_refused() {
        assert!(Input::only(&root("mutation { m(input: {a: 1}, id: \"x\") }")).is_err());
        assert!(Input::only(&root("mutation { m }")).is_err());
        let root = root("mutation { m(input: {a: 1, clientMutationId: \"x\"}) }");
        let input = Input::only(&root).unwrap();
        assert!(input.has_only(&["a"]) && !input.has_only(&["b"]));
    }
}
