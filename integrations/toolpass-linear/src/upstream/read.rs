//! Every read a decision may rest on, and the query it is.
//!
//! A read is a value, so the pure rules can ask for one and the edge can make it. Values of a question are variables, never parts of
//! a document. What an older or a smaller plan may not have (the boundary of a restricted team, settings of roles, the plan itself, shares)
//! is a read of its own, so that a refusal of it takes nothing else with it.
//! Source: Linear's GraphQL schema of 2026-07-22; linear.app/developers "Graphql", "Filtering", "Pagination", read 2026-12-01.

use serde_json::{Value, json};

use crate::resource::{Kind, Name};

/// One thing to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Read {
    /// Somebody else's account, without memberships.
    Account(Name),
    /// Whether guests may start agents.
    AgentPolicy,
    /// The private team around a restricted one.
    Boundary(Name),
    /// The issues below an issue.
    Children(Name),
    /// An issue and its team.
    Issue(Name),
    /// The plan the workspace pays for.
    Plan,
    /// A project and its teams.
    Project(Name),
    /// Who may do what in the workspace.
    Roles,
    /// With whom an issue is shared.
    Shares(Name),
    /// A team.
    Team(Name),
    /// What a team lets its members do, and whether it takes anything new.
    TeamSettings(Name),
    /// Something that belongs to one of the others.
    Thing(Kind, Name),
    /// The user's own account and memberships.
    User(Name),
}

impl Read {
    /// Its address in case files, and in what is said of a read that failed.
    pub fn address(&self) -> String {
        match self {
            Read::Account(id) => format!("account:{id}"),
            Read::AgentPolicy => "agents".to_owned(),
            Read::Boundary(id) => format!("boundary:{id}"),
            Read::Children(id) => format!("children:{id}"),
            Read::Issue(name) => format!("issue:{name}"),
            Read::Plan => "plan".to_owned(),
            Read::Project(name) => format!("project:{name}"),
            Read::Roles => "roles".to_owned(),
            Read::Shares(id) => format!("shares:{id}"),
            Read::Team(name) => format!("team:{name}"),
            Read::TeamSettings(id) => format!("settings:{id}"),
            Read::Thing(kind, name) => format!("{}:{name}", kind.name()),
            Read::User(_) => "user".to_owned(),
        }
    }

    /// Its document.
    pub fn document(&self) -> &'static str {
        match self {
            Read::Account(_) => ACCOUNT,
            Read::AgentPolicy => AGENT_POLICY,
            Read::Boundary(_) => BOUNDARY,
            Read::Children(_) => CHILDREN,
            Read::Issue(_) => ISSUE,
            Read::Plan => PLAN,
            Read::Project(_) => PROJECT,
            Read::Roles => ROLES,
            Read::Shares(_) => SHARES,
            Read::Team(name) if name.is_id() => TEAM_BY_ID,
            Read::Team(_) => TEAM_BY_KEY,
            Read::TeamSettings(_) => TEAM_SETTINGS,
            Read::Thing(kind, _) => thing(*kind),
            Read::User(_) => USER,
        }
    }

    /// The values of its variables.
    pub fn variables(&self) -> Value {
        match self {
            Read::AgentPolicy | Read::Plan | Read::Roles => json!({}),
            Read::Account(name)
            | Read::Boundary(name)
            | Read::Children(name)
            | Read::Issue(name)
            | Read::Project(name)
            | Read::Shares(name)
            | Read::Team(name)
            | Read::TeamSettings(name)
            | Read::Thing(_, name)
            | Read::User(name) => json!({ "id": name.as_str() }),
        }
    }
}

/// The account of an e-mail, and the first of its memberships. Read by `identity`.
pub const PEOPLE: &str = "query($email: String!) { found: users(filter: {email: {eqIgnoreCase: $email}}, includeDisabled: true, first: 50) { nodes { \
    id email name active admin owner guest app canAccessAnyPublicTeam disableReason \
    teamMemberships(first: 100) { nodes { owner team { id key } } pageInfo { hasNextPage endCursor } } } } }";

