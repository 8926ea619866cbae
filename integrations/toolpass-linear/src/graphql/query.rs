//! Table: the roots of a query.
//!
//! A root by an id asks for sight of what the id names or belongs to. A list is filtered by what the agent's credential sees, so it is
//! answered for when a filter names teams, issues or projects that can be asked about, and otherwise left to the agent, as is a root below
//! which something is selected that leads on.
//! Source: linear/linear `packages/sdk/src/schema.graphql`, 2026-07-22.

use toolpass_wire::extract::Pair;
use toolpass_wire::field::Unresolved;
use toolpass_wire::graphql::RootField;
use toolpass_wire::graphql::input::Input;
use toolpass_wire::json::Json;

use super::ask::{Ask, issue, project, team, thing, via, workspace};
use super::selection::{self, Place};
use super::{Asked, nothing};
use crate::actions::Action::{
    CommentView, DocumentView, IssueView, ProjectView, TeamView, ThingView, WorkspaceAdmin,
    WorkspaceApi, WorkspaceImport, WorkspaceIntegrations, WorkspaceMember, WorkspaceSettings,
};
use crate::facts;
use crate::resource::Kind;

/// What reading a root needs.
/// Errors: [`Unresolved`] for a root that is not known or left out, and for an id outside its grammar.
pub(super) fn asked(root: &RootField) -> Result<Asked, Unresolved> {
    let name = root.name.as_str();
    let row = ROOTS
        .binary_search_by(|(known, _)| (*known).cmp(name))
        .ok()
        .and_then(|at| ROOTS.get(at));
    let (_, row) = row.ok_or_else(|| {
        Unresolved::new(format!("the GraphQL root `{name}` of Linear is not known"))
    })?;
    let arguments = Input::arguments(root);
    let agents = |why: &'static str| Asked {
        pairs: vec![nothing()],
        agent_only: Some(why.into()),
        ..Asked::default()
    };
    let (pairs, shown) = match row {
        Row::Agents(why) => return Ok(agents(why)),
        Row::Asks(asks, place) => {
            let mut pairs = Vec::new();
            for ask in *asks {
                pairs.extend(ask.pairs(arguments)?);
            }
            (pairs, selection::below(*place, &root.selections))
        }
        Row::LeftOut(why) => {
            return Err(Unresolved::new(format!(
                "the GraphQL root `{name}` is left out: {why}"
            )));
        }
        Row::Lists(scopes, place) => match scoped(scopes, arguments)? {
            Some(pairs) => (pairs, selection::below(*place, &root.selections)),
            None => return Ok(agents(LISTS)),
        },
        Row::Open(place) => (vec![nothing()], selection::below(*place, &root.selections)),
        Row::Organization => {
            let mut pairs = vec![nothing()];
            let shown = organization(root, &mut pairs);
            (pairs, shown)
        }
        Row::Person => {
            let id = arguments.text("id")?;
            let pair = workspace(WorkspaceMember).of(id)?.fact(facts::OR_SELF, id);
            (
                vec![pair],
                selection::below(Place::Account, &root.selections),
            )
        }
    };
    Ok(Asked {
        pairs,
        agent_only: shown.err().map(super::only_the_agent),
        ..Asked::default()
    })
}

/// The known roots, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROOTS.iter().map(|(name, _)| *name)
}

