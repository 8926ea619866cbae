//! Table: the mutations of Linear's GraphQL API.
//!
//! A mutation names what it changes by ids in its arguments and its `input`. Most ask actions of what their ids name or belong to, some
//! are read by a function in `input`, some act on the account behind the token and are left to the agent, the rest are left out for a
//! reason. Deleting and removing is told by the name.
//! INVARIANT: every id of a mutation by which something is reached is asked about: an id that no row knows is unresolved.
//! INVARIANT: nothing is written in another person's name.
//! Source: linear/linear `packages/sdk/src/schema.graphql`, 2026-07-22; where Linear's pages state no rule the stricter of the likely ones
//! is taken (the crate's README lists them).

use toolpass_core::effect::Effect;
use toolpass_wire::extract::Pair;
use toolpass_wire::field::Unresolved;
use toolpass_wire::graphql::RootField;
use toolpass_wire::graphql::input::Input;
use toolpass_wire::json::Json;
use toolpass_wire::table::Audience;

use super::ask::{Ask, issue, place, project, team, thing, via, workspace, workspace_by};
use super::input::{
    create_comment, create_issue, create_issues, create_project, delete_issue, for_somebody,
    move_document, move_milestone, needs_a_place, subscribe_to_issue, sync_release, update_comment,
    update_issue, update_issues, update_need, update_project, upload_file,
};
use super::settings::{
    change_account, change_role, create_intake, create_label, create_preferences,
    create_project_label, create_skill, create_template, create_view, export, invite, join_team,
    lead_initiative, replace_team_labels, update_account, update_membership, update_team,
    update_view,
};
use super::{Asked, nothing, selection};
use crate::actions::Action::{
    CommentDelete, CommentResolve, CommentView, DocumentEdit, EmojiDelete, IntakeEdit, IssueCreate,
    IssueEdit, IssueShare, IssueView, LabelEdit, LinkEdit, MembershipDelete, NeedEdit, NoticesEdit,
    ProjectEdit, ProjectView, ReleaseEdit, SkillEdit, TeamAdmin, TeamAutomation, TeamCreate,
    TeamManage, TeamSkills, TeamTemplates, TeamView, TemplateEdit, ViewEdit, WorkspaceAdmin,
    WorkspaceApi, WorkspaceImport, WorkspaceIntegrations, WorkspaceInvite, WorkspaceLabels,
    WorkspaceMember, WorkspaceSettings, WorkspaceUser,
};
use crate::facts::{AGENT, ARCHIVED_OK};
use crate::resource::Kind::{
    AgentSession, Attachment, Comment, Cycle, Document, Emoji, InitiativeProject, Intake, Label,
    Link, Membership, Milestone, Need, Notices, Pipeline, ProjectRelation, ProjectUpdate, Relation,
    Release, ReleaseIssue, ReleaseNote, ReleaseStage, RoadmapProject, Skill, State, Template,
    Triage, View,
};

/// What a root of a mutation comes to.
/// Errors: [`Unresolved`] for one that is left out or not known, or whose arguments do not say what it changes.
pub(super) fn asked(root: &RootField) -> Result<Asked, Unresolved> {
    let name = root.name.as_str();
    if name == "__typename" {
        return Ok(Asked {
            pairs: vec![nothing()],
            ..Asked::default()
        });
    }
    let row = row(name).ok_or_else(|| {
        Unresolved::new(format!(
            "the GraphQL mutation `{name}` of Linear is not known"
        ))
    })?;
    if let How::LeftOut(why) = row.how {
        return Err(Unresolved::new(format!(
            "the GraphQL mutation `{name}` is left out: {why}"
        )));
    }
    let arguments = Input::arguments(root);
    in_own_name(arguments)?;
    let pairs = row.pairs(arguments)?;
    let input = arguments.object("input").unwrap_or(arguments);
    let says = |name: &str| {
        [arguments, input]
            .iter()
            .any(|values| values.member(name) == Some(&Json::Bool(true)))
    };
    let destroys = is_destructive(name)
        || DESTROYING.iter().any(|member| says(member))
        || name == "teamUpdate" && ["private", "retiredAt"].iter().any(|name| input.says(name));
    let leads_on = match row.how {
        How::Agents => None,
        How::Asks(_) | How::LeftOut(_) | How::OneOf(_) | How::Reads(_) => {
            selection::of_payload(&root.selections).err()
        }
    };
    let own = row.agent_only.filter(|_| !row.is_excepted(arguments));
    Ok(Asked {
        pairs,
        effect: Some(if destroys {
            Effect::Destructive
        } else {
            Effect::Write
        }),
        sends_out: match (row.sends_out, says("makePublic")) {
            (true, true) => Some(Audience::Public),
            (true, false) => Some(Audience::Resource),
            (false, _) => None,
        },
        agent_only: own
            .map(Into::into)
            .or_else(|| leads_on.map(super::only_the_agent)),
        hands_out: row.hands_out,
    })
}

/// The known mutations, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    MUTATIONS.iter().map(|(name, _)| *name)
}

/// Why a mutation is left out.
pub fn left_out(name: &str) -> Option<&'static str> {
    match row(name)?.how {
        How::LeftOut(why) => Some(why),
        How::Asks(_) | How::Agents | How::OneOf(_) | How::Reads(_) => None,
    }
}

/// The paths that a mutation must give, as far as its row says.
pub fn paths(name: &str) -> Vec<&'static str> {
    let asks = match row(name).map(|row| &row.how) {
        Some(How::Asks(asks)) => *asks,
        Some(How::OneOf(asks)) => asks.get(..1).unwrap_or_default(),
        Some(How::Agents | How::LeftOut(_) | How::Reads(_)) | None => &[],
    };
    let needed = asks.iter().filter(|ask| ask.is_needed());
    needed.map(Ask::path).collect()
}

/// Why a mutation is the agent's own and no user's.
pub fn agents_own(name: &str) -> Option<&'static str> {
    row(name)?.agent_only
}

fn row(name: &str) -> Option<&'static Row> {
    MUTATIONS
        .binary_search_by(|(known, _)| (*known).cmp(name))
        .ok()
        .and_then(|at| MUTATIONS.get(at))
        .map(|(_, row)| row)
}

/// Reads the arguments of a mutation.
pub(super) type Reader = fn(Input<'_>) -> Result<Vec<Pair>, Unresolved>;

/// One row.
struct Row {
    how: How,
    and: Option<Reader>,
    knows: &'static [&'static str],
    checks_ids: bool,
    agent_only: Option<&'static str>,
    /// Paths without any of which it is the agent's own after all.
    unless: &'static [&'static str],
    sends_out: bool,
    hands_out: bool,
}

