//! Table: the mutations of GitHub's GraphQL API.
//!
//! A mutation names what it changes by node ids in its `input`; each becomes a pointer. Most ask one action of what their ids lead
//! to, some are read by a function of `input`, the rest are left out for a reason. Deleting and removing is told by the name.
//! INVARIANT: every node id of an input by which something is changed is asked about: one may lead into another repository.
//! Source: docs.github.com/graphql/reference/mutations; "Repository roles for an organization"; read 2026-11-30.

mod input;

use toolpass_core::effect::Effect;
use toolpass_wire::extract::Pair;
use toolpass_wire::field::Unresolved;
use toolpass_wire::graphql::RootField;
use toolpass_wire::graphql::input::Input;

use super::{at_node, selection};
use crate::actions::Action::{
    self, OrgAdmin, PrMerge, RepoAdmin, RepoMaintain, RepoPush, RepoRead, RepoTriage,
    TeamMaintainer, TeamMember,
};
use crate::facts::{
    ARCHIVED_OK, AUTHOR_OF, BASE_OF_PULL, DELEGABLE, HEAD_OF_PULL, LOCKED_OF, ORGANIZATION_SWITCH,
    REACTION_ON, REOPENS, WHEN_READY, WRITES,
};
use input::{
    assign, clone_template, close_issue, comment_on_lines, commit_on_branch, create_deployment,
    create_discussion, create_issue, create_linked_branch, create_project, create_pull_request,
    create_ref, create_repository, enqueue, issue_of_project, item_of_project, link_of_project,
    merge_branch, review, sub_issue, teams_of_repository, update_issue, update_pull_request,
    update_refs, update_repository,
};

/// What one mutation comes to.
pub(super) struct Asked {
    pub(super) pairs: Vec<Pair>,
    pub(super) effect: Effect,
    pub(super) sends_out: bool,
}

/// What a root of a mutation comes to.
/// Errors: [`Unresolved`] for one that is left out or not known, or whose input does not say what it changes.
pub(super) fn asked(root: &RootField) -> Result<Asked, Unresolved> {
    let name = root.name.as_str();
    let unknown = || {
        Unresolved::new(format!(
            "the GraphQL mutation `{name}` is not known; use the REST API"
        ))
    };
    let row = MUTATIONS
        .binary_search_by(|(known, _)| (*known).cmp(name))
        .ok()
        .and_then(|at| MUTATIONS.get(at));
    let (_, row) = row.ok_or_else(unknown)?;
    selection::of_payload(&root.selections)?;
    let input = Input::only(root)?;
    let pairs = match row.how {
        How::Asks(action, ids) => ids
            .iter()
            .map(|id| row.pair(action, input.text(id)?))
            .collect::<Result<_, _>>()?,
        How::Reads(read) => read(&input)?,
        How::LeftOut(why) => {
            return Err(Unresolved::new(format!(
                "the GraphQL mutation `{name}` is left out: {why}"
            )));
        }
    };
    Ok(Asked {
        pairs,
        effect: effect_of(name),
        sends_out: row.sends_out || MESSAGES.iter().any(|name| input.says(name)),
    })
}

/// The known mutations, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    MUTATIONS.iter().map(|(name, _)| *name)
}

/// Why a mutation is left out.
pub fn left_out(name: &str) -> Option<&'static str> {
    MUTATIONS
        .iter()
        .find(|(known, _)| *known == name)
        .and_then(|(_, row)| match row.how {
            How::LeftOut(why) => Some(why),
            How::Asks(..) | How::Reads(_) => None,
        })
}

/// One row.
struct Row {
    how: How,
    says: Option<&'static str>,
    with: Option<(&'static str, &'static str)>,
    sends_out: bool,
}

