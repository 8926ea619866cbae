//! The objects GraphQL can walk, each loaded by its id, and the fields that take arguments.
//!
//! What the caller's account does not see is not there. Source: Linear's GraphQL schema, 2026-07-22.

use serde_json::{Map, Value, json};

use super::auth::Caller;
use super::mutations;
use super::world::{Issue, LinearWorld, Team};
use crate::graphql::document::Field;
use crate::graphql::walk::{FieldError, Schema};
use crate::message::set;

/// The workspace as the caller sees it.
pub(super) struct Objects<'w> {
    pub(super) world: &'w mut LinearWorld,
    pub(super) caller: &'w Caller,
}

impl Schema for Objects<'_> {
    fn mutation(&mut self, field: &Field) -> Option<Result<Value, FieldError>> {
        mutations::run(self, field)
    }

    fn computed(
        &mut self,
        object: &Value,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Option<Result<Value, FieldError>> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let kind = object.get("__typename").and_then(Value::as_str);
        let id = object.get("id").and_then(Value::as_str).unwrap_or_default();
        match (kind.unwrap_or_default(), name) {
            ("Query", "users") => Some(Ok(self.users(arguments))),
            ("Query", "teams") => Some(Ok(self.teams(arguments))),
            ("Query", "issues") => Some(Ok(self.issues(arguments))),
            ("Query", "viewer") => Some(Ok(json!({"__ref": self.caller.user}))),
            ("Query", "organization") => Some(Ok(self.organization())),
            ("Query", root) if root != "__typename" => {
                Some(self.one(root, text("id").unwrap_or_default()))
            }
            ("User", "teamMemberships") => Some(Ok(self.memberships(id, arguments))),
            ("Project", "teams") => {
                let ids = self
                    .world
                    .projects
                    .get(id)
                    .map(|project| project.teams.clone());
                let seen = ids
                    .unwrap_or_default()
                    .into_iter()
                    .filter(|id| self.sees(id));
                Some(Ok(page(
                    seen.map(|id| json!({"__ref": id})).collect(),
                    usize::MAX,
                    None,
                )))
            }
            ("Issue", "children") => {
                let below = self
                    .world
                    .issues
                    .iter()
                    .filter(|(_, issue)| issue.parent.as_deref() == Some(id));
                let below = below.map(|(id, _)| json!({"__ref": id})).collect();
                Some(Ok(page(below, usize::MAX, None)))
            }
            ("Issue", "comments") => {
                let on = self
                    .world
                    .comments
                    .iter()
                    .filter(|(_, comment)| comment.issue == id);
                let on = on.map(|(id, _)| json!({"__ref": id})).collect();
                Some(Ok(page(on, usize::MAX, None)))
            }
            _ => None,
        }
    }

    fn load(&mut self, id: &str) -> Option<Value> {
        let world = &*self.world;
        if let Some(user) = world.users.get(id) {
            return Some(json!({
                "__typename": "User", "id": id, "email": user.email, "name": user.name, "displayName": user.name, "active": user.active,
                "admin": user.admin, "owner": user.owner, "guest": user.guest, "app": user.app, "disableReason": user.disable_reason,
                "canAccessAnyPublicTeam": !user.guest,
            }));
        }
        if let Some(team) = world.teams.get(id) {
            return self.sees(id).then(|| of_team(id, team));
        }
        if let Some(issue) = world.issues.get(id) {
            return self.sees(&issue.team).then(|| of_issue(world, id, issue));
        }
        if let Some(project) = world.projects.get(id) {
            let is_seen = project.teams.iter().any(|team| self.sees(team));
            return is_seen.then(|| {
                json!({
                    "__typename": "Project", "id": id, "name": project.name, "slugId": project.slug, "trashed": project.trashed,
                    "archivedAt": project.archived_at, "url": format!("https://linear.app/{}/project/{}", world.url_key, project.slug),
                })
            });
        }
        if let Some(comment) = world.comments.get(id) {
            let empty = [
                "project",
                "projectUpdate",
                "initiative",
                "initiativeUpdate",
                "documentContent",
            ];
            let mut object = json!({
                "__typename": "Comment", "id": id, "body": comment.body, "user": {"__ref": comment.user}, "issue": {"__ref": comment.issue},
                "url": format!("https://linear.app/{}/comment/{id}", world.url_key),
            });
            empty
                .iter()
                .for_each(|name| set(&mut object, name, Value::Null));
            return Some(object);
        }
        let (root, thing) = world
            .things
            .iter()
            .find_map(|(root, things)| Some((root, things.get(id)?)))?;
        let mut object = thing.clone();
        set(&mut object, "id", json!(id));
        set(&mut object, "__typename", json!(root));
        Some(object)
    }

    fn implements(&self, type_name: &str, interface: &str) -> bool {
        interface == "Node" && type_name != "Query"
    }

    fn mark(&self, kind: &str, error: &mut Value) {
        set(
            error,
            "extensions",
            json!({"type": kind, "userError": true, "userPresentableMessage": error.get("message")}),
        );
    }
}