enum How {
    /// Nothing: it acts on the account behind the token.
    Agents,
    /// All of these.
    Asks(&'static [Ask]),
    /// None, for this reason.
    LeftOut(&'static str),
    /// The one of these whose path is given.
    OneOf(&'static [Ask]),
    /// A function that reads the arguments, ids and all.
    Reads(Reader),
}

impl Row {
    const fn new(how: How) -> Row {
        Row {
            how,
            and: None,
            knows: &[],
            checks_ids: true,
            agent_only: None,
            unless: &[],
            sends_out: false,
            hands_out: false,
        }
    }

    /// Only ever on the agent's own authority.
    const fn agent(mut self, why: &'static str) -> Row {
        self.agent_only = Some(why);
        self
    }

    /// Only on the agent's own authority when it says none of these.
    const fn agent_unless(mut self, paths: &'static [&'static str], why: &'static str) -> Row {
        self.unless = paths;
        self.agent_only = Some(why);
        self
    }

    /// Its ids are other systems': what it sets up is asked for as a whole.
    const fn configures(mut self) -> Row {
        self.checks_ids = false;
        self
    }

    /// The answer is a secret.
    const fn hands_out(mut self) -> Row {
        self.hands_out = true;
        self
    }

    /// Its reader has a list of the members that may be given.
    const fn listed(mut self) -> Row {
        self.checks_ids = false;
        self
    }

    /// Ids of it that lead nowhere else, or that its reader reads.
    const fn knows(mut self, names: &'static [&'static str]) -> Row {
        self.knows = names;
        self
    }

    const fn out(mut self) -> Row {
        self.sends_out = true;
        self
    }

    /// A function that reads what the asks do not.
    const fn reads_too(mut self, read: Reader) -> Row {
        self.and = Some(read);
        self
    }

    fn pairs(&self, arguments: Input<'_>) -> Result<Vec<Pair>, Unresolved> {
        let mut pairs = Vec::new();
        match self.how {
            How::Agents => return Ok(vec![nothing()]),
            How::Asks(asks) => {
                for ask in asks {
                    pairs.extend(ask.pairs(arguments)?);
                }
                self.no_strays(arguments, asks)?;
            }
            How::LeftOut(why) => return Err(Unresolved::new(why)),
            How::OneOf(asks) => {
                pairs.extend(the_one_of(asks, arguments)?);
                self.no_strays(arguments, asks)?;
            }
            How::Reads(read) => {
                pairs.extend(read(arguments)?);
                self.no_strays(arguments, &[])?;
            }
        }
        if let Some(read) = self.and {
            pairs.extend(read(arguments)?);
        }
        Ok(pairs)
    }

    /// Whether it says what makes it somebody's after all.
    fn is_excepted(&self, arguments: Input<'_>) -> bool {
        self.unless.iter().any(|path| {
            let said = place(arguments, path).map(|(values, name)| values.member(name));
            said.is_ok_and(|said| said.is_some_and(|said| *said != Json::Bool(false)))
        })
    }

    /// Whether every id is asked about, or known to lead nowhere.
    fn no_strays(&self, arguments: Input<'_>, asks: &[Ask]) -> Result<(), Unresolved> {
        if !self.checks_ids {
            return Ok(());
        }
        let input = arguments.object("input").ok();
        let inner = input
            .iter()
            .flat_map(|input| input.all_names().map(|name| (*input, name)));
        for (values, name) in arguments
            .all_names()
            .map(|name| (arguments, name))
            .chain(inner)
        {
            let is_asked = || {
                asks.iter()
                    .any(|ask| ask.path().rsplit('.').next() == Some(name))
            };
            let leads = ["Id", "Ids", "Email", "References", "ids"]
                .iter()
                .any(|end| name.ends_with(end))
                && values.member(name).is_some();
            if leads && !is_asked() && !self.knows.contains(&name) && !HARMLESS.contains(&name) {
                return Err(Unresolved::new(format!(
                    "`{name}` reaches something that is not asked about"
                )));
            }
        }
        Ok(())
    }
}

/// Errors: [`Unresolved`] when none of them or several are given.
pub(super) fn the_one_of(asks: &[Ask], arguments: Input<'_>) -> Result<Vec<Pair>, Unresolved> {
    let mut given = Vec::new();
    for ask in asks {
        if ask.is_given(arguments)? {
            given.push(ask);
        }
    }
    match given.as_slice() {
        [ask] => ask.pairs(arguments),
        _ => Err(Unresolved::new(
            "expected exactly one thing that it belongs to",
        )),
    }
}

/// Errors: [`Unresolved`] for what an application writes as if somebody else had.
fn in_own_name(arguments: Input<'_>) -> Result<(), Unresolved> {
    let mut all = vec![arguments];
    if let Ok(input) = arguments.object("input") {
        all.extend(input.objects("issues").unwrap_or_default());
        all.push(input);
    }
    for name in ["createAsUser", "displayIconUrl"] {
        if all.iter().any(|values| values.member(name).is_some()) {
            return Err(Unresolved::new(format!(
                "`{name}` writes in another person's name"
            )));
        }
    }
    Ok(())
}

const fn asks(asks: &'static [Ask]) -> Row {
    Row::new(How::Asks(asks))
}

const fn one_of(asks: &'static [Ask]) -> Row {
    Row::new(How::OneOf(asks))
}

const fn reads(read: Reader) -> Row {
    Row::new(How::Reads(read))
}

const fn agents(why: &'static str) -> Row {
    Row::new(How::Agents).agent(why)
}

const fn left_out_for(why: &'static str) -> Row {
    Row::new(How::LeftOut(why))
}

/// What is gone for others, or cannot be undone.
fn is_destructive(name: &str) -> bool {
    ["Delete", "Remove", "Revoke", "Suspend", "Merge"]
        .iter()
        .any(|verb| name.contains(verb))
        || name == "integrationArchive"
}

const ACCESS_KEY: &str = "runs on an access key of its own, not on the token";
const OTHER_WORKSPACE: &str =
    "joins, leaves or makes a workspace, another one than the connection's";
const OWN_ACCOUNT: &str = "changes the account behind the token";
const OWN_INBOX: &str = "the inbox and the favorites of the account behind the token";
const OWN_WORDS: &str = "the words of the account behind the token, and only its own";
const SIGN_IN: &str = "a person's sign-in and sessions";
const VENDORS_STAFF: &str = "writes to Linear's own staff or statistics";

/// Switches that make an edit destroy.
const DESTROYING: &[&str] = &["permanentlyDelete", "trash", "trashed"];

/// Ids that lead nowhere another right is needed: labels and states, of which Linear takes only the team's and the workspace's;
/// people; what other systems call something; objects of the workspace, for which the rows that take them ask.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "addedLabelIds", "assigneeId", "autoCloseStateId", "channelId", "conversationId", "customerExternalId", "customerId", "defaultIssueStateId",
    "defaultProjectTemplateId", "defaultTemplateForMembersId", "defaultTemplateForNonMembersId", "externalId", "externalIds", "identityProviderId",
    "initiativeId", "jiraIssueId", "labelId", "labelIds", "lastAppliedTemplateId", "leadId", "mainSourceId", "memberIds", "messageId",
    "newProjectStatusId", "organizationDomainId", "originalProjectStatusId", "ownerId", "partId", "relatedInitiativeId", "removedLabelIds",
    "roadmapId", "sessionId", "slackProjectChannelIntegrationId", "slugId", "snoozedById", "sourceCustomerId", "stateId", "statusId",
    "subscriberIds", "targetBranchId", "targetCustomerId", "ticketId", "tierId", "timeScheduleId", "verificationEmail",
];

