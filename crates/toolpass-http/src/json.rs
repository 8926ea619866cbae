//! Upstream JSON, read strictly: what two parsers could understand differently is refused.
//!
//! Separate because every fact of a decision comes through here. The first value is read and what follows it ignored; a
//! repeated member at any depth, a nesting above 64 and anything outside the grammar are errors; numbers keep their text.
//! [`Json`] then reads a member in three clear ways: absent or null is `None`, the right type is a value, a wrong type is
//! an error.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::error::Error;

/// A JSON value and where it stands in the answer.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a> {
    value: &'a Value,
    name: &'a str,
}

/// Read the first JSON value of `body`.
/// Limits: nesting at most 64.
/// Errors: `upstream_error` for an empty body, bad JSON, a repeated member, deeper nesting. The body is never quoted.
pub fn parse(body: &[u8]) -> Result<Value, Error> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err(Error::malformed("the answer is empty, expected JSON"));
    }
    let text = std::str::from_utf8(body)
        .map_err(|_| Error::malformed("the answer is not UTF-8, expected JSON"))?;
    if forges_a_number(text) {
        return Err(Error::malformed(
            "the answer holds a member with a reserved name",
        ));
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Strict { depth: 0 }
        .deserialize(&mut deserializer)
        .map_err(|error| {
            let at = format!("line {}, column {}", error.line(), error.column());
            Error::malformed(match Fault::of(&error) {
                Some(fault) => format!("the answer's JSON {} ({at})", fault.as_str()),
                None => format!("the answer is not JSON ({at})"),
            })
        })
}

impl<'a> Json<'a> {
    /// Look at a whole answer.
    pub fn new(value: &'a Value) -> Json<'a> {
        Json { value, name: "" }
    }

    /// The member `name`: `None` when absent or null.
    /// Errors: this is no object.
    pub fn member(&self, name: &'a str) -> Result<Option<Json<'a>>, Error> {
        let members = self
            .value
            .as_object()
            .ok_or_else(|| self.wrong("an object"))?;
        Ok(members
            .get(name)
            .filter(|value| !value.is_null())
            .map(|value| Json { value, name }))
    }

    /// The member `name`.
    /// Errors: this is no object, or the member is absent or null.
    pub fn required(&self, name: &'a str) -> Result<Json<'a>, Error> {
        self.member(name)?
            .ok_or_else(|| Error::malformed(format!("the answer's {} is missing", shown(name))))
    }

    /// The value as text.
    pub fn string(&self) -> Result<&'a str, Error> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }

    /// The value as a boolean.
    pub fn bool(&self) -> Result<bool, Error> {
        self.value
            .as_bool()
            .ok_or_else(|| self.wrong("true or false"))
    }

    /// The value as a whole number that is not negative. `1.0` and `"1"` are none.
    pub fn uint(&self) -> Result<u64, Error> {
        self.value
            .as_u64()
            .ok_or_else(|| self.wrong("a whole number"))
    }

    /// The value as a whole number.
    pub fn int(&self) -> Result<i64, Error> {
        self.value
            .as_i64()
            .ok_or_else(|| self.wrong("a whole number"))
    }

    /// The elements of an array.
    pub fn array(&self) -> Result<impl ExactSizeIterator<Item = Json<'a>> + use<'a>, Error> {
        let name = self.name;
        let elements = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        Ok(elements.iter().map(move |value| Json { value, name }))
    }

    /// The members of an object, by name.
    pub fn members(&self) -> Result<impl Iterator<Item = (&'a str, Json<'a>)> + use<'a>, Error> {
        let members = self
            .value
            .as_object()
            .ok_or_else(|| self.wrong("an object"))?;
        Ok(members
            .iter()
            .map(|(name, value)| (name.as_str(), Json { value, name })))
    }

    /// Whether it is null; elements of arrays may be.
    pub fn is_null(&self) -> bool {
        self.value.is_null()
    }

    /// The value itself.
    pub fn value(&self) -> &'a Value {
        self.value
    }

    fn wrong(&self, expected: &str) -> Error {
        let found = match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        Error::malformed(format!(
            "the answer's {} is {found}, expected {expected}",
            shown(self.name)
        ))
    }
}

fn shown(name: &str) -> String {
    if name.is_empty() {
        "top level".into()
    } else {
        format!("member {}", toolpass_core::quoted::Quoted::new(name))
    }
}

/// Whether an object of the text has the member name under which serde_json hands numbers to a visitor. The name
/// cannot be told from a real number there unless it came escaped, so an object that spells it out is refused here.
fn forges_a_number(text: &str) -> bool {
    text.match_indices(NUMBER_MEMBER_QUOTED).any(|(at, name)| {
        let after = text.get(at + name.len()..).unwrap_or_default();
        after.trim_start().starts_with(':')
    })
}

/// Our own reasons to refuse well-formed JSON, as they travel through serde_json's error text.
#[derive(Clone, Copy)]
enum Fault {
    Deep,
    Repeated,
}

impl Fault {
    fn as_str(self) -> &'static str {
        match self {
            Fault::Deep => "is nested deeper than 64",
            Fault::Repeated => "repeats a member",
        }
    }

