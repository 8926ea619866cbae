//! Boards and sprints.
//!
//! Source: developer.atlassian.com/cloud/jira/software/rest "Board", "Sprint"; read 2026-12-01.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use super::{id, required_id, text};

/// A board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Board {
    /// The project it is shown in.
    pub project: Option<u64>,
    /// Who administers it; absent where our credential may not see it.
    pub admins: Option<Admins>,
}

/// Who administers a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Admins {
    /// Accounts.
    pub users: Vec<String>,
    /// Names of groups.
    pub groups: Vec<String>,
}

/// Read a board.
pub fn board(json: Json<'_>) -> Result<Board, Error> {
    let location = json.member("location")?;
    Ok(Board {
        project: location
            .map(|location| id(location, "projectId"))
            .transpose()?
            .flatten(),
        admins: json.member("admins")?.map(admins).transpose()?,
    })
}

/// Read the ids of a board's projects.
pub fn projects(json: Json<'_>) -> Result<Vec<u64>, Error> {
    json.array()?
        .map(|project| required_id(project, "id"))
        .collect()
}

/// Read the filter a board shows.
pub fn filter(json: Json<'_>) -> Result<Option<u64>, Error> {
    Ok(json
        .member("filter")?
        .map(|filter| id(filter, "id"))
        .transpose()?
        .flatten())
}

/// Read the board a sprint was made on.
pub fn board_of_sprint(json: Json<'_>) -> Result<Option<u64>, Error> {
    id(json, "originBoardId")
}

fn admins(json: Json<'_>) -> Result<Admins, Error> {
    let named = |list: &'static str, name: &'static str| -> Result<Vec<String>, Error> {
        let Some(entries) = json.member(list)? else {
            return Ok(Vec::new());
        };
        let mut names = Vec::new();
        for entry in entries.array()? {
            names.extend(text(entry, name)?);
        }
        Ok(names)
    };
    Ok(Admins {
        users: named("users", "accountId")?,
        groups: named("groups", "name")?,
    })
}
