//! What a request names only by an id, and the resource that is. Pure.
//!
//! A component or a version leads to its project, a service desk to its project, a comment to the issue it is on. All go by ids, so an answer
//! stays true as long as the thing is there.
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Get component", "Get version", "Get comments by IDs";
//! /cloud/jira/service-desk/rest "Get service desk by id"; read 2026-12-01.

use toolpass_core::question::Pointer;
use toolpass_core::resource::Resource;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_integration::answers::{Answers, Found};
use toolpass_integration::failure::Failure;

use crate::resource::number;
use crate::rules::known::Stop;
use crate::upstream::read::Read;
use crate::upstream::records::work;

/// A comment, by its id alone.
pub const COMMENT: &str = "comment_id";
/// A component.
pub const COMPONENT: &str = "component_id";
/// A service desk.
pub const SERVICE_DESK: &str = "service_desk_id";
/// A version.
pub const VERSION: &str = "version_id";

/// The resource a pointer leads to; `None` when it leads nowhere.
/// Errors: `unsupported` for a kind that is not known.
pub fn target(pointer: &Pointer, answers: &Answers<Read>) -> Result<Option<Resource>, Stop> {
    let Some(id) = number(&pointer.value) else {
        return Ok(None);
    };
    let found = match pointer.kind.as_str() {
        COMMENT => {
            let found = read(answers, Read::CommentById(id), work::issue_of_comment)?.flatten();
            let own = found.filter(|(_, comment)| *comment == id);
            let wants_issue = pointer
                .parts
                .get("want")
                .is_some_and(|want| want == "issue");
            own.map(|(issue, comment)| match wants_issue {
                true => format!("issue:{issue}"),
                false => format!("comment:{issue}/{comment}"),
            })
        }
        COMPONENT => project(answers, Read::Component(id))?,
        SERVICE_DESK => project(answers, Read::ServiceDesk(id))?,
        VERSION => project(answers, Read::Version(id))?,
        _ => {
            return Err(Stop::unsupported(
                "the request names something by an id of a kind that is not looked up",
            ));
        }
    };
    let resource = |text: String| {
        Resource::parse(&text).map_err(|error| Stop::Failed(Failure::invalid(error.to_string())))
    };
    found.map(resource).transpose()
}

fn project(answers: &Answers<Read>, read_of: Read) -> Result<Option<String>, Stop> {
    let project = read(answers, read_of, work::project_of)?.flatten();
    Ok(project.map(|id| format!("project:{id}")))
}

fn read<T>(
    answers: &Answers<Read>,
    read: Read,
    parse: fn(Json<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Stop> {
    Ok(match answers.record(read, parse)? {
        Found::Here(record) => Some(record),
        Found::Missing | Found::Forbidden => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use toolpass_integration::answers::Answer;

    fn resolved(kind: &str, read: Read, body: Value) -> Option<String> {
        let pointer = Pointer {
            kind: kind.into(),
            value: "7".into(),
            parts: Default::default(),
        };
        let mut answers = Answers::default();
        answers.insert(read, Answer::Body(body));
        target(&pointer, &answers)
            .unwrap()
            .map(|resource| resource.to_string())
    }

    #[test]
    fn ids_lead_to_projects_and_issues() {
        assert_eq!(
            resolved(
                COMPONENT,
                Read::Component(7),
                json!({"project": "OPS", "projectId": 10000})
            )
            .as_deref(),
            Some("project:10000")
        );
        assert_eq!(
            resolved(
                SERVICE_DESK,
                Read::ServiceDesk(7),
                json!({"id": "7", "projectId": "10001"})
            )
            .as_deref(),
            Some("project:10001")
        );
        assert_eq!(
            resolved(VERSION, Read::Version(7), json!({"name": "1.0"})),
            None
        );
        let comment = |address: &str, id: &str| {
            let list = json!({"values": [{"self": address, "id": id}]});
            resolved(COMMENT, Read::CommentById(7), list)
        };
        let address = "https://acme.atlassian.net/rest/api/3/issue/10010/comment/7";
        assert_eq!(comment(address, "7").as_deref(), Some("comment:10010/7"));
        assert_eq!(comment(address, "8"), None, "another comment");
        assert_eq!(
            comment(
                "https://acme.atlassian.net/rest/api/3/issue/../comment/7",
                "7"
            ),
            None
        );
        assert_eq!(
            resolved(COMMENT, Read::CommentById(7), json!({"values": []})),
            None
        );
    }
}
