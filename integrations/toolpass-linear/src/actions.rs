//! The action table: what may be asked about a team, an issue, a project, what belongs to them, or the workspace of Linear.
//!
//! Closed: the rules match it in full, so a new row stops the build where a rule is due. What each action needs is said by the
//! rules (`rules/`), because it depends on more than the action.
//! Source: linear.app/docs "Members and roles", "Private teams", "Workspace owner"; Linear's GraphQL schema of 2026-07-22; read 2026-12-01.

use toolpass_integration::actions;

actions! { // name                  on          effect  phrase, completed by the resource
    TeamView             "team.view"              team        read    "see";
    TeamMember           "team.member"            team        write   "do what members do in";
    TeamAdmin            "team.admin"             team        write   "administer";
    TeamManage           "team.manage"            team        write   "change settings of";
    TeamMembers          "team.members"           team        write   "add or remove members of";
    TeamLabels           "team.labels"            team        write   "manage labels of";
    TeamTemplates        "team.templates"         team        write   "manage templates of";
    TeamAutomation       "team.automation"        team        write   "manage automations of";
    TeamSkills           "team.skills"            team        write   "manage agent skills of";
    IssueCreate          "issue.create"           team        write   "open an issue in";
    IssueView            "issue.view"             issue       read    "see";
    IssueEdit            "issue.edit"             issue       write   "edit and comment on";
    IssueShare           "issue.share"            issue       write   "share";
    ProjectView          "project.view"           project     read    "see";
    ProjectEdit          "project.edit"           project     write   "edit";
    CommentView          "comment.view"           comment     read    "see";
    CommentResolve       "comment.resolve"        comment     write   "resolve";
    CommentEdit          "comment.edit"           comment     write   "edit";
    CommentDelete        "comment.delete"         comment     write   "delete";
    DocumentView         "document.view"          document    read    "see";
    DocumentEdit         "document.edit"          document    write   "edit";
    ThingView            "thing.view"             label|link|need|pipeline|skill|template|view  read  "see";
    LinkEdit             "link.edit"              link        write   "edit";
    NeedEdit             "need.edit"              need        write   "edit";
    LabelEdit            "label.edit"             label       write   "edit";
    TemplateEdit         "template.edit"          template    write   "edit";
    ViewEdit             "view.edit"              view        write   "edit";
    ReleaseEdit          "release.edit"           pipeline    write   "manage releases of";
    SkillEdit            "skill.edit"             skill       write   "edit";
    IntakeEdit           "intake.edit"            intake      write   "change";
    NoticesEdit          "notices.edit"           notices     write   "change";
    EmojiDelete          "emoji.delete"           emoji       write   "delete";
    MembershipSort       "membership.sort"        membership  write   "move";
    MembershipDelete     "membership.delete"      membership  write   "end";
    WorkspaceUser        "workspace.user"         workspace   read    "have an account in";
    WorkspaceMember      "workspace.member"       workspace   read    "see what members see of";
    WorkspaceAdmin       "workspace.admin"        workspace   write   "administer";
    WorkspaceOwner       "workspace.owner"        workspace   write   "own";
    WorkspaceSettings    "workspace.settings"     workspace   write   "change settings of";
    WorkspaceInvite      "workspace.invite"       workspace   write   "invite people to";
    TeamCreate           "team.create"            workspace   write   "create a team in";
    WorkspaceLabels      "workspace.labels"       workspace   write   "manage labels of";
    WorkspaceTemplates   "workspace.templates"    workspace   write   "manage templates of";
    WorkspaceIntegrations "workspace.integrations" workspace  write   "manage integrations of";
    WorkspaceApi         "workspace.api"          workspace   write   "manage webhooks and applications of";
    WorkspaceImport      "workspace.import"       workspace   write   "import into";
    WorkspaceAutomation  "workspace.automation"   workspace   write   "manage automations of";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        for action in Action::ALL {
            assert_eq!(Action::parse(action.name()), Some(*action));
        }
        assert_eq!(Action::parse("issue.delete"), None);
    }
}