    fn of(error: &serde_json::Error) -> Option<Fault> {
        let text = error.to_string();
        [Fault::Deep, Fault::Repeated]
            .into_iter()
            .find(|fault| text.starts_with(fault.as_str()))
    }
}

/// Builds a value, refusing repeats and depth. INVARIANT: no member is ever overwritten.
#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
}

impl Strict {
    fn deeper<E: serde::de::Error>(self) -> Result<Strict, E> {
        if self.depth >= MAX_DEPTH {
            Err(E::custom(Fault::Deep.as_str()))
        } else {
            Ok(Strict {
                depth: self.depth + 1,
            })
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut list = Vec::new();
        while let Some(value) = elements.next_element_seed(inner)? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        let Some(first) = members.next_key_seed(Name)? else {
            self.deeper::<A::Error>()?;
            return Ok(Value::Object(map));
        };
        if first == MemberName::Number {
            let text: String = members.next_value()?;
            let number: Number = text.parse().map_err(serde::de::Error::custom)?;
            return Ok(Value::Number(number));
        }
        let inner = self.deeper()?;
        let mut next = Some(first);
        while let Some(name) = next {
            let name = name.into_text();
            let value = members.next_value_seed(inner)?;
            if map.contains_key(&name) {
                return Err(serde::de::Error::custom(Fault::Repeated.as_str()));
            }
            map.insert(name, value);
            next = members.next_key_seed(Name)?;
        }
        Ok(Value::Object(map))
    }
}

/// Reads a member's name and tells serde_json's number marker from a name of the answer.
struct Name;

#[derive(PartialEq, Eq)]
enum MemberName {
    Number,
    Text(String),
}

impl MemberName {
    fn into_text(self) -> String {
        match self {
            MemberName::Number => NUMBER_MEMBER.into(),
            MemberName::Text(text) => text,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Name {
    type Value = MemberName;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<MemberName, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = MemberName;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member's name")
    }

    // The marker is borrowed; so is a name without escapes, but one that reads like the marker was refused beforehand.
    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<MemberName, E> {
        Ok(if name == NUMBER_MEMBER {
            MemberName::Number
        } else {
            MemberName::Text(name.into())
        })
    }

    // A name with escapes comes by copy, so it is never the marker.
    fn visit_str<E>(self, name: &str) -> Result<MemberName, E> {
        Ok(MemberName::Text(name.into()))
    }
}

const MAX_DEPTH: usize = 64;
const NUMBER_MEMBER: &str = "$serde_json::private::Number";
const NUMBER_MEMBER_QUOTED: &str = "\"$serde_json::private::Number\"";

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let found = parse(text.as_bytes())
            .map(|value| value.to_string())
            .map_err(|error| error.to_string());
        match (&found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{text}: {found}"),
            _ => panic!("{text}: {found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn first_value_only_and_nothing_twice() {
        check(
            r#" {"a":1,"b":[true,null,"x"]} trailing"#,
            Ok(r#"{"a":1,"b":[true,null,"x"]}"#),
        );
        check("12345678901234567890123 ", Ok("12345678901234567890123"));
        check("1.50", Ok("1.50"));
        check("-0", Ok("-0"));
        check("\"x\"", Ok("\"x\""));
        check("{}", Ok("{}"));
        check("", Err("empty"));
        check(" \n", Err("empty"));
        check("NaN", Err("not JSON"));
        check("Infinity", Err("not JSON"));
        check("[1,]", Err("not JSON"));
        check("{\"a\":1", Err("not JSON"));
        check(r#"{"a":1,"a":1}"#, Err("repeats a member"));
        check(r#"[{"x":{"a":1,"\u0061":2}}]"#, Err("repeats a member"));
        check("<html>", Err("not JSON"));
        assert!(parse(b"\"\xff\"").is_err());
    }

    #[test]
    fn nesting_ends_at_64() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(parse(nested(64).as_bytes()).is_ok());
        check(&nested(65), Err("nested deeper than 64"));
        check(
            &format!("{}{{}}{}", "[".repeat(64), "]".repeat(64)),
            Err("nested deeper than 64"),
        );
        check(&"[".repeat(100_000), Err("nested deeper than 64"));
    }

    #[test]
    fn an_object_cannot_pass_for_a_number() {
        check(r#"{"$serde_json::private::Number":"1"}"#, Err("reserved"));
        check(
            "{\"$serde_json::private::Number\" \n : \"1\"}",
            Err("reserved"),
        );
        let escaped = r#"{"\u0024serde_json::private::Number":"1"}"#;
        assert!(parse(escaped.as_bytes()).unwrap().is_object());
        check(
            r#"["$serde_json::private::Number"]"#,
            Ok(r#"["$serde_json::private::Number"]"#),
        );
    }

    #[test]
    fn absent_null_and_wrong_type_are_three_things() {
        let value = parse(br#"{"login":"dana","id":7,"neg":-1,"float":1.0,"big":99999999999999999999,"none":null,"ok":true,"list":[1,"x"]}"#).unwrap();
        let json = Json::new(&value);
        assert_eq!(json.required("login").unwrap().string().unwrap(), "dana");
        assert_eq!(json.required("id").unwrap().uint().unwrap(), 7);
        assert_eq!(json.required("neg").unwrap().int().unwrap(), -1);
        assert!(json.required("ok").unwrap().bool().unwrap());
        assert!(json.member("none").unwrap().is_none());
        assert!(json.member("absent").unwrap().is_none());
        assert!(json.member("Login").unwrap().is_none());
        for (name, read) in [
            ("neg", "uint"),
            ("float", "uint"),
            ("big", "uint"),
            ("login", "uint"),
            ("list", "uint"),
        ] {
            assert!(
                json.required(name).unwrap().uint().is_err(),
                "{name} {read}"
            );
        }
        assert_eq!(json.required("list").unwrap().array().unwrap().len(), 2);
        let error = json.required("id").unwrap().string().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the answer's member \"id\" is a number, expected a string"
        );
        let error = json.required("absent").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the answer's member \"absent\" is missing"
        );
        let error = json.required("id").unwrap().member("x").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the answer's member \"id\" is a number, expected an object"
        );
    }

    proptest::proptest! {
        #[test]
        fn never_panics_and_agrees_with_serde(text in r#"[\[\]{}:,"a0-9tru.eE \\-]{0,40}"#) {
            let ours = parse(text.as_bytes());
            let theirs = <Value as serde::Deserialize>::deserialize(&mut serde_json::Deserializer::from_str(&text));
            if let Ok(value) = ours {
                proptest::prop_assert_eq!(theirs.unwrap(), value);
            }
        }
    }
}
