//! What may be done in Jira: its permission keys as they are, and actions that no single key answers.
//!
//! Jira has more keys than stand here, and apps add their own: any name of their form is asked as it is, once Jira's list has it.
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Permissions", "Permission schemes" (built-in permissions); support.atlassian.com
//! "Permissions for company-managed projects"; read 2026-12-01.

use toolpass_integration::actions;

actions! {
    // name                                                              on             effect       phrase, completed by the resource
    AddComments                     "ADD_COMMENTS"                       project|issue         write        "comment on";
    Administer                      "ADMINISTER"                         global                destructive  "administer";
    AdministerProjects              "ADMINISTER_PROJECTS"                project|issue         destructive  "administer";
    ArchiveIssues                   "ARCHIVE_ISSUES"                     project|issue         destructive  "archive";
    AssignIssues                    "ASSIGN_ISSUES"                      project|issue         write        "assign";
    AssignableUser                  "ASSIGNABLE_USER"                    project|issue         read         "be assigned to";
    BoardEdit                       "board.edit"                         board                 write        "configure";
    BoardView                       "board.view"                         board                 read         "see";
    BrowseProjects                  "BROWSE_PROJECTS"                    project|issue         read         "see";
    BulkChange                      "BULK_CHANGE"                        global                write        "change issues in bulk on";
    CloseIssues                     "CLOSE_ISSUES"                       project|issue         write        "close";
    CommentDelete                   "comment.delete"                     comment               destructive  "delete";
    CommentEdit                     "comment.edit"                       comment               write        "edit";
    CreateAttachments               "CREATE_ATTACHMENTS"                 project|issue         write        "attach files to";
    CreateIssues                    "CREATE_ISSUES"                      project|issue         write        "create issues in";
    CreateProject                   "CREATE_PROJECT"                     global                write        "create projects on";
    CreateSharedObjects             "CREATE_SHARED_OBJECTS"              global                write        "share filters and dashboards on";
    DashboardEdit                   "dashboard.edit"                     dashboard             write        "edit";
    DashboardOwn                    "dashboard.own"                      dashboard             destructive  "own";
    DeleteAllAttachments            "DELETE_ALL_ATTACHMENTS"             project|issue         destructive  "delete anybody's attachments of";
    DeleteAllComments               "DELETE_ALL_COMMENTS"                project|issue         destructive  "delete anybody's comments of";
    DeleteAllWorklogs               "DELETE_ALL_WORKLOGS"                project|issue         destructive  "delete anybody's worklogs of";
    DeleteIssues                    "DELETE_ISSUES"                      project|issue         destructive  "delete";
    DeleteOwnAttachments            "DELETE_OWN_ATTACHMENTS"             project|issue         destructive  "delete their own attachments of";
    DeleteOwnComments               "DELETE_OWN_COMMENTS"                project|issue         destructive  "delete their own comments of";
    DeleteOwnWorklogs               "DELETE_OWN_WORKLOGS"                project|issue         destructive  "delete their own worklogs of";
    EditAllComments                 "EDIT_ALL_COMMENTS"                  project|issue         write        "edit anybody's comments of";
    EditAllWorklogs                 "EDIT_ALL_WORKLOGS"                  project|issue         write        "edit anybody's worklogs of";
    EditIssues                      "EDIT_ISSUES"                        project|issue         write        "edit";
    EditOwnComments                 "EDIT_OWN_COMMENTS"                  project|issue         write        "edit their own comments of";
    EditOwnWorklogs                 "EDIT_OWN_WORKLOGS"                  project|issue         write        "edit their own worklogs of";
    FilterEdit                      "filter.edit"                        filter                write        "edit";
    FilterOwn                       "filter.own"                         filter                destructive  "own";
    LinkDelete                      "link.delete"                        issuelink             destructive  "delete";
    LinkIssues                      "LINK_ISSUES"                        project|issue         write        "link";
    ManageGroupFilterSubscriptions  "MANAGE_GROUP_FILTER_SUBSCRIPTIONS"  global                write        "manage groups' filter subscriptions on";
    ManageSprints                   "MANAGE_SPRINTS_PERMISSION"          project|issue         write        "manage the sprints of";
    ManageWatchers                  "MANAGE_WATCHERS"                    project|issue         write        "change who watches";
    ModifyReporter                  "MODIFY_REPORTER"                    project|issue         write        "change the reporter of";
    MoveIssues                      "MOVE_ISSUES"                        project|issue         write        "move";
    OrgManage                       "org.manage"                         global                write        "manage the customers' organizations of";
    ProjectAdmin                    "project.admin"                      project|issue         destructive  "administer";
    RequestManage                   "request.manage"                     issue                 write        "manage the participants of";
    ResolveIssues                   "RESOLVE_ISSUES"                     project|issue         write        "resolve";
    ScheduleIssues                  "SCHEDULE_ISSUES"                    project|issue         write        "schedule";
    ServiceDeskAgent                "SERVICEDESK_AGENT"                  project|issue         write        "work as an agent in";
    SetIssueSecurity                "SET_ISSUE_SECURITY"                 project|issue         write        "change who sees";
    SiteUser                        "site.user"                          global                write        "use";
    SprintManage                    "sprint.manage"                      board|sprint          write        "manage";
    SystemAdmin                     "SYSTEM_ADMIN"                       global                destructive  "administer the system of";
    TransitionIssues                "TRANSITION_ISSUES"                  project|issue         write        "move through its workflow";
    UserPicker                      "USER_PICKER"                        global                read         "browse the users of";
    ViewAggregatedData              "VIEW_AGGREGATED_DATA"               project|issue         read         "see figures of";
    ViewDevTools                    "VIEW_DEV_TOOLS"                     project|issue         read         "see the development of";
    ViewReadonlyWorkflow            "VIEW_READONLY_WORKFLOW"             project|issue         read         "see the workflow of";
    ViewVotersAndWatchers           "VIEW_VOTERS_AND_WATCHERS"           project|issue         read         "see who votes for and watches";
    WorkOnIssues                    "WORK_ON_ISSUES"                     project|issue         write        "log work on";
    WorklogDelete                   "worklog.delete"                     worklog               destructive  "delete";
    WorklogEdit                     "worklog.edit"                       worklog               write        "edit";
    Other                           "<PERMISSION_KEY>"                   project|issue|global  destructive  "use another permission of Jira's on";
}

/// Whether a name has the form of a permission key, built in or of an app.
pub fn is_permission_key(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    (3..=64).contains(&name.len())
        && name.bytes().next().is_some_and(|b| b.is_ascii_uppercase())
        && name.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_other_names() {
        for good in ["ABC", "VIEW_DEV_TOOLS", "A1_"] {
            assert!(is_permission_key(good), "{good}");
        }
        for bad in [
            "",
            "AB",
            "browse_projects",
            "_ABC",
            "A.B",
            "A-B",
            "project.admin",
            &"A".repeat(65),
        ] {
            assert!(!is_permission_key(bad), "{bad}");
        }
        let composite = TABLE.iter().filter(|spec| !is_permission_key(spec.name));
        assert!(
            composite
                .into_iter()
                .all(|spec| spec.name.contains('.') || spec.name.contains('<'))
        );
    }
}