/// A further page of somebody's memberships.
pub const MEMBERSHIPS: &str = "query($id: String!, $after: String) { found: user(id: $id) { id \
    teamMemberships(first: 100, after: $after) { nodes { owner team { id key } } pageInfo { hasNextPage endCursor } } } }";

/// Whose credential this is. Read by `probe`.
pub const VIEWER: &str =
    "query { viewer { id email admin owner app } organization { id name urlKey } }";

const USER: &str = "query($id: String!) { found: user(id: $id) { id email active admin owner guest app canAccessAnyPublicTeam disableReason \
    teamMemberships(first: 100) { nodes { owner team { id key } } pageInfo { hasNextPage endCursor } } } }";

const ACCOUNT: &str = "query($id: String!) { found: user(id: $id) { id email active admin owner guest app canAccessAnyPublicTeam disableReason } }";

const TEAM_BY_KEY: &str = "query($id: String!) { found: teams(filter: {key: {eq: $id}}, first: 2, includeArchived: true) { \
    nodes { id key name visibility archivedAt } } }";

const TEAM_BY_ID: &str = "query($id: ID!) { found: teams(filter: {id: {eq: $id}}, first: 2, includeArchived: true) { \
    nodes { id key name visibility archivedAt } } }";

const TEAM_SETTINGS: &str = "query($id: String!) { found: team(id: $id) { id retiredAt allMembersCanJoin securitySettings } }";

const BOUNDARY: &str = "query($id: String!) { found: team(id: $id) { id restrictedBy { id } } }";

const ISSUE: &str = "query($id: String!) { found: issue(id: $id) { id identifier previousIdentifiers trashed archivedAt \
    team { id key name visibility archivedAt } } }";

const SHARES: &str = "query($id: String!) { found: issue(id: $id) { id inheritsSharedAccess parent { id team { id } } team { id } \
    sharedAccess { isShared sharedWithCount sharedWithUsers { id } } } }";

const CHILDREN: &str = "query($id: String!) { found: issue(id: $id) { id team { id } children(first: 50) { nodes { id team { id } } pageInfo { hasNextPage } } } }";

const PROJECT: &str = "query($id: String!) { found: project(id: $id) { id slugId trashed archivedAt \
    teams(first: 50) { nodes { id key name visibility archivedAt } pageInfo { hasNextPage } } } }";

const PLAN: &str = "query { found: organization { id subscription { type } } }";

const ROLES: &str = "query { found: organization { id securitySettings } }";

const AGENT_POLICY: &str = "query { found: organization { id restrictAgentInvocationToMembers } }";