impl Objects<'_> {
    /// Whether the caller sees a team.
    pub(super) fn sees(&self, team: &str) -> bool {
        self.world.teams.get(team).is_some_and(|found| {
            let around = found.restricted_by.as_deref();
            let is_inside = |id: &str| {
                let team = self.world.teams.get(id);
                team.is_some_and(|team| team.members.contains_key(&self.caller.user))
            };
            found.visibility == "public" || is_inside(team) || around.is_some_and(is_inside)
        })
    }

    /// The issue of an id or an identifier, be it an old one.
    pub(super) fn issue_id(&self, name: &str) -> Option<String> {
        let is = |issue: &Issue| {
            self.world.identifier(issue).eq_ignore_ascii_case(name)
                || issue
                    .previous
                    .iter()
                    .any(|old| old.eq_ignore_ascii_case(name))
        };
        let issues = &self.world.issues;
        let found = issues
            .iter()
            .find(|(id, issue)| id.as_str() == name || is(issue));
        found.map(|(id, _)| id.clone())
    }

    /// A root by its id.
    fn one(&mut self, root: &str, id: &str) -> Result<Value, FieldError> {
        let id = match root {
            "issue" => self.issue_id(id).unwrap_or_default(),
            "project" => {
                let projects = &self.world.projects;
                let found = projects.iter().find(|(known, project)| {
                    *known == id || !project.slug.is_empty() && id.ends_with(&project.slug)
                });
                found.map(|(id, _)| id.clone()).unwrap_or_default()
            }
            _ => id.to_owned(),
        };
        let is_known = match root {
            "comment" => self.world.comments.contains_key(&id),
            "issue" => self.world.issues.contains_key(&id),
            "project" => self.world.projects.contains_key(&id),
            "team" => self.world.teams.contains_key(&id),
            "user" => self.world.users.contains_key(&id),
            _ => self
                .world
                .things
                .get(root)
                .is_some_and(|things| things.contains_key(&id)),
        };
        if is_known && self.load(&id).is_some() {
            return Ok(json!({"__ref": id}));
        }
        let mut name = root.to_owned();
        if let Some(first) = name.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let message = format!("Entity not found: {name} - Could not find referenced {name}.");
        Err(FieldError {
            fatal: true,
            ..FieldError::of("invalid input", message)
        })
    }

    fn users(&self, arguments: &Map<String, Value>) -> Value {
        let email = at(arguments, &["filter", "email", "eqIgnoreCase"]);
        let users = self.world.users.iter();
        let found = users
            .filter(|(_, user)| email.is_none_or(|email| user.email.eq_ignore_ascii_case(email)));
        page(
            found.map(|(id, _)| json!({"__ref": id})).collect(),
            usize::MAX,
            None,
        )
    }

    fn teams(&self, arguments: &Map<String, Value>) -> Value {
        let key = at(arguments, &["filter", "key", "eq"]);
        let id = at(arguments, &["filter", "id", "eq"]);
        let is_asked = |known: &String, team: &Team| {
            key.is_none_or(|key| team.key == key) && id.is_none_or(|id| known == id)
        };
        let teams = self.world.teams.iter();
        let found = teams.filter(|(known, team)| is_asked(known, team) && self.sees(known));
        page(
            found.map(|(id, _)| json!({"__ref": id})).collect(),
            usize::MAX,
            None,
        )
    }

    fn issues(&self, arguments: &Map<String, Value>) -> Value {
        let key = at(arguments, &["filter", "team", "key", "eq"]);
        let id = at(arguments, &["filter", "team", "id", "eq"]);
        let is_asked = |issue: &Issue| {
            let team = self
                .world
                .teams
                .get(&issue.team)
                .map(|team| team.key.as_str());
            key.is_none_or(|key| team == Some(key)) && id.is_none_or(|id| issue.team == id)
        };
        let issues = self.world.issues.iter();
        let found = issues.filter(|(_, issue)| is_asked(issue) && self.sees(&issue.team));
        page(
            found.map(|(id, _)| json!({"__ref": id})).collect(),
            usize::MAX,
            None,
        )
    }

    fn memberships(&self, user: &str, arguments: &Map<String, Value>) -> Value {
        let teams = self.world.teams.iter();
        let own = teams.filter_map(|(id, team)| Some((id, *team.members.get(user)?)));
        let nodes = own
            .map(|(id, owner)| {
                let key = self.world.teams.get(id).map(|team| team.key.clone());
                // Memberships are told even of teams the caller does not see.
                json!({"__typename": "TeamMembership", "owner": owner, "team": {"__typename": "Team", "id": id, "key": key}})
            })
            .collect();
        let first = arguments
            .get("first")
            .and_then(Value::as_u64)
            .and_then(|first| usize::try_from(first).ok());
        let size = first
            .unwrap_or(50)
            .min(self.world.page_size.unwrap_or(usize::MAX));
        let after = arguments.get("after").and_then(Value::as_str);
        page(nodes, size, after)
    }

    fn organization(&self) -> Value {
        let world = &*self.world;
        let plan = world
            .plan
            .as_ref()
            .map(|plan| json!({"__typename": "PaidSubscription", "type": plan}));
        json!({
            "__typename": "Organization", "id": "00000000-0000-4000-8000-000000000001", "name": world.url_key, "urlKey": world.url_key,
            "subscription": plan, "securitySettings": leaf(&world.roles), "restrictAgentInvocationToMembers": world.keeps_guests_from_agents,
        })
    }
}

