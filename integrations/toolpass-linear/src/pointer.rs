//! What a request names only by an id, and the issue, project, team or pipeline that it belongs to. Pure.
//!
//! Ids are never decoded or trusted: they are looked up with our own credential, and what is found must have the id. Things move
//! between parents, so an answer is good for a minute.
//! Source: Linear's GraphQL schema of 2026-07-22.

use toolpass_core::question::Pointer;
use toolpass_core::resource::Resource;
use toolpass_integration::answers::{Answer, Answers};
use toolpass_integration::failure::Failure;

use crate::resource::{Kind, Name};
use crate::rules::known::{Known, Stop};
use crate::upstream::read::Read;
use crate::upstream::records::Parent;

/// The part of a pointer that says what is wanted: `issue`, `project`, `team` or `pipeline`.
pub const WANT: &str = "want";

/// The resource a pointer leads to; `None` when it leads nowhere.
/// Errors: `unsupported` for a kind or a wish that is not known.
pub fn target(pointer: &Pointer, answers: &Answers<Read>) -> Result<Option<Resource>, Stop> {
    let want = pointer.parts.get(WANT).map(String::as_str);
    let (Some(kind), Some(want)) = (Kind::parse(&pointer.kind), want) else {
        return Err(Stop::unsupported(
            "the request names something by an id of a kind that is not looked up",
        ));
    };
    let Some(name) = Name::thing(&pointer.value) else {
        return Ok(None);
    };
    let read = Read::Thing(kind, name.clone());
    if matches!(answers.get(read)?, Answer::Missing { .. }) {
        return Ok(None);
    }
    let thing = Known::new(answers).thing(kind, &name)?;
    let mut wanted = thing
        .parents
        .iter()
        .filter_map(|parent| match (want, parent) {
            ("issue", Parent::Issue(id))
            | ("pipeline", Parent::Pipeline(id))
            | ("project", Parent::Project(id))
            | ("team", Parent::Team(id)) => Some(id),
            (_, _) => None,
        });
    match (wanted.next().and_then(|id| Name::id(id)), wanted.next()) {
        (Some(id), None) => Resource::parse(&format!("{want}:{id}"))
            .map(Some)
            .map_err(|error| Stop::Failed(Failure::invalid(error.to_string()))),
        (_, _) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const ID: &str = "9cfb482a-81e3-4154-b5b9-2c805e70a02d";
    const OTHER: &str = "00000000-81e3-4154-b5b9-2c805e70a02d";

    fn leads(kind: Kind, want: &str, answer: Answer) -> Result<Option<String>, ()> {
        let pointer = Pointer {
            kind: kind.name().into(),
            value: ID.into(),
            parts: [(WANT.to_owned(), want.to_owned())].into(),
        };
        let mut answers = Answers::default();
        answers.insert(Read::Thing(kind, Name::id(ID).unwrap()), answer);
        target(&pointer, &answers)
            .map(|found| found.map(|resource| resource.to_string()))
            .map_err(drop)
    }

    fn body(value: Value) -> Answer {
        Answer::Body(value)
    }

    #[test]
    fn ids_lead_to_what_they_belong_to() {
        let attachment = || body(json!({"id": ID, "issue": {"id": OTHER}}));
        assert_eq!(
            leads(Kind::Attachment, "issue", attachment()),
            Ok(Some(format!("issue:{OTHER}")))
        );
        assert_eq!(leads(Kind::Attachment, "team", attachment()), Ok(None));
        assert_eq!(
            leads(
                Kind::ReleaseIssue,
                "pipeline",
                body(
                    json!({"id": ID, "issue": {"id": ID}, "release": {"pipeline": {"id": OTHER}}})
                )
            ),
            Ok(Some(format!("pipeline:{OTHER}")))
        );
        let missing = Answer::Missing {
            message: String::new(),
        };
        assert_eq!(leads(Kind::Cycle, "team", missing), Ok(None));
        // A record of something else, or without an id, leads nowhere at all.
        for bad in [
            json!({"id": OTHER, "team": {"id": OTHER}}),
            json!({"team": {"id": OTHER}}),
        ] {
            assert_eq!(leads(Kind::Cycle, "team", body(bad)), Err(()));
        }
        let odd = body(json!({"id": ID, "team": {"id": "../x"}}));
        assert_eq!(leads(Kind::Cycle, "team", odd), Ok(None));
    }
}