/// What a root is.
enum Row {
    /// The token's own, or whatever it sees.
    Agents(&'static str),
    /// All of these, and what is selected stays in this place.
    Asks(&'static [Ask], Place),
    /// None, for this reason.
    LeftOut(&'static str),
    /// A list, by the one thing its filter names.
    Lists(&'static [(&'static [&'static str], Ask)], Place),
    /// The same for everybody.
    Open(Place),
    /// The workspace itself.
    Organization,
    /// Somebody's account.
    Person,
}

/// The pairs of a list whose filter names what may be asked about; `None` when it names nothing.
/// Members of a filter narrow it together, but `or` beside them may not, so with one the filter names nothing.
fn scoped(
    scopes: &[(&[&str], Ask)],
    arguments: Input<'_>,
) -> Result<Option<Vec<Pair>>, Unresolved> {
    let filter = arguments.object("filter")?;
    if filter.names("or") || arguments.flag("includeSubTeams")? {
        return Ok(None);
    }
    for (path, ask) in scopes {
        let Some((last, outer)) = path.split_last() else {
            continue;
        };
        let mut at = filter;
        for name in outer {
            at = at.object(name)?;
            if at.names("or") || at.names("null") {
                return Ok(None);
            }
        }
        let ids = match at
            .member(last)
            .and_then(Json::as_object)
            .map(Input::members)
        {
            Some(comparator) if is_only(comparator, "eq") => vec![comparator.text("eq")?],
            Some(comparator) if is_only(comparator, "in") => comparator.texts("in")?,
            Some(_) | None => continue,
        };
        if ids.is_empty() {
            continue;
        }
        return ids
            .into_iter()
            .map(|id| ask.of(id))
            .collect::<Result<_, _>>()
            .map(Some);
    }
    Ok(None)
}

/// Whether it compares in this one way.
fn is_only(comparator: Input<'_>, way: &str) -> bool {
    comparator.says(way) && comparator.all_names().eq([way])
}

/// What everybody sees of the workspace needs nothing, its members are shown to members, its settings to who changes them.
fn organization(root: &RootField, pairs: &mut Vec<Pair>) -> Result<(), Unresolved> {
    for field in &root.selections {
        let name = field.name.as_str();
        match name {
            "users" => {
                selection::below(Place::Account, &field.selections)?;
                pairs.push(workspace(WorkspaceMember).of("")?);
            }
            "labels" | "projectLabels" | "projectStatuses" => {
                selection::below(Place::Shared, &field.selections)?;
                pairs.push(workspace(WorkspaceMember).of("")?);
            }
            "subscription" => {
                selection::below(Place::Plain, &field.selections)?;
                pairs.push(workspace(WorkspaceSettings).of("")?);
            }
            _ if !field.selections.is_empty() => return Err(selection::leads_on(name)),
            _ if OF_EVERYBODY.contains(&name) => {}
            _ => pairs.push(workspace(WorkspaceSettings).of("")?),
        }
    }
    Ok(())
}

const BY_TEAM: &[(&[&str], Ask)] = &[
    (&["team", "id"], team(TeamView, "filter")),
    (&["team", "key"], team(TeamView, "filter")),
];

const ISSUES: &[(&[&str], Ask)] = &[
    (&["team", "id"], team(TeamView, "filter")),
    (&["team", "key"], team(TeamView, "filter")),
    (&["id"], issue(IssueView, "filter")),
];

const COMMENTS: &[(&[&str], Ask)] = &[
    (&["issue", "id"], issue(IssueView, "filter")),
    (&["id"], thing(CommentView, Kind::Comment, "filter")),
];

const DOCUMENTS: &[(&[&str], Ask)] = &[
    (&["issue", "id"], issue(IssueView, "filter")),
    (&["project", "id"], project(ProjectView, "filter")),
    (&["id"], thing(DocumentView, Kind::Document, "filter")),
];

const PROJECTS: &[(&[&str], Ask)] = &[
    (&["accessibleTeams", "some", "id"], team(TeamView, "filter")),
    (
        &["accessibleTeams", "some", "key"],
        team(TeamView, "filter"),
    ),
    (&["id"], project(ProjectView, "filter")),
];

const OF_PROJECT: &[(&[&str], Ask)] = &[(&["project", "id"], project(ProjectView, "filter"))];

const TEAMS: &[(&[&str], Ask)] = &[
    (&["id"], team(TeamView, "filter")),
    (&["key"], team(TeamView, "filter")),
];

const MEMBERS: &[Ask] = &[workspace(WorkspaceMember)];
const API: &[Ask] = &[workspace(WorkspaceApi)];
const INTEGRATIONS: &[Ask] = &[workspace(WorkspaceIntegrations)];
const ADMINS: &[Ask] = &[workspace(WorkspaceAdmin)];

const ACCESS_KEY: &str = "runs on an access key of its own, not on the token";
const INTERNAL: &str = "internal to Linear's own application";
const LISTS: &str =
    "it lists what the agent sees; filter by one team, issue or project to ask as the user";
const OWN: &str = "the account behind the token";
const SIGN_IN: &str = "a person's sign-in";

/// Plain values of the workspace that everybody sees.
#[rustfmt::skip]
const OF_EVERYBODY: &[&str] = &[
    "__typename", "createdAt", "customersEnabled", "fiscalYearStartMonth", "gitBranchFormat", "id", "initiativeUpdateRemindersDay", "logoUrl", "name",
    "previousUrlKeys", "releasesEnabled", "roadmapEnabled", "updatedAt", "urlKey", "workingDays",
];

/// Sorted by name.
#[rustfmt::skip]
const ROOTS: &[(&str, Row)] = &[
    ("__schema",                                 Row::Open(Place::Free)),
    ("__type",                                   Row::Open(Place::Free)),
    ("__typename",                               Row::Open(Place::Plain)),
    ("_dummy",                                   Row::Open(Place::Plain)),
    ("administrableTeams",                       Row::Agents(LISTS)),
    ("agentActivities",                          Row::Agents(LISTS)),
    ("agentActivity",                            Row::Agents(LISTS)),
    ("agentSession",                             Row::Asks(&[via(IssueView, Kind::AgentSession, "issue", "id")], Place::Shared)),
    ("agentSessionSandbox",                      Row::LeftOut(INTERNAL)),
    ("agentSessions",                            Row::Agents(LISTS)),
    ("agentSkill",                               Row::Asks(&[thing(ThingView, Kind::Skill, "id")], Place::Shared)),
    ("agentSkills",                              Row::Agents(LISTS)),
    ("applicationInfo",                          Row::Open(Place::Plain)),
    ("archivedIntegrations",                     Row::Asks(INTEGRATIONS, Place::Shared)),
    ("archivedTeams",                            Row::Agents(LISTS)),
    ("attachment",                               Row::Asks(&[via(IssueView, Kind::Attachment, "issue", "id")], Place::Issue)),
    ("attachmentIssue",                          Row::Asks(&[via(IssueView, Kind::Attachment, "issue", "id")], Place::Issue)),
    ("attachmentSources",                        Row::Agents(LISTS)),
    ("attachments",                              Row::Agents(LISTS)),
    ("attachmentsForURL",                        Row::Agents(LISTS)),
    ("auditEntries",                             Row::Asks(&[workspace(WorkspaceSettings)], Place::Shared)),
    ("auditEntryTypes",                          Row::Open(Place::Plain)),
    ("authenticationSessions",                   Row::Agents(OWN)),
    ("availableUsers",                           Row::LeftOut(SIGN_IN)),
    ("comment",                                  Row::Asks(&[thing(CommentView, Kind::Comment, "id")], Place::Issue)),
    ("comments",                                 Row::Lists(COMMENTS, Place::Issue)),
    ("customView",                               Row::Asks(&[thing(ThingView, Kind::View, "id")], Place::Shared)),
    ("customViewDetailsSuggestion",              Row::LeftOut(INTERNAL)),
    ("customViewHasSubscribers",                 Row::Agents(OWN)),
    ("customViews",                              Row::Agents(LISTS)),
    ("customer",                                 Row::Asks(MEMBERS, Place::Shared)),
    ("customerNeed",                             Row::Asks(&[workspace(WorkspaceMember), thing(ThingView, Kind::Need, "id")], Place::Shared)),
    ("customerNeeds",                            Row::Agents(LISTS)),
    ("customerStatus",                           Row::Asks(MEMBERS, Place::Shared)),
    ("customerStatuses",                         Row::Asks(MEMBERS, Place::Shared)),
    ("customerTier",                             Row::Asks(MEMBERS, Place::Shared)),
    ("customerTiers",                            Row::Asks(MEMBERS, Place::Shared)),
    ("customers",                                Row::Asks(MEMBERS, Place::Shared)),
    ("cycle",                                    Row::Asks(&[via(TeamView, Kind::Cycle, "team", "id")], Place::Team)),
    ("cycles",                                   Row::Lists(BY_TEAM, Place::Team)),
    ("diff",                                     Row::LeftOut(INTERNAL)),
    ("document",                                 Row::Asks(&[thing(DocumentView, Kind::Document, "id")], Place::Issue)),
    ("documentContentHistory",                   Row::LeftOut(INTERNAL)),
    ("documentContentHistoryEntries",            Row::LeftOut(INTERNAL)),
    ("documentContentHistoryTimeline",           Row::LeftOut(INTERNAL)),
    ("documents",                                Row::Lists(DOCUMENTS, Place::Issue)),
    ("emailIntakeAddress",                       Row::Agents(LISTS)),
    ("emoji",                                    Row::Asks(MEMBERS, Place::Shared)),
    ("emojis",                                   Row::Asks(MEMBERS, Place::Shared)),
    ("entityExternalLink",                       Row::Asks(&[thing(ThingView, Kind::Link, "id")], Place::Shared)),
    ("externalUser",                             Row::Asks(MEMBERS, Place::Shared)),
    ("externalUsers",                            Row::Asks(MEMBERS, Place::Shared)),
    ("failuresForOauthWebhooks",                 Row::Asks(API, Place::Shared)),
    ("favorite",                                 Row::Agents(OWN)),
    ("favorites",                                Row::Agents(OWN)),
    ("fetchData",                                Row::LeftOut(INTERNAL)),
    ("initiative",                               Row::Asks(MEMBERS, Place::Shared)),
    ("initiativeFilterSuggestion",               Row::LeftOut(INTERNAL)),
    ("initiativeLabel",                          Row::Asks(MEMBERS, Place::Shared)),
    ("initiativeLabels",                         Row::Asks(MEMBERS, Place::Shared)),
    ("initiativeLeadTeamChangeImpact",           Row::LeftOut(INTERNAL)),
    ("initiativeRelation",                       Row::Asks(MEMBERS, Place::Shared)),
    ("initiativeRelations",                      Row::Asks(MEMBERS, Place::Shared)),
    ("initiativeToProject",                      Row::Asks(&[workspace(WorkspaceMember), via(ProjectView, Kind::InitiativeProject, "project", "id")], Place::Shared)),
    ("initiativeToProjects",                     Row::Agents(LISTS)),
    ("initiativeUpdate",                         Row::Asks(MEMBERS, Place::Shared)),
    ("initiativeUpdates",                        Row::Asks(MEMBERS, Place::Shared)),
    ("initiatives",                              Row::Asks(MEMBERS, Place::Shared)),
    ("integration",                              Row::Asks(INTEGRATIONS, Place::Shared)),
    ("integrationHasScopes",                     Row::Asks(INTEGRATIONS, Place::Shared)),
    ("integrationTemplate",                      Row::Asks(INTEGRATIONS, Place::Shared)),
    ("integrationTemplates",                     Row::Asks(INTEGRATIONS, Place::Shared)),
    ("integrations",                             Row::Asks(INTEGRATIONS, Place::Shared)),
    ("integrationsSettings",                     Row::Agents(LISTS)),
    ("issue",                                    Row::Asks(&[issue(IssueView, "id")], Place::Issue)),
    ("issueFigmaFileKeySearch",                  Row::Agents(LISTS)),
    ("issueFilterSuggestion",                    Row::LeftOut(INTERNAL)),
    ("issueImportCheckCSV",                      Row::Asks(&[workspace(WorkspaceImport)], Place::Plain)),
    ("issueImportCheckSync",                     Row::Asks(&[workspace(WorkspaceImport)], Place::Plain)),
    ("issueImportJqlCheck",                      Row::Asks(&[workspace(WorkspaceImport)], Place::Plain)),
    ("issueLabel",                               Row::Asks(&[thing(ThingView, Kind::Label, "id")], Place::Shared)),
    ("issueLabels",                              Row::Lists(BY_TEAM, Place::Shared)),
    ("issuePriorityValues",                      Row::Open(Place::Plain)),
    ("issueRelation",                            Row::Asks(&[via(IssueView, Kind::Relation, "issue", "id")], Place::Shared)),
    ("issueRelations",                           Row::Agents(LISTS)),
    ("issueRepositorySuggestions",               Row::LeftOut(INTERNAL)),
    ("issueSearch",                              Row::Lists(ISSUES, Place::Issue)),
    ("issueTitleSuggestionFromCustomerRequest",  Row::LeftOut(INTERNAL)),
    ("issueToRelease",                           Row::Asks(&[via(IssueView, Kind::ReleaseIssue, "issue", "id"), workspace(WorkspaceMember)], Place::Shared)),
    ("issueToReleases",                          Row::Agents(LISTS)),
    ("issueVcsBranchSearch",                     Row::Agents(LISTS)),
    ("issues",                                   Row::Lists(ISSUES, Place::Issue)),
    ("latestReleaseByAccessKey",                 Row::LeftOut(ACCESS_KEY)),
    ("microsoftTeamsChannels",                   Row::Asks(INTEGRATIONS, Place::Shared)),
    ("notification",                             Row::Agents(OWN)),
    ("notificationSubscription",                 Row::Agents(OWN)),
    ("notificationSubscriptions",                Row::Agents(OWN)),
    ("notifications",                            Row::Agents(OWN)),
    ("notificationsUnreadCount",                 Row::Agents(OWN)),
    ("oauthApplication",                         Row::Asks(API, Place::Shared)),
    ("oauthApplications",                        Row::Asks(API, Place::Shared)),
    ("organization",                             Row::Organization),
    ("organizationDomainClaimRequest",           Row::LeftOut(SIGN_IN)),
    ("organizationExists",                       Row::LeftOut(SIGN_IN)),
    ("organizationInvite",                       Row::Asks(ADMINS, Place::Shared)),
    ("organizationInviteDetails",                Row::LeftOut(SIGN_IN)),
    ("organizationInvites",                      Row::Asks(ADMINS, Place::Shared)),
    ("organizationMeta",                         Row::LeftOut(SIGN_IN)),
    ("partnerOfferDetails",                      Row::LeftOut(INTERNAL)),
    ("project",                                  Row::Asks(&[project(ProjectView, "id")], Place::Project)),
    ("projectFilterSuggestion",                  Row::LeftOut(INTERNAL)),
    ("projectLabel",                             Row::Asks(MEMBERS, Place::Shared)),
    ("projectLabels",                            Row::Asks(MEMBERS, Place::Shared)),
    ("projectMilestone",                         Row::Asks(&[via(ProjectView, Kind::Milestone, "project", "id")], Place::Project)),
    ("projectMilestones",                        Row::Lists(OF_PROJECT, Place::Project)),
    ("projectRelation",                          Row::Asks(&[via(ProjectView, Kind::ProjectRelation, "project", "id")], Place::Shared)),
    ("projectRelations",                         Row::Agents(LISTS)),
    ("projectStatus",                            Row::Asks(MEMBERS, Place::Shared)),
    ("projectStatusProjectCount",                Row::Asks(MEMBERS, Place::Plain)),
    ("projectStatuses",                          Row::Asks(MEMBERS, Place::Shared)),
    ("projectUpdate",                            Row::Asks(&[via(ProjectView, Kind::ProjectUpdate, "project", "id")], Place::Project)),
    ("projectUpdates",                           Row::Lists(OF_PROJECT, Place::Project)),
    ("projects",                                 Row::Lists(PROJECTS, Place::Project)),
    ("pushSubscriptionTest",                     Row::Agents(OWN)),
    ("rateLimitStatus",                          Row::Open(Place::Plain)),
    ("recentReleasesByAccessKey",                Row::LeftOut(ACCESS_KEY)),
    ("release",                                  Row::Asks(&[via(ThingView, Kind::Release, "pipeline", "id")], Place::Shared)),
    ("releaseNote",                              Row::Asks(&[via(ThingView, Kind::ReleaseNote, "pipeline", "id")], Place::Shared)),
    ("releaseNotes",                             Row::Agents(LISTS)),
    ("releasePipeline",                          Row::Asks(&[thing(ThingView, Kind::Pipeline, "id")], Place::Shared)),
    ("releasePipelineByAccessKey",               Row::LeftOut(ACCESS_KEY)),
    ("releasePipelines",                         Row::Agents(LISTS)),
    ("releaseSearch",                            Row::Agents(LISTS)),
    ("releaseStage",                             Row::Asks(&[via(ThingView, Kind::ReleaseStage, "pipeline", "id")], Place::Shared)),
    ("releaseStages",                            Row::Agents(LISTS)),
    ("releases",                                 Row::Agents(LISTS)),
    ("roadmap",                                  Row::Asks(MEMBERS, Place::Shared)),
    ("roadmapToProject",                         Row::Asks(&[workspace(WorkspaceMember), via(ProjectView, Kind::RoadmapProject, "project", "id")], Place::Shared)),
    ("roadmapToProjects",                        Row::Agents(LISTS)),
    ("roadmaps",                                 Row::Asks(MEMBERS, Place::Shared)),
    ("searchDocuments",                          Row::Agents(LISTS)),
    ("searchIssues",                             Row::Lists(ISSUES, Place::Issue)),
    ("searchProjects",                           Row::Agents(LISTS)),
    ("semanticSearch",                           Row::Agents(LISTS)),
    ("slaConfigurations",                        Row::Asks(&[team(TeamView, "teamId")], Place::Plain)),
    ("ssoUrlFromEmail",                          Row::LeftOut(SIGN_IN)),
    ("team",                                     Row::Asks(&[team(TeamView, "id")], Place::Team)),
    ("teamMembership",                           Row::Asks(&[via(TeamView, Kind::Membership, "team", "id")], Place::Team)),
    ("teamMemberships",                          Row::Agents(LISTS)),
    ("teams",                                    Row::Lists(TEAMS, Place::Team)),
    ("template",                                 Row::Asks(&[thing(ThingView, Kind::Template, "id")], Place::Shared)),
    ("templates",                                Row::Agents(LISTS)),
    ("templatesForIntegration",                  Row::Agents(LISTS)),
    ("timeSchedule",                             Row::Asks(MEMBERS, Place::Shared)),
    ("timeSchedules",                            Row::Asks(MEMBERS, Place::Shared)),
    ("triageResponsibilities",                   Row::Agents(LISTS)),
    ("triageResponsibility",                     Row::Asks(&[via(TeamView, Kind::Triage, "team", "id")], Place::Team)),
    ("user",                                     Row::Person),
    ("userSessions",                             Row::Asks(ADMINS, Place::Shared)),
    ("userSettings",                             Row::Agents(OWN)),
    ("users",                                    Row::Asks(MEMBERS, Place::Account)),
    ("verifyGitHubEnterpriseServerInstallation", Row::Asks(INTEGRATIONS, Place::Shared)),
    ("viewer",                                   Row::Open(Place::Account)),
    ("webhook",                                  Row::Asks(API, Place::Shared)),
    ("webhooks",                                 Row::Asks(API, Place::Shared)),
    ("workflowState",                            Row::Asks(&[via(TeamView, Kind::State, "team", "id")], Place::Team)),
    ("workflowStates",                           Row::Lists(BY_TEAM, Place::Team)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(ROOTS.is_sorted_by(|(before, _), (after, _)| before < after));
        assert!(OF_EVERYBODY.is_sorted_by(|before, after| before < after));
    }
}