fn of_team(id: &str, team: &Team) -> Value {
    let around = team.restricted_by.as_ref();
    json!({
        "__typename": "Team", "id": id, "key": team.key, "name": team.name, "displayName": team.name, "visibility": team.visibility,
        "archivedAt": team.archived_at, "retiredAt": team.retired_at, "allMembersCanJoin": team.all_members_can_join,
        "securitySettings": leaf(&team.roles), "restrictedBy": around.map(|id| json!({"__typename": "Team", "id": id})),
    })
}

fn of_issue(world: &LinearWorld, id: &str, issue: &Issue) -> Value {
    let link = |id: &Option<String>| id.as_ref().map(|id| json!({"__ref": id}));
    let identifier = world.identifier(issue);
    let shared: Vec<Value> = issue
        .shared_with
        .iter()
        .map(|id| json!({"__ref": id}))
        .collect();
    json!({
        "__typename": "Issue", "id": id, "identifier": identifier, "number": issue.number, "previousIdentifiers": issue.previous,
        "title": issue.title, "description": issue.description, "trashed": issue.trashed.then_some(true), "archivedAt": issue.archived_at,
        "team": {"__ref": issue.team}, "creator": link(&issue.creator), "parent": link(&issue.parent), "project": link(&issue.project),
        "inheritsSharedAccess": issue.inherits_shared_access, "url": format!("https://linear.app/{}/issue/{identifier}", world.url_key),
        "sharedAccess": {"__typename": "IssueSharedAccess", "isShared": !shared.is_empty(), "sharedWithCount": shared.len(), "sharedWithUsers": shared},
        "state": {"__typename": "WorkflowState", "id": "todo", "name": "Todo", "type": "unstarted"},
    })
}

/// An object that is one value to GraphQL.
fn leaf(words: &std::collections::BTreeMap<String, String>) -> Value {
    json!({"__leaf": words})
}

/// A page of a list.
fn page(mut items: Vec<Value>, size: usize, after: Option<&str>) -> Value {
    let start = after
        .and_then(|after| after.parse::<usize>().ok())
        .unwrap_or(0)
        .min(items.len());
    let rest = items.split_off(start);
    let more = rest.len() > size;
    let nodes: Vec<Value> = rest.into_iter().take(size).collect();
    let end = start + nodes.len();
    json!({
        "__typename": "Connection", "nodes": nodes,
        "pageInfo": {"__typename": "PageInfo", "hasNextPage": more, "endCursor": end.to_string()},
    })
}

/// A text deep in the arguments.
fn at<'a>(arguments: &'a Map<String, Value>, path: &[&str]) -> Option<&'a str> {
    let (first, rest) = path.split_first()?;
    let mut value = arguments.get(*first)?;
    for name in rest {
        value = value.get(name)?;
    }
    value.as_str()
}