enum How {
    /// The action, of what each of these members of the input leads to.
    Asks(Action, &'static [&'static str]),
    /// A function that reads the input.
    Reads(fn(&Input<'_>) -> Result<Vec<Pair>, Unresolved>),
    /// None, for this reason.
    LeftOut(&'static str),
}

impl Row {
    const fn new(how: How) -> Row {
        Row {
            how,
            says: None,
            with: None,
            sends_out: false,
        }
    }

    /// A fact whose value is the node itself.
    const fn says(mut self, fact: &'static str) -> Row {
        self.says = Some(fact);
        self
    }

    /// A fact.
    const fn with(mut self, fact: &'static str, value: &'static str) -> Row {
        self.with = Some((fact, value));
        self
    }

    const fn sends_out(mut self) -> Row {
        self.sends_out = true;
        self
    }

    fn pair(&self, action: Action, id: &str) -> Result<Pair, Unresolved> {
        let mut pair = at_node(action, id)?;
        if let Some(fact) = self.says {
            pair = pair.fact(fact, format!("node/{id}"));
        }
        if let Some((fact, value)) = self.with {
            pair = pair.fact(fact, value);
        }
        Ok(pair)
    }
}

const fn asks(action: Action, ids: &'static [&'static str]) -> Row {
    Row::new(How::Asks(action, ids))
}

const fn reads(read: fn(&Input<'_>) -> Result<Vec<Pair>, Unresolved>) -> Row {
    Row::new(How::Reads(read))
}

const fn left_out_for(why: &'static str) -> Row {
    Row::new(How::LeftOut(why))
}

fn effect_of(name: &str) -> Effect {
    if ["delete", "remove", "revoke"]
        .iter()
        .any(|verb| name.starts_with(verb))
    {
        Effect::Destructive
    } else {
        Effect::Write
    }
}

const AUTHORSHIP: &str = "rewrites who wrote imported content; for owners, by hand";
const CLASSIC_PROJECTS: &str = "classic projects are withdrawn";
const DEPLOYMENT_BY_NODE: &str =
    "the environments are named by node ids only; use `pending_deployments` of the REST API";
const ENTERPRISE: &str = "an enterprise is its owners'";
const MONEY: &str = "moves money, or offers to";
const OWN_ACCOUNT: &str = "changes the agent's own account";
const REF_BY_NODE: &str = "the branch is named by a node id only; use `git/refs` of the REST API";
const REVIEW_BY_NODE: &str =
    "the pull request is not named; use `reviews/{review_id}/dismissals` of the REST API";

/// Members of an input that a merge says of itself.
const MESSAGES: &[&str] = &["commitBody", "commitHeadline", "commitMessage"];

/// Sorted by name.
#[rustfmt::skip]
const MUTATIONS: &[(&str, Row)] = &[
    ("abortQueuedMigrations",                                           asks(OrgAdmin, &["ownerId"])),
    ("abortRepositoryMigration",                                        asks(OrgAdmin, &["migrationId"])),
    ("acceptEnterpriseAdministratorInvitation",                         left_out_for(ENTERPRISE)),
    ("acceptEnterpriseMemberInvitation",                                left_out_for(ENTERPRISE)),
    ("acceptTopicSuggestion",                                           asks(RepoMaintain, &["repositoryId"])),
    ("accessUserNamespaceRepository",                                   left_out_for(ENTERPRISE)),
    ("addAssigneesToAssignable",                                        reads(assign)),
    ("addComment",                                                      asks(RepoRead, &["subjectId"]).says(LOCKED_OF).sends_out()),
    ("addDiscussionComment",                                            asks(RepoRead, &["discussionId"]).says(LOCKED_OF).sends_out()),
    ("addDiscussionPollVote",                                           asks(RepoRead, &["pollOptionId"]).with(WRITES, "1")),
    ("addEnterpriseOrganizationMember",                                 left_out_for(ENTERPRISE)),
    ("addEnterpriseSupportEntitlement",                                 left_out_for(ENTERPRISE)),
    ("addLabelsToLabelable",                                            asks(RepoTriage, &["labelableId"])),
    ("addProjectCard",                                                  left_out_for(CLASSIC_PROJECTS)),
    ("addProjectColumn",                                                left_out_for(CLASSIC_PROJECTS)),
    ("addProjectV2DraftIssue",                                          asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("addProjectV2ItemById",                                            reads(item_of_project)),
    ("addPullRequestReview",                                            reads(review).sends_out()),
    ("addPullRequestReviewComment",                                     reads(comment_on_lines).sends_out()),
    ("addPullRequestReviewThread",                                      reads(comment_on_lines).sends_out()),
    ("addPullRequestReviewThreadReply",                                 reads(comment_on_lines).sends_out()),
    ("addReaction",                                                     asks(RepoRead, &["subjectId"]).says(REACTION_ON)),
    ("addStar",                                                         left_out_for(OWN_ACCOUNT)),
    ("addSubIssue",                                                     reads(sub_issue)),
    ("addUpvote",                                                       asks(RepoRead, &["subjectId"]).with(WRITES, "1")),
    ("addVerifiableDomain",                                             asks(OrgAdmin, &["ownerId"])),
    ("approveDeployments",                                              left_out_for(DEPLOYMENT_BY_NODE)),
    ("approveVerifiableDomain",                                         asks(OrgAdmin, &["id"])),
    ("archiveProjectV2Item",                                            asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("archiveRepository",                                               asks(RepoAdmin, &["repositoryId"])),
    ("cancelEnterpriseAdminInvitation",                                 left_out_for(ENTERPRISE)),
    ("cancelEnterpriseMemberInvitation",                                left_out_for(ENTERPRISE)),
    ("cancelSponsorship",                                               left_out_for(MONEY)),
    ("changeUserStatus",                                                left_out_for(OWN_ACCOUNT)),
    ("clearLabelsFromLabelable",                                        asks(RepoTriage, &["labelableId"])),
    ("clearProjectV2ItemFieldValue",                                    asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("cloneProject",                                                    left_out_for(CLASSIC_PROJECTS)),
    ("cloneTemplateRepository",                                         reads(clone_template).sends_out()),
    ("closeDiscussion",                                                 asks(RepoTriage, &["discussionId"]).says(AUTHOR_OF)),
    ("closeIssue",                                                      reads(close_issue)),
    ("closePullRequest",                                                asks(RepoTriage, &["pullRequestId"]).says(AUTHOR_OF)),
    ("convertProjectCardNoteToIssue",                                   reads(issue_of_project).sends_out()),
    ("convertProjectV2DraftIssueItemToIssue",                           reads(issue_of_project).sends_out()),
    ("convertPullRequestToDraft",                                       asks(RepoPush, &["pullRequestId"]).says(AUTHOR_OF)),
    ("copyProjectV2",                                                   asks(OrgAdmin, &["projectId", "ownerId"]).with(DELEGABLE, "1")),
    ("createAttributionInvitation",                                     left_out_for(AUTHORSHIP)),
    ("createBranchProtectionRule",                                      asks(RepoAdmin, &["repositoryId"])),
    ("createCheckRun",                                                  asks(RepoPush, &["repositoryId"]).sends_out()),
    ("createCheckSuite",                                                asks(RepoPush, &["repositoryId"])),
    ("createCommitOnBranch",                                            reads(commit_on_branch).sends_out()),
    ("createDeployment",                                                reads(create_deployment).sends_out()),
    ("createDeploymentStatus",                                          asks(RepoPush, &["deploymentId"]).sends_out()),
    ("createDiscussion",                                                reads(create_discussion).sends_out()),
    ("createEnterpriseOrganization",                                    left_out_for(ENTERPRISE)),
    ("createEnvironment",                                               asks(RepoAdmin, &["repositoryId"])),
    ("createIpAllowListEntry",                                          asks(OrgAdmin, &["ownerId"])),
    ("createIssue",                                                     reads(create_issue).sends_out()),
    ("createLabel",                                                     asks(RepoPush, &["repositoryId"]).sends_out()),
    ("createLinkedBranch",                                              reads(create_linked_branch)),
    ("createMigrationSource",                                           asks(OrgAdmin, &["ownerId"])),
    ("createProject",                                                   left_out_for(CLASSIC_PROJECTS)),
    ("createProjectV2",                                                 reads(create_project)),
    ("createProjectV2Field",                                            asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("createProjectV2StatusUpdate",                                     asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("createPullRequest",                                               reads(create_pull_request).sends_out()),
    ("createRef",                                                       reads(create_ref)),
    ("createRepository",                                                reads(create_repository).sends_out()),
    ("createRepositoryRuleset",                                         asks(RepoAdmin, &["sourceId"])),
    ("createSponsorsListing",                                           left_out_for(MONEY)),
    ("createSponsorsTier",                                              left_out_for(MONEY)),
    ("createSponsorship",                                               left_out_for(MONEY)),
    ("createSponsorships",                                              left_out_for(MONEY)),
    ("createTeamDiscussion",                                            asks(TeamMember, &["teamId"]).sends_out()),
    ("createTeamDiscussionComment",                                     asks(TeamMember, &["discussionId"]).sends_out()),
    ("createUserList",                                                  left_out_for(OWN_ACCOUNT)),
    ("declineTopicSuggestion",                                          asks(RepoMaintain, &["repositoryId"])),
    ("deleteBranchProtectionRule",                                      asks(RepoAdmin, &["branchProtectionRuleId"])),
    ("deleteDeployment",                                                asks(RepoPush, &["id"])),
    ("deleteDiscussion",                                                asks(RepoTriage, &["id"])),
    ("deleteDiscussionComment",                                         asks(RepoPush, &["id"])),
    ("deleteEnvironment",                                               asks(RepoAdmin, &["id"])),
    ("deleteIpAllowListEntry",                                          asks(OrgAdmin, &["ipAllowListEntryId"])),
    ("deleteIssue",                                                     asks(RepoAdmin, &["issueId"]).with(ORGANIZATION_SWITCH, "delete_issues")),
    ("deleteIssueComment",                                              asks(RepoPush, &["id"]).says(AUTHOR_OF)),
    ("deleteLabel",                                                     asks(RepoPush, &["id"])),
    ("deleteLinkedBranch",                                              asks(RepoPush, &["linkedBranchId"])),
    ("deletePackageVersion",                                            asks(OrgAdmin, &["packageVersionId"]).with(DELEGABLE, "1")),
    ("deleteProject",                                                   left_out_for(CLASSIC_PROJECTS)),
    ("deleteProjectCard",                                               left_out_for(CLASSIC_PROJECTS)),
    ("deleteProjectColumn",                                             left_out_for(CLASSIC_PROJECTS)),
    ("deleteProjectV2",                                                 asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("deleteProjectV2Field",                                            asks(OrgAdmin, &["fieldId"]).with(DELEGABLE, "1")),
    ("deleteProjectV2Item",                                             asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("deleteProjectV2StatusUpdate",                                     asks(OrgAdmin, &["statusUpdateId"]).with(DELEGABLE, "1")),
    ("deleteProjectV2Workflow",                                         asks(OrgAdmin, &["workflowId"]).with(DELEGABLE, "1")),
    ("deletePullRequestReview",                                         asks(RepoPush, &["pullRequestReviewId"]).says(AUTHOR_OF)),
    ("deletePullRequestReviewComment",                                  asks(RepoPush, &["id"]).says(AUTHOR_OF)),
    ("deleteRef",                                                       left_out_for(REF_BY_NODE)),
    ("deleteRepositoryRuleset",                                         asks(RepoAdmin, &["repositoryRulesetId"])),
    ("deleteTeamDiscussion",                                            asks(TeamMaintainer, &["id"])),
    ("deleteTeamDiscussionComment",                                     asks(TeamMaintainer, &["id"])),
    ("deleteUserList",                                                  left_out_for(OWN_ACCOUNT)),
    ("deleteVerifiableDomain",                                          asks(OrgAdmin, &["id"])),
    ("dequeuePullRequest",                                              asks(RepoPush, &["id"])),
    ("disablePullRequestAutoMerge",                                     asks(RepoPush, &["pullRequestId"])),
    ("dismissPullRequestReview",                                        left_out_for(REVIEW_BY_NODE)),
    ("dismissRepositoryVulnerabilityAlert",                             asks(RepoPush, &["repositoryVulnerabilityAlertId"])),
    ("enablePullRequestAutoMerge",                                      asks(PrMerge, &["pullRequestId"]).says(BASE_OF_PULL).with(WHEN_READY, "1")),
    ("enqueuePullRequest",                                              reads(enqueue)),
    ("followOrganization",                                              left_out_for(OWN_ACCOUNT)),
    ("followUser",                                                      left_out_for(OWN_ACCOUNT)),
    ("grantEnterpriseOrganizationsMigratorRole",                        left_out_for(ENTERPRISE)),
    ("grantMigratorRole",                                               asks(OrgAdmin, &["organizationId"])),
    ("importProject",                                                   left_out_for(CLASSIC_PROJECTS)),
    ("inviteEnterpriseAdmin",                                           left_out_for(ENTERPRISE)),
    ("inviteEnterpriseMember",                                          left_out_for(ENTERPRISE)),
    ("linkProjectV2ToRepository",                                       reads(link_of_project)),
    ("linkProjectV2ToTeam",                                             reads(link_of_project)),
    ("linkRepositoryToProject",                                         left_out_for(CLASSIC_PROJECTS)),
    ("lockLockable",                                                    asks(RepoPush, &["lockableId"])),
    ("markDiscussionCommentAsAnswer",                                   asks(RepoTriage, &["id"])),
    ("markFileAsViewed",                                                asks(RepoRead, &["pullRequestId"]).with(WRITES, "1")),
    ("markNotificationAsDone",                                          left_out_for(OWN_ACCOUNT)),
    ("markProjectV2AsTemplate",                                         asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("markPullRequestReadyForReview",                                   asks(RepoPush, &["pullRequestId"]).says(AUTHOR_OF)),
    ("mergeBranch",                                                     reads(merge_branch)),
    ("mergePullRequest",                                                asks(PrMerge, &["pullRequestId"]).says(BASE_OF_PULL)),
    ("minimizeComment",                                                 asks(RepoTriage, &["subjectId"])),
    ("moveProjectCard",                                                 left_out_for(CLASSIC_PROJECTS)),
    ("moveProjectColumn",                                               left_out_for(CLASSIC_PROJECTS)),
    ("pinEnvironment",                                                  asks(RepoAdmin, &["environmentId"])),
    ("pinIssue",                                                        asks(RepoPush, &["issueId"])),
    ("publishSponsorsTier",                                             left_out_for(MONEY)),
    ("regenerateEnterpriseIdentityProviderRecoveryCodes",               left_out_for(ENTERPRISE)),
    ("regenerateVerifiableDomainToken",                                 asks(OrgAdmin, &["id"])),
    ("rejectDeployments",                                               left_out_for(DEPLOYMENT_BY_NODE)),
    ("removeAssigneesFromAssignable",                                   asks(RepoTriage, &["assignableId"])),
    ("removeEnterpriseAdmin",                                           left_out_for(ENTERPRISE)),
    ("removeEnterpriseIdentityProvider",                                left_out_for(ENTERPRISE)),
    ("removeEnterpriseMember",                                          left_out_for(ENTERPRISE)),
    ("removeEnterpriseOrganization",                                    left_out_for(ENTERPRISE)),
    ("removeEnterpriseSupportEntitlement",                              left_out_for(ENTERPRISE)),
    ("removeLabelsFromLabelable",                                       asks(RepoTriage, &["labelableId"])),
    ("removeOutsideCollaborator",                                       asks(OrgAdmin, &["organizationId"])),
    ("removeReaction",                                                  asks(RepoRead, &["subjectId"]).says(REACTION_ON)),
    ("removeStar",                                                      left_out_for(OWN_ACCOUNT)),
    ("removeSubIssue",                                                  reads(sub_issue)),
    ("removeUpvote",                                                    asks(RepoRead, &["subjectId"]).with(WRITES, "1")),
    ("reopenDiscussion",                                                asks(RepoTriage, &["discussionId"]).says(AUTHOR_OF)),
    ("reopenIssue",                                                     asks(RepoTriage, &["issueId"]).says(AUTHOR_OF).with(REOPENS, "1")),
    ("reopenPullRequest",                                               asks(RepoTriage, &["pullRequestId"]).says(AUTHOR_OF).with(REOPENS, "1")),
    ("reorderEnvironment",                                              asks(RepoAdmin, &["environmentId"])),
    ("reprioritizeSubIssue",                                            asks(RepoTriage, &["issueId", "subIssueId"])),
    ("requestReviews",                                                  asks(RepoTriage, &["pullRequestId"])),
    ("rerequestCheckSuite",                                             asks(RepoPush, &["repositoryId", "checkSuiteId"])),
    ("resolveReviewThread",                                             asks(RepoPush, &["threadId"]).says(AUTHOR_OF)),
    ("retireSponsorsTier",                                              left_out_for(MONEY)),
    ("revertPullRequest",                                               asks(RepoPush, &["pullRequestId"]).sends_out()),
    ("revokeEnterpriseOrganizationsMigratorRole",                       left_out_for(ENTERPRISE)),
    ("revokeMigratorRole",                                              asks(OrgAdmin, &["organizationId"])),
    ("setEnterpriseIdentityProvider",                                   left_out_for(ENTERPRISE)),
    ("setOrganizationInteractionLimit",                                 asks(OrgAdmin, &["organizationId"])),
    ("setRepositoryInteractionLimit",                                   asks(RepoAdmin, &["repositoryId"])),
    ("setUserInteractionLimit",                                         left_out_for(OWN_ACCOUNT)),
    ("startOrganizationMigration",                                      left_out_for(ENTERPRISE)),
    ("startRepositoryMigration",                                        asks(OrgAdmin, &["ownerId"])),
    ("submitPullRequestReview",                                         reads(review).sends_out()),
    ("transferEnterpriseOrganization",                                  left_out_for(ENTERPRISE)),
    ("transferIssue",                                                   asks(RepoPush, &["issueId", "repositoryId"]).sends_out()),
    ("unarchiveProjectV2Item",                                          asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("unarchiveRepository",                                             asks(RepoAdmin, &["repositoryId"]).with(ARCHIVED_OK, "1")),
    ("unfollowOrganization",                                            left_out_for(OWN_ACCOUNT)),
    ("unfollowUser",                                                    left_out_for(OWN_ACCOUNT)),
    ("unlinkProjectV2FromRepository",                                   reads(link_of_project)),
    ("unlinkProjectV2FromTeam",                                         reads(link_of_project)),
    ("unlinkRepositoryFromProject",                                     left_out_for(CLASSIC_PROJECTS)),
    ("unlockLockable",                                                  asks(RepoPush, &["lockableId"])),
    ("unmarkDiscussionCommentAsAnswer",                                 asks(RepoTriage, &["id"])),
    ("unmarkFileAsViewed",                                              asks(RepoRead, &["pullRequestId"]).with(WRITES, "1")),
    ("unmarkIssueAsDuplicate",                                          asks(RepoTriage, &["duplicateId", "canonicalId"])),
    ("unmarkProjectV2AsTemplate",                                       asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("unminimizeComment",                                               asks(RepoTriage, &["subjectId"])),
    ("unpinIssue",                                                      asks(RepoPush, &["issueId"])),
    ("unresolveReviewThread",                                           asks(RepoPush, &["threadId"]).says(AUTHOR_OF)),
    ("unsubscribeFromNotifications",                                    left_out_for(OWN_ACCOUNT)),
    ("updateBranchProtectionRule",                                      asks(RepoAdmin, &["branchProtectionRuleId"])),
    ("updateCheckRun",                                                  asks(RepoPush, &["repositoryId", "checkRunId"]).sends_out()),
    ("updateCheckSuitePreferences",                                     asks(RepoAdmin, &["repositoryId"])),
    ("updateDiscussion",                                                asks(RepoTriage, &["discussionId"]).says(AUTHOR_OF).sends_out()),
    ("updateDiscussionComment",                                         asks(RepoPush, &["commentId"]).says(AUTHOR_OF).sends_out()),
    ("updateEnterpriseAdministratorRole",                               left_out_for(ENTERPRISE)),
    ("updateEnterpriseAllowPrivateRepositoryForkingSetting",            left_out_for(ENTERPRISE)),
    ("updateEnterpriseDefaultRepositoryPermissionSetting",              left_out_for(ENTERPRISE)),
    ("updateEnterpriseDeployKeySetting",                                left_out_for(ENTERPRISE)),
    ("updateEnterpriseMembersCanChangeRepositoryVisibilitySetting",     left_out_for(ENTERPRISE)),
    ("updateEnterpriseMembersCanCreateRepositoriesSetting",             left_out_for(ENTERPRISE)),
    ("updateEnterpriseMembersCanDeleteIssuesSetting",                   left_out_for(ENTERPRISE)),
    ("updateEnterpriseMembersCanDeleteRepositoriesSetting",             left_out_for(ENTERPRISE)),
    ("updateEnterpriseMembersCanInviteCollaboratorsSetting",            left_out_for(ENTERPRISE)),
    ("updateEnterpriseMembersCanMakePurchasesSetting",                  left_out_for(ENTERPRISE)),
    ("updateEnterpriseMembersCanUpdateProtectedBranchesSetting",        left_out_for(ENTERPRISE)),
    ("updateEnterpriseMembersCanViewDependencyInsightsSetting",         left_out_for(ENTERPRISE)),
    ("updateEnterpriseOrganizationProjectsSetting",                     left_out_for(ENTERPRISE)),
    ("updateEnterpriseOwnerOrganizationRole",                           left_out_for(ENTERPRISE)),
    ("updateEnterpriseProfile",                                         left_out_for(ENTERPRISE)),
    ("updateEnterpriseRepositoryProjectsSetting",                       left_out_for(ENTERPRISE)),
    ("updateEnterpriseTeamDiscussionsSetting",                          left_out_for(ENTERPRISE)),
    ("updateEnterpriseTwoFactorAuthenticationDisallowedMethodsSetting", left_out_for(ENTERPRISE)),
    ("updateEnterpriseTwoFactorAuthenticationRequiredSetting",          left_out_for(ENTERPRISE)),
    ("updateEnvironment",                                               asks(RepoAdmin, &["environmentId"])),
    ("updateIpAllowListEnabledSetting",                                 asks(OrgAdmin, &["ownerId"])),
    ("updateIpAllowListEntry",                                          asks(OrgAdmin, &["ipAllowListEntryId"])),
    ("updateIpAllowListForInstalledAppsEnabledSetting",                 asks(OrgAdmin, &["ownerId"])),
    ("updateIssue",                                                     reads(update_issue).sends_out()),
    ("updateIssueComment",                                              asks(RepoPush, &["id"]).says(AUTHOR_OF).sends_out()),
    ("updateLabel",                                                     asks(RepoPush, &["id"]).sends_out()),
    ("updateNotificationRestrictionSetting",                            asks(OrgAdmin, &["ownerId"])),
    ("updateOrganizationAllowPrivateRepositoryForkingSetting",          asks(OrgAdmin, &["organizationId"])),
    ("updateOrganizationWebCommitSignoffSetting",                       asks(OrgAdmin, &["organizationId"])),
    ("updatePatreonSponsorability",                                     left_out_for(MONEY)),
    ("updateProject",                                                   left_out_for(CLASSIC_PROJECTS)),
    ("updateProjectCard",                                               left_out_for(CLASSIC_PROJECTS)),
    ("updateProjectColumn",                                             left_out_for(CLASSIC_PROJECTS)),
    ("updateProjectV2",                                                 asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("updateProjectV2Collaborators",                                    asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("updateProjectV2DraftIssue",                                       asks(OrgAdmin, &["draftIssueId"]).with(DELEGABLE, "1")),
    ("updateProjectV2Field",                                            asks(OrgAdmin, &["fieldId"]).with(DELEGABLE, "1")),
    ("updateProjectV2ItemFieldValue",                                   asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("updateProjectV2ItemPosition",                                     asks(OrgAdmin, &["projectId"]).with(DELEGABLE, "1")),
    ("updateProjectV2StatusUpdate",                                     asks(OrgAdmin, &["statusUpdateId"]).with(DELEGABLE, "1")),
    ("updatePullRequest",                                               reads(update_pull_request).sends_out()),
    ("updatePullRequestBranch",                                         asks(RepoPush, &["pullRequestId"]).says(HEAD_OF_PULL)),
    ("updatePullRequestReview",                                         asks(RepoPush, &["pullRequestReviewId"]).says(AUTHOR_OF).sends_out()),
    ("updatePullRequestReviewComment",                                  asks(RepoPush, &["pullRequestReviewCommentId"]).says(AUTHOR_OF).sends_out()),
    ("updateRef",                                                       left_out_for(REF_BY_NODE)),
    ("updateRefs",                                                      reads(update_refs)),
    ("updateRepository",                                                reads(update_repository).sends_out()),
    ("updateRepositoryRuleset",                                         asks(RepoAdmin, &["repositoryRulesetId"])),
    ("updateRepositoryWebCommitSignoffSetting",                         asks(RepoAdmin, &["repositoryId"])),
    ("updateSponsorshipPreferences",                                    left_out_for(MONEY)),
    ("updateSubscription",                                              left_out_for(OWN_ACCOUNT)),
    ("updateTeamDiscussion",                                            asks(TeamMaintainer, &["id"]).sends_out()),
    ("updateTeamDiscussionComment",                                     asks(TeamMaintainer, &["id"]).sends_out()),
    ("updateTeamReviewAssignment",                                      asks(TeamMaintainer, &["id"])),
    ("updateTeamsRepository",                                           reads(teams_of_repository)),
    ("updateTopics",                                                    asks(RepoMaintain, &["repositoryId"])),
    ("updateUserList",                                                  left_out_for(OWN_ACCOUNT)),
    ("updateUserListsForItem",                                          left_out_for(OWN_ACCOUNT)),
    ("verifyVerifiableDomain",                                          asks(OrgAdmin, &["id"])),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_are_sorted_and_stand_once() {
        assert!(MUTATIONS.is_sorted_by(|(before, _), (after, _)| before < after));
    }

    #[test]
    fn a_reason_is_a_sentence_about_the_mutation() {
        let reasons = MUTATIONS.iter().filter_map(|(name, _)| left_out(name));
        assert!(reasons.clone().count() > 50 && reasons.clone().all(|reason| reason.len() > 10));
    }
}