/// What a document may belong to.
const PARENTS_OF_DOCUMENT: &[Ask] = &[
    issue(IssueEdit, "input.issueId"),
    project(ProjectEdit, "input.projectId"),
    team(TeamView, "input.teamId"),
    via(TeamView, Cycle, "team", "input.cycleId"),
    workspace_by(WorkspaceMember, "input.initiativeId"),
    via(ReleaseEdit, Release, "pipeline", "input.releaseId"),
];

/// The members by which a document moves.
const MOVES_OF_DOCUMENT: &[&str] = &[
    "cycleId",
    "initiativeId",
    "issueId",
    "projectId",
    "releaseId",
    "teamId",
];

/// Sorted by name.
#[rustfmt::skip]
const MUTATIONS: &[(&str, Row)] = &[
    ("agentActivityCreate",                           asks(&[via(IssueEdit, AgentSession, "issue", "input.agentSessionId")]).out()),
    ("agentActivityCreatePrompt",                     agents(OWN_WORDS).out()),
    ("agentActivityDeleteQueued",                     agents(OWN_WORDS).out()),
    ("agentActivitySendQueued",                       agents(OWN_WORDS).out()),
    ("agentSessionCreate",                            asks(&[issue(IssueEdit, "input.issueId").with(AGENT)]).knows(&["appUserId"]).out()),
    ("agentSessionCreateOnComment",                   asks(&[via(IssueEdit, Comment, "issue", "input.commentId").with(AGENT)]).out()),
    ("agentSessionCreateOnIssue",                     asks(&[issue(IssueEdit, "input.issueId").with(AGENT)]).out()),
    ("agentSessionUpdate",                            agents("a session is its application's to change").out()),
    ("agentSessionUpdateExternalUrl",                 agents("a session is its application's to change").out()),
    ("agentSkillCreate",                              reads(create_skill).knows(&["teamId"]).agent_unless(&["input.teamId"], OWN_ACCOUNT).out()),
    ("agentSkillDelete",                              asks(&[thing(SkillEdit, Skill, "id")])),
    ("agentSkillUpdate",                              asks(&[thing(SkillEdit, Skill, "id"), team(TeamSkills, "input.teamId").maybe()]).out()),
    ("airbyteIntegrationConnect",                     asks(&[workspace(WorkspaceIntegrations), workspace(WorkspaceAdmin)]).configures().out().hands_out()),
    ("attachmentCreate",                              asks(&[issue(IssueEdit, "input.issueId")]).out()),
    ("attachmentDelete",                              asks(&[via(IssueEdit, Attachment, "issue", "id")])),
    ("attachmentLinkDiscord",                         asks(&[issue(IssueEdit, "issueId")]).out()),
    ("attachmentLinkFront",                           asks(&[issue(IssueEdit, "issueId")]).out()),
    ("attachmentLinkGitHubIssue",                     asks(&[issue(IssueEdit, "issueId")]).out()),
    ("attachmentLinkGitHubPR",                        asks(&[issue(IssueEdit, "issueId")]).out()),
    ("attachmentLinkGitLabMR",                        asks(&[issue(IssueEdit, "issueId")]).out()),
    ("attachmentLinkIntercom",                        asks(&[issue(IssueEdit, "issueId")]).out()),
    ("attachmentLinkJiraIssue",                       asks(&[issue(IssueEdit, "issueId")]).out()),
    ("attachmentLinkSalesforce",                      asks(&[issue(IssueEdit, "issueId")]).out()),
    ("attachmentLinkSlack",                           asks(&[issue(IssueEdit, "issueId")]).out()),
    ("attachmentLinkURL",                             asks(&[issue(IssueEdit, "issueId")]).out()),
    ("attachmentLinkZendesk",                         asks(&[issue(IssueEdit, "issueId")]).out()),
    ("attachmentSyncToSlack",                         asks(&[via(IssueEdit, Attachment, "issue", "id")]).out()),
    ("attachmentUpdate",                              asks(&[via(IssueEdit, Attachment, "issue", "id")]).out()),
    ("commentCreate",                                 reads(create_comment).listed().out()),
    ("commentDelete",                                 asks(&[thing(CommentDelete, Comment, "id")])),
    ("commentResolve",                                asks(&[thing(CommentResolve, Comment, "id"), thing(CommentView, Comment, "resolvingCommentId").maybe()])),
    ("commentUnresolve",                              asks(&[thing(CommentResolve, Comment, "id")])),
    ("commentUpdate",                                 reads(update_comment).listed().out()),
    ("contactCreate",                                 left_out_for(VENDORS_STAFF)),
    ("contactSalesCreate",                            left_out_for(VENDORS_STAFF)),
    ("createCsvExportReport",                         reads(export).knows(&["includePrivateTeamIds", "includeRestrictedTeamIds"]).out()),
    ("createInitiativeUpdateReminder",                asks(&[workspace(WorkspaceMember)]).reads_too(for_somebody).knows(&["userId"]).out()),
    ("createOrganizationFromOnboarding",              left_out_for(OTHER_WORKSPACE)),
    ("createProjectUpdateReminder",                   asks(&[project(ProjectView, "projectId")]).reads_too(for_somebody).knows(&["userId"]).out()),
    ("customViewCreate",                              reads(create_view).knows(&["projectId", "teamId", "ownerId"]).agent_unless(&["input.shared"], OWN_ACCOUNT)),
    ("customViewDelete",                              asks(&[thing(ViewEdit, View, "id")])),
    ("customViewUpdate",                              reads(update_view).knows(&["projectId", "teamId"])),
    ("customerCreate",                                asks(&[workspace(WorkspaceMember), workspace_by(WorkspaceIntegrations, "input.slackChannelId").maybe()]).out()),
    ("customerDelete",                                asks(&[workspace(WorkspaceMember)])),
    ("customerMerge",                                 asks(&[workspace(WorkspaceMember)])),
    ("customerNeedArchive",                           asks(&[thing(NeedEdit, Need, "id")])),
    ("customerNeedCreate",                            asks(&[workspace(WorkspaceMember), issue(IssueEdit, "input.issueId").maybe(), project(ProjectEdit, "input.projectId").maybe(), via(IssueView, Attachment, "issue", "input.attachmentId").maybe(), thing(CommentView, Comment, "input.commentId").maybe()]).reads_too(needs_a_place).out()),
    ("customerNeedCreateFromAttachment",              asks(&[workspace(WorkspaceMember), via(IssueEdit, Attachment, "issue", "input.attachmentId")])),
    ("customerNeedDelete",                            asks(&[thing(NeedEdit, Need, "id")])),
    ("customerNeedUnarchive",                         asks(&[thing(NeedEdit, Need, "id")])),
    ("customerNeedUpdate",                            asks(&[thing(NeedEdit, Need, "id"), issue(IssueEdit, "input.issueId").maybe(), project(ProjectEdit, "input.projectId").maybe()]).reads_too(update_need).out()),
    ("customerStatusCreate",                          asks(&[workspace(WorkspaceAdmin)])),
    ("customerStatusDelete",                          asks(&[workspace(WorkspaceAdmin)])),
    ("customerStatusUpdate",                          asks(&[workspace(WorkspaceAdmin)])),
    ("customerTierCreate",                            asks(&[workspace(WorkspaceAdmin)])),
    ("customerTierDelete",                            asks(&[workspace(WorkspaceAdmin)])),
    ("customerTierUpdate",                            asks(&[workspace(WorkspaceAdmin)])),
    ("customerUnsync",                                asks(&[workspace(WorkspaceMember)])),
    ("customerUpdate",                                asks(&[workspace(WorkspaceMember), workspace_by(WorkspaceIntegrations, "input.slackChannelId").maybe()]).out()),
    ("customerUpsert",                                asks(&[workspace(WorkspaceMember), workspace_by(WorkspaceIntegrations, "input.slackChannelId").maybe()]).out()),
    ("cycleArchive",                                  asks(&[via(TeamManage, Cycle, "team", "id")])),
    ("cycleCreate",                                   asks(&[team(TeamManage, "input.teamId")])),
    ("cycleShiftAll",                                 asks(&[via(TeamManage, Cycle, "team", "input.id")])),
    ("cycleStartUpcomingCycleToday",                  asks(&[via(TeamManage, Cycle, "team", "id")])),
    ("cycleUpdate",                                   asks(&[via(TeamManage, Cycle, "team", "id")])),
    ("documentCreate",                                one_of(PARENTS_OF_DOCUMENT).out()),
    ("documentDelete",                                asks(&[thing(DocumentEdit, Document, "id")])),
    ("documentUnarchive",                             asks(&[thing(DocumentEdit, Document, "id")])),
    ("documentUpdate",                                asks(&[thing(DocumentEdit, Document, "id")]).reads_too(move_document).knows(MOVES_OF_DOCUMENT).out()),
    ("emailIntakeAddressCreate",                      reads(create_intake).knows(&["teamId", "templateId"]).out()),
    ("emailIntakeAddressDelete",                      asks(&[thing(IntakeEdit, Intake, "id")]).out()),
    ("emailIntakeAddressRefreshSesDomainStatus",      asks(&[thing(IntakeEdit, Intake, "id")]).out()),
    ("emailIntakeAddressRotate",                      asks(&[thing(IntakeEdit, Intake, "id")]).out()),
    ("emailIntakeAddressUpdate",                      asks(&[thing(IntakeEdit, Intake, "id"), team(TeamManage, "input.teamId").maybe(), thing(TemplateEdit, Template, "input.templateId").maybe()]).out()),
    ("emailTokenUserAccountAuth",                     left_out_for(SIGN_IN)),
    ("emailUnsubscribe",                              agents(OWN_ACCOUNT)),
    ("emailUserAccountAuthChallenge",                 left_out_for(SIGN_IN)),
    ("emojiCreate",                                   asks(&[workspace(WorkspaceMember)])),
    ("emojiDelete",                                   asks(&[thing(EmojiDelete, Emoji, "id")])),
    ("entityExternalLinkCreate",                      one_of(&[project(ProjectEdit, "input.projectId"), workspace_by(WorkspaceMember, "input.initiativeId"), via(ReleaseEdit, Release, "pipeline", "input.releaseId"), team(TeamView, "input.teamId"), via(TeamView, Cycle, "team", "input.cycleId")]).out()),
    ("entityExternalLinkDelete",                      asks(&[thing(LinkEdit, Link, "id")])),
    ("entityExternalLinkUpdate",                      asks(&[thing(LinkEdit, Link, "id")]).out()),
    ("favoriteCreate",                                agents(OWN_INBOX)),
    ("favoriteDelete",                                agents(OWN_INBOX)),
    ("favoriteUpdate",                                agents(OWN_INBOX)),
    ("fileUpload",                                    reads(upload_file).out()),
    ("fileUploadDangerouslyDelete",                   left_out_for("cannot be undone, and the address of a file does not say whose it is")),
    ("gitAutomationStateCreate",                      asks(&[team(TeamAutomation, "input.teamId"), team(TeamManage, "input.teamId")])),
    ("gitAutomationStateDelete",                      asks(&[workspace(WorkspaceAdmin)])),
    ("gitAutomationStateUpdate",                      asks(&[workspace(WorkspaceAdmin)])),
    ("gitAutomationTargetBranchCreate",               asks(&[team(TeamAutomation, "input.teamId"), team(TeamManage, "input.teamId")])),
    ("gitAutomationTargetBranchDelete",               asks(&[workspace(WorkspaceAdmin)])),
    ("gitAutomationTargetBranchUpdate",               asks(&[workspace(WorkspaceAdmin)])),
    ("googleUserAccountAuth",                         left_out_for(SIGN_IN)),
    ("imageUploadFromUrl",                            asks(&[workspace(WorkspaceUser)]).out()),
    ("importFileUpload",                              asks(&[workspace(WorkspaceImport)]).configures().out()),
    ("initiativeAddLabel",                            asks(&[workspace(WorkspaceMember)])),
    ("initiativeArchive",                             asks(&[workspace(WorkspaceMember)])),
    ("initiativeCreate",                              asks(&[workspace(WorkspaceMember), team(TeamView, "input.leadTeamId").maybe()]).out()),
    ("initiativeDelete",                              asks(&[workspace(WorkspaceMember)])),
    ("initiativeLabelCreate",                         asks(&[workspace(WorkspaceLabels)]).knows(&["parentId"])),
    ("initiativeLabelDelete",                         asks(&[workspace(WorkspaceLabels)]).knows(&["parentId"])),
    ("initiativeLabelRestore",                        asks(&[workspace(WorkspaceLabels)]).knows(&["parentId"])),
    ("initiativeLabelRetire",                         asks(&[workspace(WorkspaceLabels)]).knows(&["parentId"])),
    ("initiativeLabelUpdate",                         asks(&[workspace(WorkspaceLabels)]).knows(&["parentId"])),
    ("initiativeLeadTeamUpdate",                      reads(lead_initiative).knows(&["leadTeamId"])),
    ("initiativeRelationCreate",                      asks(&[workspace(WorkspaceMember)])),
    ("initiativeRelationDelete",                      asks(&[workspace(WorkspaceMember)])),
    ("initiativeRelationUpdate",                      asks(&[workspace(WorkspaceMember)])),
    ("initiativeRemoveLabel",                         asks(&[workspace(WorkspaceMember)])),
    ("initiativeToProjectCreate",                     asks(&[workspace(WorkspaceMember), project(ProjectEdit, "input.projectId")])),
    ("initiativeToProjectDelete",                     asks(&[workspace(WorkspaceMember), via(ProjectEdit, InitiativeProject, "project", "id")])),
    ("initiativeToProjectUpdate",                     asks(&[workspace(WorkspaceMember), via(ProjectEdit, InitiativeProject, "project", "id")])),
    ("initiativeUnarchive",                           asks(&[workspace(WorkspaceMember)])),
    ("initiativeUpdate",                              asks(&[workspace(WorkspaceMember), team(TeamView, "input.leadTeamId").maybe()]).out()),
    ("initiativeUpdateArchive",                       asks(&[workspace(WorkspaceMember)])),
    ("initiativeUpdateCreate",                        asks(&[workspace(WorkspaceMember)]).out()),
    ("initiativeUpdateUnarchive",                     asks(&[workspace(WorkspaceMember)])),
    ("initiativeUpdateUpdate",                        asks(&[workspace(WorkspaceMember)]).out()),
    ("integrationArchive",                            asks(&[workspace(WorkspaceAdmin)]).configures()),
    ("integrationAsksConnectChannel",                 asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationCustomerDataAttributesRefresh",      asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationDelete",                             asks(&[workspace(WorkspaceAdmin)]).configures()),
    ("integrationDiscord",                            asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationFigma",                              asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationFront",                              asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationGitHubEnterpriseServerConnect",      asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationGitHubPersonal",                     agents(OWN_ACCOUNT)),
    ("integrationGithubCommitCreate",                 asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationGithubConnect",                      asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationGithubImportConnect",                asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationGithubImportRefresh",                asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationGithubRemoveCodeAccess",             asks(&[workspace(WorkspaceAdmin)]).configures()),
    ("integrationGitlabConnect",                      asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationGitlabTestConnection",               asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationGong",                               asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationGoogleCalendarPersonalConnect",      agents(OWN_ACCOUNT)),
    ("integrationGoogleSheets",                       asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationIntercom",                           asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationIntercomDelete",                     asks(&[workspace(WorkspaceAdmin)]).configures()),
    ("integrationIntercomSettingsUpdate",             asks(&[workspace(WorkspaceIntegrations), team(TeamManage, "input.automaticConversationIntakeTeamId").maybe()]).configures().out()),
    ("integrationJiraFetchProjectStatuses",           asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationJiraPersonal",                       agents(OWN_ACCOUNT)),
    ("integrationJiraUpdate",                         asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationLaunchDarklyConnect",                asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationLaunchDarklyPersonalConnect",        agents(OWN_ACCOUNT)),
    ("integrationLoom",                               asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationMcpServerConnect",                   asks(&[workspace(WorkspaceIntegrations), team(TeamManage, "teamId").maybe()]).configures().out()),
    ("integrationMcpServerPersonalConnect",           agents(OWN_ACCOUNT)),
    ("integrationMicrosoftPersonalConnect",           agents(OWN_ACCOUNT)),
    ("integrationMicrosoftTeams",                     asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationMicrosoftTeamsProjectPost",          asks(&[workspace(WorkspaceIntegrations), project(ProjectEdit, "projectId")]).knows(&["channelId", "teamId"]).out()),
    ("integrationOpsgenieConnect",                    asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationOpsgenieRefreshScheduleMappings",    asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationPagerDutyConnect",                   asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationPagerDutyRefreshScheduleMappings",   asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationRequest",                            left_out_for(VENDORS_STAFF)),
    ("integrationSalesforce",                         asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationSalesforceMetadataRefresh",          asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationSentryConnect",                      asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationSettingsUpdate",                     asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationSlack",                              asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationSlackAsks",                          asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationSlackCustomViewNotifications",       asks(&[workspace(WorkspaceIntegrations), thing(ViewEdit, View, "customViewId")]).out()),
    ("integrationSlackCustomerChannelLink",           asks(&[workspace(WorkspaceIntegrations), workspace(WorkspaceMember)]).out()),
    ("integrationSlackImportEmojis",                  asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationSlackInitiativePost",                asks(&[workspace(WorkspaceIntegrations), workspace(WorkspaceMember)]).out()),
    ("integrationSlackOrAsksUpdateSlackTeamName",     asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationSlackOrgInitiativeUpdatesPost",      asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationSlackOrgProjectUpdatesPost",         asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationSlackPersonal",                      agents(OWN_ACCOUNT)),
    ("integrationSlackPost",                          asks(&[workspace(WorkspaceIntegrations), team(TeamManage, "teamId")]).out()),
    ("integrationSlackProjectPost",                   asks(&[workspace(WorkspaceIntegrations), project(ProjectEdit, "projectId")]).out()),
    ("integrationSlackWorkflowAccessUpdate",          asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationTemplateCreate",                     asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationTemplateDelete",                     asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationUpdate",                             asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationZendesk",                            asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("integrationsSettingsCreate",                    one_of(&[team(TeamManage, "input.teamId"), project(ProjectEdit, "input.projectId"), workspace_by(WorkspaceMember, "input.initiativeId"), thing(ViewEdit, View, "input.customViewId")]).out()),
    ("integrationsSettingsUpdate",                    asks(&[thing(NoticesEdit, Notices, "id")]).out()),
    ("issueAddLabel",                                 asks(&[issue(IssueEdit, "id")])),
    ("issueArchive",                                  asks(&[issue(IssueEdit, "id")])),
    ("issueBatchCreate",                              reads(create_issues).listed().out()),
    ("issueBatchUpdate",                              reads(update_issues).listed().out()),
    ("issueCreate",                                   reads(create_issue).listed().out()),
    ("issueDelete",                                   reads(delete_issue)),
    ("issueDescriptionUpdateFromFront",               asks(&[issue(IssueEdit, "id")]).out()),
    ("issueExternalSyncDisable",                      asks(&[via(IssueEdit, Attachment, "issue", "attachmentId")])),
    ("issueImportCreateAsana",                        asks(&[workspace(WorkspaceImport), team(IssueCreate, "teamId").maybe()]).configures().out()),
    ("issueImportCreateCSVJira",                      asks(&[workspace(WorkspaceImport), team(IssueCreate, "teamId").maybe()]).configures().out()),
    ("issueImportCreateClubhouse",                    asks(&[workspace(WorkspaceImport), team(IssueCreate, "teamId").maybe()]).configures().out()),
    ("issueImportCreateGithub",                       asks(&[workspace(WorkspaceImport), team(IssueCreate, "teamId").maybe()]).configures().out()),
    ("issueImportCreateJira",                         asks(&[workspace(WorkspaceImport), team(IssueCreate, "teamId").maybe()]).configures().out()),
    ("issueImportCreateLinearV2",                     asks(&[workspace(WorkspaceImport), team(IssueCreate, "teamId").maybe()]).configures().out()),
    ("issueImportDelete",                             asks(&[workspace(WorkspaceImport)]).configures().out()),
    ("issueImportProcess",                            asks(&[workspace(WorkspaceImport)]).configures().out()),
    ("issueImportUpdate",                             asks(&[workspace(WorkspaceImport)]).configures().out()),
    ("issueLabelCreate",                              reads(create_label).listed()),
    ("issueLabelDelete",                              asks(&[thing(LabelEdit, Label, "id")])),
    ("issueLabelRestore",                             asks(&[thing(LabelEdit, Label, "id")])),
    ("issueLabelRetire",                              asks(&[thing(LabelEdit, Label, "id")])),
    ("issueLabelUpdate",                              asks(&[thing(LabelEdit, Label, "id")]).reads_too(replace_team_labels).knows(&["parentId"])),
    ("issueRelationCreate",                           asks(&[issue(IssueEdit, "input.issueId"), issue(IssueView, "input.relatedIssueId")]).out()),
    ("issueRelationDelete",                           asks(&[via(IssueEdit, Relation, "issue", "id")])),
    ("issueRelationUpdate",                           asks(&[via(IssueEdit, Relation, "issue", "id"), issue(IssueEdit, "input.issueId").maybe(), issue(IssueView, "input.relatedIssueId").maybe()])),
    ("issueReminder",                                 asks(&[issue(IssueView, "id")]).agent(OWN_INBOX)),
    ("issueRemoveLabel",                              asks(&[issue(IssueEdit, "id")])),
    ("issueShare",                                    asks(&[issue(IssueShare, "id")]).out().knows(&["userId"])),
    ("issueSubscribe",                                reads(subscribe_to_issue).knows(&["userEmail", "userId"]).agent_unless(&["userId", "userEmail"], OWN_INBOX).out()),
    ("issueToReleaseCreate",                          asks(&[issue(IssueEdit, "input.issueId"), via(ReleaseEdit, Release, "pipeline", "input.releaseId")])),
    ("issueToReleaseDelete",                          asks(&[via(IssueEdit, ReleaseIssue, "issue", "id"), via(ReleaseEdit, ReleaseIssue, "pipeline", "id")])),
    ("issueToReleaseDeleteByIssueAndRelease",         asks(&[issue(IssueEdit, "issueId"), via(ReleaseEdit, Release, "pipeline", "releaseId")])),
    ("issueUnarchive",                                asks(&[issue(IssueEdit, "id")])),
    ("issueUnshare",                                  asks(&[issue(IssueShare, "id")]).out().knows(&["userId"])),
    ("issueUnsubscribe",                              reads(subscribe_to_issue).knows(&["userEmail", "userId"]).agent_unless(&["userId", "userEmail"], OWN_INBOX).out()),
    ("issueUpdate",                                   reads(update_issue).listed().out()),
    ("jiraIntegrationConnect",                        asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("joinOrganizationFromOnboarding",                left_out_for(OTHER_WORKSPACE)),
    ("leaveOrganization",                             left_out_for(OTHER_WORKSPACE)),
    ("logout",                                        left_out_for(SIGN_IN)),
    ("logoutAllSessions",                             left_out_for(SIGN_IN)),
    ("logoutOtherSessions",                           left_out_for(SIGN_IN)),
    ("logoutSession",                                 left_out_for(SIGN_IN)),
    ("notificationArchive",                           agents(OWN_INBOX)),
    ("notificationArchiveAll",                        agents(OWN_INBOX)),
    ("notificationCategoryChannelSubscriptionUpdate", agents(OWN_INBOX)),
    ("notificationMarkReadAll",                       agents(OWN_INBOX)),
    ("notificationMarkUnreadAll",                     agents(OWN_INBOX)),
    ("notificationSnoozeAll",                         agents(OWN_INBOX)),
    ("notificationSubscriptionCreate",                agents(OWN_INBOX)),
    ("notificationSubscriptionDelete",                agents(OWN_INBOX)),
    ("notificationSubscriptionUpdate",                agents(OWN_INBOX)),
    ("notificationUnarchive",                         agents(OWN_INBOX)),
    ("notificationUnsnoozeAll",                       agents(OWN_INBOX)),
    ("notificationUpdate",                            agents(OWN_INBOX)),
    ("oauthApplicationArchive",                       asks(&[workspace(WorkspaceApi)]).agent("an application that the calling application made")),
    ("oauthApplicationCreate",                        asks(&[workspace(WorkspaceApi)]).agent("an application that the calling application made").hands_out()),
    ("oauthApplicationRotateSecret",                  asks(&[workspace(WorkspaceApi)]).agent("an application that the calling application made").hands_out()),
    ("oauthApplicationRotateWebhookSecret",           asks(&[workspace(WorkspaceApi)]).agent("an application that the calling application made").hands_out()),
    ("oauthApplicationUpdate",                        asks(&[workspace(WorkspaceApi)]).agent("an application that the calling application made")),
    ("organizationCancelDelete",                      asks(&[workspace(WorkspaceSettings)])),
    ("organizationDelete",                            asks(&[workspace(WorkspaceSettings)])),
    ("organizationDeleteChallenge",                   asks(&[workspace(WorkspaceSettings)])),
    ("organizationDomainClaim",                       asks(&[workspace(WorkspaceSettings)])),
    ("organizationDomainCreate",                      asks(&[workspace(WorkspaceSettings)])),
    ("organizationDomainDelete",                      asks(&[workspace(WorkspaceSettings)])),
    ("organizationDomainUpdate",                      asks(&[workspace(WorkspaceSettings)])),
    ("organizationDomainVerify",                      asks(&[workspace(WorkspaceSettings)])),
    ("organizationInviteCreate",                      reads(invite).knows(&["teamIds"]).out()),
    ("organizationInviteDelete",                      asks(&[workspace(WorkspaceInvite)]).out().knows(&["email"])),
    ("organizationInviteUpdate",                      reads(invite).knows(&["teamIds"]).out()),
    ("organizationStartTrial",                        asks(&[workspace(WorkspaceSettings)])),
    ("organizationStartTrialForPlan",                 asks(&[workspace(WorkspaceSettings)])),
    ("organizationUpdate",                            asks(&[workspace(WorkspaceSettings)])),
    ("partnerApplicationCreate",                      left_out_for(VENDORS_STAFF)),
    ("passkeyLoginFinish",                            left_out_for(SIGN_IN)),
    ("passkeyLoginStart",                             left_out_for(SIGN_IN)),
    ("projectAddLabel",                               asks(&[project(ProjectEdit, "id")])),
    ("projectArchive",                                asks(&[project(ProjectEdit, "id")])),
    ("projectCreate",                                 reads(create_project).listed().out()),
    ("projectCreateSlackChannel",                     asks(&[project(ProjectEdit, "id"), workspace(WorkspaceIntegrations)]).out().knows(&["integrationId"])),
    ("projectDelete",                                 asks(&[project(ProjectEdit, "id").with(ARCHIVED_OK)])),
    ("projectExternalSyncDisable",                    asks(&[project(ProjectEdit, "projectId")])),
    ("projectLabelCreate",                            reads(create_project_label).listed()),
    ("projectLabelDelete",                            asks(&[workspace(WorkspaceLabels)]).knows(&["parentId"])),
    ("projectLabelRestore",                           asks(&[workspace(WorkspaceLabels)]).knows(&["parentId"])),
    ("projectLabelRetire",                            asks(&[workspace(WorkspaceLabels)]).knows(&["parentId"])),
    ("projectLabelUpdate",                            asks(&[workspace(WorkspaceLabels)]).knows(&["parentId"])),
    ("projectMilestoneCreate",                        asks(&[project(ProjectEdit, "input.projectId")]).out()),
    ("projectMilestoneDelete",                        asks(&[via(ProjectEdit, Milestone, "project", "id")])),
    ("projectMilestoneMove",                          reads(move_milestone).listed().out()),
    ("projectMilestoneUpdate",                        asks(&[via(ProjectEdit, Milestone, "project", "id"), project(ProjectEdit, "input.projectId").maybe()]).out()),
    ("projectReassignStatus",                         asks(&[workspace(WorkspaceAdmin)])),
    ("projectRelationCreate",                         asks(&[project(ProjectEdit, "input.projectId"), project(ProjectView, "input.relatedProjectId"), via(ProjectView, Milestone, "project", "input.projectMilestoneId").maybe(), via(ProjectView, Milestone, "project", "input.relatedProjectMilestoneId").maybe()])),
    ("projectRelationDelete",                         asks(&[via(ProjectEdit, ProjectRelation, "project", "id")])),
    ("projectRelationUpdate",                         asks(&[via(ProjectEdit, ProjectRelation, "project", "id"), project(ProjectEdit, "input.projectId").maybe(), project(ProjectView, "input.relatedProjectId").maybe(), via(ProjectView, Milestone, "project", "input.projectMilestoneId").maybe(), via(ProjectView, Milestone, "project", "input.relatedProjectMilestoneId").maybe()])),
    ("projectRemoveLabel",                            asks(&[project(ProjectEdit, "id")])),
    ("projectStatusArchive",                          asks(&[workspace(WorkspaceAdmin)])),
    ("projectStatusCreate",                           asks(&[workspace(WorkspaceAdmin)])),
    ("projectStatusUnarchive",                        asks(&[workspace(WorkspaceAdmin)])),
    ("projectStatusUpdate",                           asks(&[workspace(WorkspaceAdmin)])),
    ("projectUnarchive",                              asks(&[project(ProjectEdit, "id").with(ARCHIVED_OK)])),
    ("projectUpdate",                                 reads(update_project).listed().out()),
    ("projectUpdateArchive",                          asks(&[via(ProjectEdit, ProjectUpdate, "project", "id")])),
    ("projectUpdateCreate",                           asks(&[project(ProjectEdit, "input.projectId")]).out()),
    ("projectUpdateDelete",                           asks(&[via(ProjectEdit, ProjectUpdate, "project", "id")])),
    ("projectUpdateUnarchive",                        asks(&[via(ProjectEdit, ProjectUpdate, "project", "id")])),
    ("projectUpdateUpdate",                           asks(&[via(ProjectEdit, ProjectUpdate, "project", "id")]).out()),
    ("pushSubscriptionCreate",                        agents(OWN_ACCOUNT)),
    ("pushSubscriptionDelete",                        agents(OWN_ACCOUNT)),
    ("reactionCreate",                                one_of(&[issue(IssueView, "input.issueId"), thing(CommentView, Comment, "input.commentId"), via(ProjectView, ProjectUpdate, "project", "input.projectUpdateId"), workspace_by(WorkspaceMember, "input.initiativeUpdateId")]).out()),
    ("reactionDelete",                                agents(OWN_WORDS)),
    ("refreshGoogleSheetsData",                       asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("releaseArchive",                                asks(&[via(ReleaseEdit, Release, "pipeline", "id")])),
    ("releaseComplete",                               asks(&[thing(ReleaseEdit, Pipeline, "input.pipelineId")]).out()),
    ("releaseCompleteByAccessKey",                    left_out_for(ACCESS_KEY)),
    ("releaseCreate",                                 asks(&[thing(ReleaseEdit, Pipeline, "input.pipelineId"), via(ReleaseEdit, ReleaseStage, "pipeline", "input.stageId").maybe()]).out()),
    ("releaseDelete",                                 asks(&[via(ReleaseEdit, Release, "pipeline", "id")])),
    ("releaseNoteCreate",                             asks(&[thing(ReleaseEdit, Pipeline, "input.pipelineId"), via(ReleaseEdit, Release, "pipeline", "input.releaseIds").maybe(), via(ReleaseEdit, Release, "pipeline", "input.rangeFromReleaseId").maybe(), via(ReleaseEdit, Release, "pipeline", "input.rangeToReleaseId").maybe()]).out()),
    ("releaseNoteDelete",                             asks(&[via(ReleaseEdit, ReleaseNote, "pipeline", "id")])),
    ("releaseNoteUpdate",                             asks(&[via(ReleaseEdit, ReleaseNote, "pipeline", "id"), via(ReleaseEdit, Release, "pipeline", "input.releaseIds").maybe(), via(ReleaseEdit, Release, "pipeline", "input.rangeFromReleaseId").maybe(), via(ReleaseEdit, Release, "pipeline", "input.rangeToReleaseId").maybe()]).out()),
    ("releasePipelineArchive",                        asks(&[workspace(WorkspaceAdmin)])),
    ("releasePipelineCreate",                         asks(&[workspace(WorkspaceAdmin), team(TeamView, "input.teamIds").maybe()])),
    ("releasePipelineDelete",                         asks(&[workspace(WorkspaceAdmin)])),
    ("releasePipelineUnarchive",                      asks(&[workspace(WorkspaceAdmin)])),
    ("releasePipelineUpdate",                         asks(&[workspace(WorkspaceAdmin), team(TeamView, "input.teamIds").maybe()])),
    ("releaseStageArchive",                           asks(&[via(ReleaseEdit, ReleaseStage, "pipeline", "id"), workspace(WorkspaceAdmin)])),
    ("releaseStageCreate",                            asks(&[thing(ReleaseEdit, Pipeline, "input.pipelineId"), workspace(WorkspaceAdmin)])),
    ("releaseStageUnarchive",                         asks(&[via(ReleaseEdit, ReleaseStage, "pipeline", "id"), workspace(WorkspaceAdmin)])),
    ("releaseStageUpdate",                            asks(&[via(ReleaseEdit, ReleaseStage, "pipeline", "id"), workspace(WorkspaceAdmin)])),
    ("releaseSync",                                   reads(sync_release).listed().out()),
    ("releaseSyncByAccessKey",                        left_out_for(ACCESS_KEY)),
    ("releaseUnarchive",                              asks(&[via(ReleaseEdit, Release, "pipeline", "id")])),
    ("releaseUpdate",                                 asks(&[via(ReleaseEdit, Release, "pipeline", "id"), via(ReleaseEdit, ReleaseStage, "pipeline", "input.stageId").maybe()]).out()),
    ("releaseUpdateByPipeline",                       asks(&[thing(ReleaseEdit, Pipeline, "input.pipelineId")]).out()),
    ("releaseUpdateByPipelineByAccessKey",            left_out_for(ACCESS_KEY)),
    ("resendOrganizationInvite",                      asks(&[workspace(WorkspaceInvite)]).out().knows(&["email"])),
    ("resendOrganizationInviteByEmail",               asks(&[workspace(WorkspaceInvite)]).out().knows(&["email"])),
    ("roadmapArchive",                                asks(&[workspace(WorkspaceMember)])),
    ("roadmapCreate",                                 asks(&[workspace(WorkspaceMember)])),
    ("roadmapDelete",                                 asks(&[workspace(WorkspaceMember)])),
    ("roadmapToProjectCreate",                        asks(&[workspace(WorkspaceMember), project(ProjectEdit, "input.projectId")])),
    ("roadmapToProjectDelete",                        asks(&[workspace(WorkspaceMember), via(ProjectEdit, RoadmapProject, "project", "id")])),
    ("roadmapToProjectUpdate",                        asks(&[workspace(WorkspaceMember), via(ProjectEdit, RoadmapProject, "project", "id")])),
    ("roadmapUnarchive",                              asks(&[workspace(WorkspaceMember)])),
    ("roadmapUpdate",                                 asks(&[workspace(WorkspaceMember)])),
    ("samlTokenUserAccountAuth",                      left_out_for(SIGN_IN)),
    ("teamCreate",                                    asks(&[workspace(TeamCreate), team(TeamView, "copySettingsFromTeamId").maybe(), team(TeamAdmin, "input.parentId").maybe()])),
    ("teamCyclesDelete",                              asks(&[team(TeamAdmin, "id")])),
    ("teamDelete",                                    asks(&[team(TeamAdmin, "id")])),
    ("teamKeyDelete",                                 asks(&[workspace(WorkspaceAdmin)])),
    ("teamMembershipCreate",                          reads(join_team).listed().out()),
    ("teamMembershipDelete",                          asks(&[thing(MembershipDelete, Membership, "id")])),
    ("teamMembershipUpdate",                          reads(update_membership)),
    ("teamUnarchive",                                 asks(&[team(TeamAdmin, "id").with(ARCHIVED_OK)])),
    ("teamUpdate",                                    reads(update_team).knows(&["parentId"])),
    ("templateCreate",                                reads(create_template).knows(&["pipelineId", "teamId"])),
    ("templateDelete",                                asks(&[thing(TemplateEdit, Template, "id")])),
    ("templateUpdate",                                asks(&[thing(TemplateEdit, Template, "id"), team(TeamTemplates, "input.teamId").maybe()])),
    ("timeScheduleCreate",                            asks(&[workspace(WorkspaceAdmin)])),
    ("timeScheduleDelete",                            asks(&[workspace(WorkspaceAdmin)])),
    ("timeScheduleRefreshIntegrationSchedule",        asks(&[workspace(WorkspaceAdmin)])),
    ("timeScheduleUpdate",                            asks(&[workspace(WorkspaceAdmin)])),
    ("timeScheduleUpsertExternal",                    asks(&[workspace(WorkspaceAdmin)])),
    ("trackAnonymousEvent",                           left_out_for(VENDORS_STAFF)),
    ("triageResponsibilityCreate",                    asks(&[team(TeamAdmin, "input.teamId")])),
    ("triageResponsibilityDelete",                    asks(&[via(TeamAdmin, Triage, "team", "id")])),
    ("triageResponsibilityUpdate",                    asks(&[via(TeamAdmin, Triage, "team", "id")])),
    ("updateIntegrationSlackScopes",                  asks(&[workspace(WorkspaceIntegrations)]).configures().out()),
    ("userChangeRole",                                reads(change_role)),
    ("userDiscordConnect",                            agents(OWN_ACCOUNT)),
    ("userExternalUserDisconnect",                    agents(OWN_ACCOUNT)),
    ("userFlagUpdate",                                agents(OWN_ACCOUNT)),
    ("userRevokeAllSessions",                         reads(change_account)),
    ("userRevokeSession",                             reads(change_account)),
    ("userSettingsFlagsReset",                        agents(OWN_ACCOUNT)),
    ("userSettingsUpdate",                            agents(OWN_ACCOUNT)),
    ("userSuspend",                                   reads(change_account)),
    ("userUnlinkFromIdentityProvider",                reads(change_account)),
    ("userUnsuspend",                                 reads(change_account)),
    ("userUpdate",                                    reads(update_account)),
    ("viewPreferencesCreate",                         reads(create_preferences).knows(&["customViewId", "initiativeLabelId", "labelId", "projectId", "projectLabelId", "releasePipelineId", "teamId", "userId"]).agent(OWN_ACCOUNT)),
    ("viewPreferencesDelete",                         asks(&[workspace(WorkspaceAdmin)]).agent(OWN_ACCOUNT)),
    ("viewPreferencesUpdate",                         asks(&[workspace(WorkspaceAdmin)]).agent(OWN_ACCOUNT)),
    ("webhookCreate",                                 asks(&[workspace(WorkspaceApi), team(TeamView, "input.teamId").maybe()]).out().hands_out()),
    ("webhookDelete",                                 asks(&[workspace(WorkspaceApi)])),
    ("webhookRotateSecret",                           asks(&[workspace(WorkspaceApi)]).out().hands_out()),
    ("webhookUpdate",                                 asks(&[workspace(WorkspaceApi)]).out()),
    ("workflowStateArchive",                          asks(&[via(TeamManage, State, "team", "id")])),
    ("workflowStateCreate",                           asks(&[team(TeamManage, "input.teamId")])),
    ("workflowStateUpdate",                           asks(&[via(TeamManage, State, "team", "id")])),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(MUTATIONS.is_sorted_by(|(before, _), (after, _)| before < after));
        assert!(HARMLESS.is_sorted_by(|before, after| before < after));
    }
}