/// What a thing belongs to, and whose it is.
const fn thing(kind: Kind) -> &'static str {
    match kind {
        Kind::AgentSession => {
            "query($id: String!) { found: agentSession(id: $id) { id issue { id } } }"
        }
        Kind::Attachment => {
            "query($id: String!) { found: attachment(id: $id) { id issue { id } } }"
        }
        Kind::Comment => {
            "query($id: String!) { found: comment(id: $id) { id user { id } issue { id } project { id } projectUpdate { project { id } } \
            initiative { id } initiativeUpdate { id } documentContent { issue { id } project { id } projectMilestone { project { id } } \
            initiative { id } document { issue { id } project { id } team { id } cycle { team { id } } initiative { id } \
            release { pipeline { id } } } } } }"
        }
        Kind::Cycle => "query($id: String!) { found: cycle(id: $id) { id team { id } } }",
        Kind::Document => {
            "query($id: String!) { found: document(id: $id) { id slugId trashed issue { id } project { id } team { id } cycle { team { id } } \
            initiative { id } release { pipeline { id } } } }"
        }
        Kind::Emoji => "query($id: String!) { found: emoji(id: $id) { id creator { id } } }",
        Kind::Intake => {
            "query($id: String!) { found: emailIntakeAddress(id: $id) { id team { id } template { team { id } } } }"
        }
        Kind::InitiativeProject => {
            "query($id: String!) { found: initiativeToProject(id: $id) { id project { id } } }"
        }
        Kind::Label => "query($id: String!) { found: issueLabel(id: $id) { id team { id } } }",
        Kind::Link => {
            "query($id: String!) { found: entityExternalLink(id: $id) { id project { id } initiative { id } } }"
        }
        Kind::Membership => {
            "query($id: String!) { found: teamMembership(id: $id) { id user { id } team { id } } }"
        }
        Kind::Milestone => {
            "query($id: String!) { found: projectMilestone(id: $id) { id project { id } } }"
        }
        Kind::Need => {
            "query($id: String!) { found: customerNeed(id: $id) { id issue { id } project { id } } }"
        }
        Kind::Notices => {
            "query($id: String!) { found: integrationsSettings(id: $id) { id team { id } project { id } initiative { id } } }"
        }
        Kind::Pipeline => {
            "query($id: String!) { found: releasePipeline(id: $id) { id slugId teams(first: 50) { nodes { id } pageInfo { hasNextPage } } } }"
        }
        Kind::ProjectRelation => {
            "query($id: String!) { found: projectRelation(id: $id) { id project { id } } }"
        }
        Kind::ProjectUpdate => {
            "query($id: String!) { found: projectUpdate(id: $id) { id slugId project { id } } }"
        }
        Kind::Relation => {
            "query($id: String!) { found: issueRelation(id: $id) { id issue { id } } }"
        }
        Kind::Release => {
            "query($id: String!) { found: release(id: $id) { id slugId pipeline { id } } }"
        }
        Kind::ReleaseIssue => {
            "query($id: String!) { found: issueToRelease(id: $id) { id issue { id } release { pipeline { id } } } }"
        }
        Kind::ReleaseNote => {
            "query($id: String!) { found: releaseNote(id: $id) { id slugId pipeline { id } } }"
        }
        Kind::ReleaseStage => {
            "query($id: String!) { found: releaseStage(id: $id) { id pipeline { id } } }"
        }
        Kind::RoadmapProject => {
            "query($id: String!) { found: roadmapToProject(id: $id) { id project { id } } }"
        }
        Kind::Skill => {
            "query($id: String!) { found: agentSkill(id: $id) { id slugId teamId owner { id } } }"
        }
        Kind::State => "query($id: String!) { found: workflowState(id: $id) { id team { id } } }",
        Kind::Template => {
            "query($id: String!) { found: template(id: $id) { id team { id } pipeline { id } } }"
        }
        Kind::Triage => {
            "query($id: String!) { found: triageResponsibility(id: $id) { id team { id } } }"
        }
        Kind::View => {
            "query($id: String!) { found: customView(id: $id) { id slugId shared owner { id } creator { id } team { id } } }"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpass_wire::graphql::{OperationKind, read};
    use toolpass_wire::json::Json;

    #[test]
    fn every_document_is_one_query_of_one_root() {
        let id = Name::id("9cfb482a-81e3-4154-b5b9-2c805e70a02d").unwrap();
        let mut reads = vec![
            Read::Account(id.clone()),
            Read::AgentPolicy,
            Read::Boundary(id.clone()),
            Read::Children(id.clone()),
            Read::Issue(id.clone()),
            Read::Plan,
            Read::Project(id.clone()),
            Read::Roles,
            Read::Shares(id.clone()),
            Read::Team(id.clone()),
            Read::Team(Name::team("ENG").unwrap()),
            Read::TeamSettings(id.clone()),
            Read::User(id.clone()),
        ];
        reads.extend(Kind::ALL.iter().map(|kind| Read::Thing(*kind, id.clone())));
        for one in &reads {
            let variables = Json::parse(one.variables().to_string().as_bytes()).unwrap();
            let operation = read(one.document(), None, &variables).unwrap();
            assert_eq!(operation.kind, OperationKind::Query);
            let [root] = operation.fields.as_slice() else {
                panic!("{one:?}")
            };
            assert_eq!(root.alias.as_deref(), Some("found"), "{one:?}");
        }
        let addresses: std::collections::BTreeSet<String> =
            reads.iter().map(Read::address).collect();
        assert_eq!(addresses.len(), reads.len());
    }
}
