//! Table: requests → actions and resources, one row each.
//!
//! The platform's rows are those of version 3; `{version}` is whatever stands there, as versions 2 and `latest` have the same operations.
//! Chapters as in Atlassian's reference. Without a written effect GET reads, DELETE destroys, all else writes.
//! INVARIANT: a row whose resource is an issue or a project reads it by `extract::named`, which takes keys in any case and ids.

use std::sync::LazyLock;

use toolpass_integration::{routes, unrouted};
use toolpass_wire::matcher::RouteTable;
use toolpass_wire::table::{Route, Rows, Unrouted};

use crate::actions::Action;
use crate::extract::{boards, bulk, desk, issues, named, projects, search, shared, undocumented};

/// The compiled table.
pub fn table() -> &'static RouteTable {
    &TABLE
}

/// The rows.
pub fn rows() -> Rows {
    Rows {
        routes: CHAPTERS.iter().flat_map(|chapter| chapter()).collect(),
        unrouted: left_out(),
        claims: CLAIMS.iter().map(|claim| (*claim).into()).collect(),
        ..Rows::default()
    }
}

static TABLE: LazyLock<RouteTable> = LazyLock::new(|| match RouteTable::build(rows()) {
    Ok(table) => table,
    Err(error) => unreachable!("Jira's table is built by a test: {error}"),
});

/// One function a chapter: one function for all rows would need a stack of its own in a debug build.
const CHAPTERS: &[fn() -> Vec<Route>] = &[
    issues,
    comments_and_worklogs,
    links_and_attachments,
    bulk_operations,
    searches,
    projects_and_parts,
    filters_and_dashboards,
    people,
    everybody,
    site,
    boards_and_sprints,
    service_desks,
    other_surfaces,
    app_data,
];

/// Under these, every write is a row or left out with a reason.
const CLAIMS: &[&str] = &["/rest"];

/// Left out on purpose.
fn left_out() -> Vec<Unrouted> {
    unrouted! {
        DELETE  "/rest/api/{version}/attachment/{id}"                                              "its metadata names no issue, so nothing can be asked";
        DELETE  "/rest/api/{version}/group"                                                        "groups belong to the Atlassian organization; Jira cannot say who manages them";
        POST    "/rest/api/{version}/group"                                                        "groups belong to the Atlassian organization; Jira cannot say who manages them";
        DELETE  "/rest/api/{version}/group/user"                                                   "groups belong to the Atlassian organization; Jira cannot say who manages them";
        POST    "/rest/api/{version}/group/user"                                                   "groups belong to the Atlassian organization; Jira cannot say who manages them";
        POST    "/rest/api/{version}/issue/{issueIdOrKey}/worklog/move"                            "a second issue stands in the body, and no permission is stated";
        POST    "/rest/api/{version}/redact"                                                       "cannot be undone, and no permission is stated";
        DELETE  "/rest/api/{version}/user"                                                         "accounts belong to the Atlassian organization; Jira cannot say who manages them";
        POST    "/rest/api/{version}/user"                                                         "accounts belong to the Atlassian organization; Jira cannot say who manages them";
        POST    "/rest/servicedeskapi/customer/skip-permission-check"                              "skips the permission check by design";
        PUT     "/rest/servicedeskapi/customer/user/{accountId}/revoke-portal-only-access"         "accounts belong to the Atlassian organization; Jira cannot say who manages them";
        POST    "/rest/servicedeskapi/request/{issueIdOrKey}/approval/{approvalId}"                "an approval is the personal decision of the account that gives it";
        POST    "/rest/servicedeskapi/servicedesk/{serviceDeskId}/customer/skip-permission-check"  "skips the permission check by design";
    }
}

/// Issues: developer.atlassian.com/cloud/jira/platform/rest/v3 "Issues", "Issue properties", "Issue votes", "Issue watchers", read 2026-12-01.
fn issues() -> Vec<Route> {
    routes! {
        POST    "/rest/api/{version}/changelog/bulkfetch"                                         -                      -                           effect(Read)  reads(issues::seen);
        POST    "/rest/api/{version}/issue"                                                       -                      -                           sends_out  reads(issues::create);
        POST    "/rest/api/{version}/issue/archive"                                               Administer             "global"                    effect(Destructive)  no_operation("newer than the list");
        PUT     "/rest/api/{version}/issue/archive"                                               Administer             "global"                    effect(Destructive)  no_operation("newer than the list");
        POST    "/rest/api/{version}/issue/bulk"                                                  -                      -                           sends_out  reads(issues::create_bulk);
        POST    "/rest/api/{version}/issue/bulkfetch"                                             -                      -                           effect(Read)  reads(issues::seen);
        GET     "/rest/api/{version}/issue/createmeta"                                            -                      -                           agent_sight;
        GET     "/rest/api/{version}/issue/createmeta/{projectIdOrKey}/issuetypes"                BrowseProjects         "project:{projectIdOrKey}"  reads(named);
        GET     "/rest/api/{version}/issue/createmeta/{projectIdOrKey}/issuetypes/{issueTypeId}"  BrowseProjects         "project:{projectIdOrKey}"  reads(named);
        GET     "/rest/api/{version}/issue/limit/adf/report"                                      -                      -                           trusted  no_operation("newer than the list");
        GET     "/rest/api/{version}/issue/limit/report"                                          -                      -                           trusted  no_operation("newer than the list");
        GET     "/rest/api/{version}/issue/picker"                                                -                      -                           agent_sight;
        POST    "/rest/api/{version}/issue/properties"                                            -                      -                           reads(issues::properties);
        POST    "/rest/api/{version}/issue/properties/multi"                                      -                      -                           reads(issues::properties_multi);
        PUT     "/rest/api/{version}/issue/properties/{propertyKey}"                              -                      -                           reads(issues::property_of_filtered);
        DELETE  "/rest/api/{version}/issue/properties/{propertyKey}"                              -                      -                           reads(issues::property_of_listed);
        PUT     "/rest/api/{version}/issue/unarchive"                                             Administer             "global"                    no_operation("newer than the list");
        POST    "/rest/api/{version}/issue/watching"                                              -                      -                           effect(Read);
        GET     "/rest/api/{version}/issue/{issueIdOrKey}"                                        BrowseProjects         "issue:{issueIdOrKey}"      reads(named);
        PUT     "/rest/api/{version}/issue/{issueIdOrKey}"                                        -                      -                           sends_out  reads(issues::edit);
        DELETE  "/rest/api/{version}/issue/{issueIdOrKey}"                                        -                      -                           reads(issues::delete);
        PUT     "/rest/api/{version}/issue/{issueIdOrKey}/assignee"                               AssignIssues           "issue:{issueIdOrKey}"      reads(named);
        POST    "/rest/api/{version}/issue/{issueIdOrKey}/attachments"                            CreateAttachments      "issue:{issueIdOrKey}"      sends_out  reads(named);
        POST    "/rest/api/{version}/issue/{issueIdOrKey}/changelog/list"                         BrowseProjects         "issue:{issueIdOrKey}"      effect(Read)  reads(named);
        POST    "/rest/api/{version}/issue/{issueIdOrKey}/notify"                                 BrowseProjects         "issue:{issueIdOrKey}"      sends_to(Org)  reads(named);
        PUT     "/rest/api/{version}/issue/{issueIdOrKey}/properties/{propertyKey}"               EditIssues             "issue:{issueIdOrKey}"      reads(named);
        DELETE  "/rest/api/{version}/issue/{issueIdOrKey}/properties/{propertyKey}"               EditIssues             "issue:{issueIdOrKey}"      reads(named);
        POST    "/rest/api/{version}/issue/{issueIdOrKey}/transitions"                            -                      -                           sends_out  reads(issues::transition);
        GET     "/rest/api/{version}/issue/{issueIdOrKey}/votes"                                  ViewVotersAndWatchers  "issue:{issueIdOrKey}"      reads(named);
        POST    "/rest/api/{version}/issue/{issueIdOrKey}/votes"                                  BrowseProjects         "issue:{issueIdOrKey}"      reads(named);
        DELETE  "/rest/api/{version}/issue/{issueIdOrKey}/votes"                                  BrowseProjects         "issue:{issueIdOrKey}"      reads(named);
        GET     "/rest/api/{version}/issue/{issueIdOrKey}/watchers"                               ViewVotersAndWatchers  "issue:{issueIdOrKey}"      reads(named);
        POST    "/rest/api/{version}/issue/{issueIdOrKey}/watchers"                               ManageWatchers         "issue:{issueIdOrKey}"      reads(named);
        DELETE  "/rest/api/{version}/issue/{issueIdOrKey}/watchers"                               ManageWatchers         "issue:{issueIdOrKey}"      reads(named);
        GET     "/rest/api/{version}/issue/{issueIdOrKey}/{rest+}"                                BrowseProjects         "issue:{issueIdOrKey}"      reads(named)  no_operation("what is read of an issue; the rows beside it ask for more");
    }
}

/// Comments and worklogs: /cloud/jira/platform/rest/v3 "Issue comments", "Issue comment properties", "Issue worklogs", read 2026-12-01.
fn comments_and_worklogs() -> Vec<Route> {
    routes! {
        POST    "/rest/api/{version}/comment/list"                                                    -              -                                  effect(Read)  agent_sight;
        GET     "/rest/api/{version}/comment/{commentId}/properties"                                  -              -                                  reads(issues::comment_property);
        GET     "/rest/api/{version}/comment/{commentId}/properties/{propertyKey}"                    -              -                                  reads(issues::comment_property);
        PUT     "/rest/api/{version}/comment/{commentId}/properties/{propertyKey}"                    -              -                                  reads(issues::comment_property);
        DELETE  "/rest/api/{version}/comment/{commentId}/properties/{propertyKey}"                    -              -                                  reads(issues::comment_property);
        POST    "/rest/api/{version}/issue/{issueIdOrKey}/comment"                                    -              -                                  sends_out  reads(issues::comment);
        PUT     "/rest/api/{version}/issue/{issueIdOrKey}/comment/{noteId}"                           -              -                                  sends_out  reads(issues::edit_comment);
        DELETE  "/rest/api/{version}/issue/{issueIdOrKey}/comment/{noteId}"                           CommentDelete  "comment:{issueIdOrKey}/{noteId}"  reads(named);
        POST    "/rest/api/{version}/issue/{issueIdOrKey}/worklog"                                    -              -                                  sends_out  reads(issues::log_work);
        DELETE  "/rest/api/{version}/issue/{issueIdOrKey}/worklog"                                    -              -                                  reads(issues::delete_worklogs)  no_operation("newer than the list");
        PUT     "/rest/api/{version}/issue/{issueIdOrKey}/worklog/{noteId}"                           -              -                                  sends_out  reads(issues::edit_worklog);
        DELETE  "/rest/api/{version}/issue/{issueIdOrKey}/worklog/{noteId}"                           -              -                                  reads(issues::delete_worklog);
        PUT     "/rest/api/{version}/issue/{issueIdOrKey}/worklog/{noteId}/properties/{propertyKey}"  WorklogEdit    "worklog:{issueIdOrKey}/{noteId}"  reads(named);
        DELETE  "/rest/api/{version}/issue/{issueIdOrKey}/worklog/{noteId}/properties/{propertyKey}"  WorklogEdit    "worklog:{issueIdOrKey}/{noteId}"  reads(named);
        GET     "/rest/api/{version}/worklog/deleted"                                                 -              -                                  agent_sight;
        POST    "/rest/api/{version}/worklog/list"                                                    -              -                                  effect(Read)  agent_sight;
        GET     "/rest/api/{version}/worklog/updated"                                                 -              -                                  agent_sight;
    }
}

/// Links and attachments: /cloud/jira/platform/rest/v3 "Issue links", "Issue remote links", "Issue attachments", read 2026-12-01.
fn links_and_attachments() -> Vec<Route> {
    routes! {
        GET     "/rest/api/{version}/attachment/content/{id}"                   -           -                       agent_sight;
        GET     "/rest/api/{version}/attachment/meta"                           -           -                       trusted;
        GET     "/rest/api/{version}/attachment/thumbnail/{id}"                 -           -                       agent_sight;
        GET     "/rest/api/{version}/attachment/{id}"                           -           -                       agent_sight;
        GET     "/rest/api/{version}/attachment/{id}/expand/human"              -           -                       agent_sight;
        GET     "/rest/api/{version}/attachment/{id}/expand/raw"                -           -                       agent_sight;
        POST    "/rest/api/{version}/issue/{issueIdOrKey}/remotelink"           LinkIssues  "issue:{issueIdOrKey}"  sends_out  reads(named);
        DELETE  "/rest/api/{version}/issue/{issueIdOrKey}/remotelink"           LinkIssues  "issue:{issueIdOrKey}"  reads(named);
        PUT     "/rest/api/{version}/issue/{issueIdOrKey}/remotelink/{linkId}"  LinkIssues  "issue:{issueIdOrKey}"  sends_out  reads(named);
        DELETE  "/rest/api/{version}/issue/{issueIdOrKey}/remotelink/{linkId}"  -           -                       reads(issues::delete_remote_link);
        POST    "/rest/api/{version}/issueLink"                                 -           -                       sends_out  reads(issues::link);
        GET     "/rest/api/{version}/issueLink/{linkId}"                        -           -                       agent_sight;
        DELETE  "/rest/api/{version}/issueLink/{linkId}"                        LinkDelete  "issuelink:{linkId}"    reads(named);
    }
}

/// Many issues at once: /cloud/jira/platform/rest/v3 "Issue bulk operations", read 2026-12-01.
fn bulk_operations() -> Vec<Route> {
    routes! {
        POST  "/rest/api/{version}/bulk/issues/delete"      -  -  effect(Destructive)  reads(bulk::delete);
        GET   "/rest/api/{version}/bulk/issues/fields"      -  -  agent_sight;
        POST  "/rest/api/{version}/bulk/issues/fields"      -  -  sends_out  reads(bulk::edit);
        POST  "/rest/api/{version}/bulk/issues/move"        -  -  sends_out  reads(bulk::r#move);
        GET   "/rest/api/{version}/bulk/issues/transition"  -  -  agent_sight;
        POST  "/rest/api/{version}/bulk/issues/transition"  -  -  sends_out  reads(bulk::transition);
        POST  "/rest/api/{version}/bulk/issues/unwatch"     -  -  reads(bulk::watch);
        POST  "/rest/api/{version}/bulk/issues/watch"       -  -  reads(bulk::watch);
        GET   "/rest/api/{version}/bulk/queue/{taskId}"     -  -  trusted;
    }
}

/// Searches: /cloud/jira/platform/rest/v3 "Issue search", "JQL", "Jira expressions", read 2026-12-01.
fn searches() -> Vec<Route> {
    routes! {
        POST  "/rest/api/{version}/expression/analyse"                -  -  effect(Read);
        POST  "/rest/api/{version}/expression/eval"                   -  -  effect(Read)  agent_sight;
        POST  "/rest/api/{version}/expression/evaluate"               -  -  effect(Read)  agent_sight;
        GET   "/rest/api/{version}/jql/autocompletedata"              -  -  effect(Read);
        POST  "/rest/api/{version}/jql/autocompletedata"              -  -  effect(Read);
        GET   "/rest/api/{version}/jql/autocompletedata/suggestions"  -  -  agent_sight;
        GET   "/rest/api/{version}/jql/function/computation"          -  -  agent_only("the values of an app's own functions");
        POST  "/rest/api/{version}/jql/function/computation"          -  -  agent_only("only the app that owns the function may set its values");
        POST  "/rest/api/{version}/jql/function/computation/search"   -  -  effect(Read)  agent_only("the values of an app's own functions");
        POST  "/rest/api/{version}/jql/match"                         -  -  effect(Read)  reads(issues::seen_by_id);
        POST  "/rest/api/{version}/jql/parse"                         -  -  effect(Read);
        POST  "/rest/api/{version}/jql/pdcleaner"                     -  -  effect(Read);
        POST  "/rest/api/{version}/jql/sanitize"                      -  -  effect(Read)  agent_sight;
        GET   "/rest/api/{version}/search"                            -  -  agent_sight  reads(search::jql);
        POST  "/rest/api/{version}/search"                            -  -  effect(Read)  agent_sight  reads(search::jql);
        POST  "/rest/api/{version}/search/approximate-count"          -  -  effect(Read)  agent_sight  reads(search::jql);
        GET   "/rest/api/{version}/search/jql"                        -  -  agent_sight  reads(search::jql);
        POST  "/rest/api/{version}/search/jql"                        -  -  effect(Read)  agent_sight  reads(search::jql);
    }
}

/// Projects, components, versions: /cloud/jira/platform/rest/v3 "Projects", "Project components", "Project versions", "Project roles", read 2026-12-01.
fn projects_and_parts() -> Vec<Route> {
    routes! {
        GET     "/rest/api/{version}/component"                                          -                   -                           agent_sight;
        POST    "/rest/api/{version}/component"                                          -                   -                           reads(projects::create_component);
        GET     "/rest/api/{version}/component/{id}"                                     -                   -                           reads(projects::component);
        PUT     "/rest/api/{version}/component/{id}"                                     -                   -                           reads(projects::component);
        DELETE  "/rest/api/{version}/component/{id}"                                     -                   -                           reads(projects::component);
        GET     "/rest/api/{version}/component/{id}/relatedIssueCounts"                  -                   -                           reads(projects::component);
        GET     "/rest/api/{version}/project"                                            -                   -                           agent_sight;
        POST    "/rest/api/{version}/project"                                            Administer          "global";
        POST    "/rest/api/{version}/project-template"                                   Administer          "global";
        POST    "/rest/api/{version}/project-template/{rest+}"                           Administer          "global"                    no_operation("newer than the list");
        GET     "/rest/api/{version}/project/recent"                                     -                   -                           agent_sight;
        GET     "/rest/api/{version}/project/search"                                     -                   -                           agent_sight;
        GET     "/rest/api/{version}/project/type"                                       -                   -                           trusted;
        GET     "/rest/api/{version}/project/type/accessible"                            -                   -                           trusted;
        GET     "/rest/api/{version}/project/type/{projectTypeKey}"                      -                   -                           trusted;
        GET     "/rest/api/{version}/project/type/{projectTypeKey}/accessible"           -                   -                           trusted;
        GET     "/rest/api/{version}/project/{projectIdOrKey}"                           BrowseProjects      "project:{projectIdOrKey}"  reads(named);
        PUT     "/rest/api/{version}/project/{projectIdOrKey}"                           -                   -                           reads(projects::update);
        DELETE  "/rest/api/{version}/project/{projectIdOrKey}"                           Administer          "global";
        POST    "/rest/api/{version}/project/{projectIdOrKey}/archive"                   Administer          "global"                    effect(Destructive);
        PUT     "/rest/api/{version}/project/{projectIdOrKey}/avatar"                    AdministerProjects  "project:{projectIdOrKey}"  reads(named);
        DELETE  "/rest/api/{version}/project/{projectIdOrKey}/avatar/{id}"               AdministerProjects  "project:{projectIdOrKey}"  reads(named);
        POST    "/rest/api/{version}/project/{projectIdOrKey}/avatar2"                   AdministerProjects  "project:{projectIdOrKey}"  reads(named);
        POST    "/rest/api/{version}/project/{projectIdOrKey}/delete"                    Administer          "global"                    effect(Destructive);
        GET     "/rest/api/{version}/project/{projectIdOrKey}/email"                     ProjectAdmin        "project:{projectIdOrKey}"  reads(named);
        PUT     "/rest/api/{version}/project/{projectIdOrKey}/email"                     ProjectAdmin        "project:{projectIdOrKey}"  sends_to(Org)  reads(named);
        PUT     "/rest/api/{version}/project/{projectIdOrKey}/features/{featureKey}"     ProjectAdmin        "project:{projectIdOrKey}"  reads(named);
        GET     "/rest/api/{version}/project/{projectIdOrKey}/issuesecuritylevelscheme"  ProjectAdmin        "project:{projectIdOrKey}"  reads(named);
        GET     "/rest/api/{version}/project/{projectIdOrKey}/notificationscheme"        ProjectAdmin        "project:{projectIdOrKey}"  reads(named);
        GET     "/rest/api/{version}/project/{projectIdOrKey}/permissionscheme"          ProjectAdmin        "project:{projectIdOrKey}"  reads(named);
        PUT     "/rest/api/{version}/project/{projectIdOrKey}/permissionscheme"          Administer          "global";
        PUT     "/rest/api/{version}/project/{projectIdOrKey}/properties/{propertyKey}"  ProjectAdmin        "project:{projectIdOrKey}"  reads(named);
        DELETE  "/rest/api/{version}/project/{projectIdOrKey}/properties/{propertyKey}"  ProjectAdmin        "project:{projectIdOrKey}"  reads(named);
        POST    "/rest/api/{version}/project/{projectIdOrKey}/restore"                   Administer          "global";
        POST    "/rest/api/{version}/project/{projectIdOrKey}/role/{id}"                 ProjectAdmin        "project:{projectIdOrKey}"  sends_to(Org)  reads(named);
        PUT     "/rest/api/{version}/project/{projectIdOrKey}/role/{id}"                 ProjectAdmin        "project:{projectIdOrKey}"  sends_to(Org)  reads(named);
        DELETE  "/rest/api/{version}/project/{projectIdOrKey}/role/{id}"                 ProjectAdmin        "project:{projectIdOrKey}"  reads(named);
        PUT     "/rest/api/{version}/project/{projectIdOrKey}/type/{newProjectTypeKey}"  Administer          "global";
        GET     "/rest/api/{version}/project/{projectIdOrKey}/{rest+}"                   BrowseProjects      "project:{projectIdOrKey}"  reads(named)  no_operation("what is read of a project; the rows beside it ask for more");
        GET     "/rest/api/{version}/projectvalidate/key"                                -                   -                           trusted;
        GET     "/rest/api/{version}/projectvalidate/validProjectKey"                    -                   -                           trusted;
        GET     "/rest/api/{version}/projectvalidate/validProjectName"                   -                   -                           trusted;
        POST    "/rest/api/{version}/version"                                            -                   -                           reads(projects::create_version);
        GET     "/rest/api/{version}/version/{id}"                                       -                   -                           reads(projects::version);
        PUT     "/rest/api/{version}/version/{id}"                                       -                   -                           reads(projects::version);
        DELETE  "/rest/api/{version}/version/{id}"                                       -                   -                           reads(projects::version);
        PUT     "/rest/api/{version}/version/{id}/mergeto/{moveIssuesTo}"                -                   -                           effect(Destructive)  reads(projects::merge_versions);
        POST    "/rest/api/{version}/version/{id}/move"                                  -                   -                           reads(projects::version);
        GET     "/rest/api/{version}/version/{id}/relatedIssueCounts"                    -                   -                           reads(projects::version);
        GET     "/rest/api/{version}/version/{id}/relatedwork"                           -                   -                           reads(projects::related_work);
        POST    "/rest/api/{version}/version/{id}/relatedwork"                           -                   -                           reads(projects::related_work);
        PUT     "/rest/api/{version}/version/{id}/relatedwork"                           -                   -                           reads(projects::related_work);
        DELETE  "/rest/api/{version}/version/{id}/relatedwork/{relatedWorkId}"           -                   -                           reads(projects::related_work);
        POST    "/rest/api/{version}/version/{id}/removeAndSwap"                         -                   -                           effect(Destructive)  reads(projects::swap_versions);
        GET     "/rest/api/{version}/version/{id}/unresolvedIssueCount"                  -                   -                           reads(projects::version);
    }
}

/// Filters and dashboards: /cloud/jira/platform/rest/v3 "Filters", "Filter sharing", "Dashboards", read 2026-12-01.
fn filters_and_dashboards() -> Vec<Route> {
    routes! {
        GET     "/rest/api/{version}/dashboard"                                                        -              -                          agent_sight;
        POST    "/rest/api/{version}/dashboard"                                                        -              -                          reads(shared::create);
        PUT     "/rest/api/{version}/dashboard/bulk/edit"                                              Administer     "global"                   no_operation("newer than the list");
        GET     "/rest/api/{version}/dashboard/gadgets"                                                -              -                          trusted;
        GET     "/rest/api/{version}/dashboard/search"                                                 -              -                          agent_sight;
        GET     "/rest/api/{version}/dashboard/{dashboardId}/gadget"                                   -              -                          agent_sight;
        POST    "/rest/api/{version}/dashboard/{dashboardId}/gadget"                                   DashboardEdit  "dashboard:{dashboardId}"  reads(named);
        PUT     "/rest/api/{version}/dashboard/{dashboardId}/gadget/{gadgetId}"                        DashboardEdit  "dashboard:{dashboardId}"  reads(named);
        DELETE  "/rest/api/{version}/dashboard/{dashboardId}/gadget/{gadgetId}"                        DashboardEdit  "dashboard:{dashboardId}"  reads(named);
        GET     "/rest/api/{version}/dashboard/{dashboardId}/items/{itemId}/properties"                -              -                          agent_sight;
        GET     "/rest/api/{version}/dashboard/{dashboardId}/items/{itemId}/properties/{propertyKey}"  -              -                          agent_sight;
        PUT     "/rest/api/{version}/dashboard/{dashboardId}/items/{itemId}/properties/{propertyKey}"  DashboardEdit  "dashboard:{dashboardId}"  reads(named);
        DELETE  "/rest/api/{version}/dashboard/{dashboardId}/items/{itemId}/properties/{propertyKey}"  DashboardEdit  "dashboard:{dashboardId}"  reads(named);
        GET     "/rest/api/{version}/dashboard/{id}"                                                   -              -                          agent_sight;
        PUT     "/rest/api/{version}/dashboard/{id}"                                                   -              -                          reads(shared::own_dashboard);
        DELETE  "/rest/api/{version}/dashboard/{id}"                                                   -              -                          reads(shared::own_dashboard);
        POST    "/rest/api/{version}/dashboard/{id}/copy"                                              -              -                          reads(shared::copy_dashboard);
        GET     "/rest/api/{version}/filter"                                                           -              -                          agent_sight;
        POST    "/rest/api/{version}/filter"                                                           -              -                          reads(shared::create);
        GET     "/rest/api/{version}/filter/defaultShareScope"                                         -              -                          agent_only("a preference of the agent's account");
        PUT     "/rest/api/{version}/filter/defaultShareScope"                                         -              -                          agent_only("a preference of the agent's account");
        GET     "/rest/api/{version}/filter/favourite"                                                 -              -                          agent_only("favourites of the agent's account");
        GET     "/rest/api/{version}/filter/my"                                                        -              -                          agent_only("filters of the agent's account");
        GET     "/rest/api/{version}/filter/search"                                                    -              -                          agent_sight;
        DELETE  "/rest/api/{version}/filter/{filterId}/permission/{permissionId}"                      FilterOwn      "filter:{filterId}"        reads(named);
        GET     "/rest/api/{version}/filter/{id}"                                                      -              -                          agent_sight;
        PUT     "/rest/api/{version}/filter/{id}"                                                      -              -                          reads(shared::edit_filter);
        DELETE  "/rest/api/{version}/filter/{id}"                                                      -              -                          reads(shared::own_filter);
        GET     "/rest/api/{version}/filter/{id}/columns"                                              -              -                          agent_sight;
        PUT     "/rest/api/{version}/filter/{id}/columns"                                              -              -                          reads(shared::edit_filter);
        DELETE  "/rest/api/{version}/filter/{id}/columns"                                              -              -                          reads(shared::edit_filter);
        PUT     "/rest/api/{version}/filter/{id}/favourite"                                            -              -                          agent_only("favourites of the agent's account");
        DELETE  "/rest/api/{version}/filter/{id}/favourite"                                            -              -                          agent_only("favourites of the agent's account");
        PUT     "/rest/api/{version}/filter/{id}/owner"                                                -              -                          reads(shared::own_filter);
        GET     "/rest/api/{version}/filter/{id}/permission"                                           -              -                          agent_sight;
        POST    "/rest/api/{version}/filter/{id}/permission"                                           -              -                          sends_to(Org)  reads(shared::share_filter);
        GET     "/rest/api/{version}/filter/{id}/permission/{permissionId}"                            -              -                          agent_sight;
    }
}

/// People and permissions: /cloud/jira/platform/rest/v3 "Users", "User search", "Groups", "Myself", "Permissions", read 2026-12-01.
fn people() -> Vec<Route> {
    routes! {
        GET     "/rest/api/{version}/applicationrole"                     Administer  "global";
        GET     "/rest/api/{version}/applicationrole/{key}"               Administer  "global";
        GET     "/rest/api/{version}/group"                               UserPicker  "global";
        GET     "/rest/api/{version}/group/bulk"                          UserPicker  "global";
        GET     "/rest/api/{version}/group/member"                        UserPicker  "global";
        GET     "/rest/api/{version}/groups/picker"                       UserPicker  "global";
        GET     "/rest/api/{version}/groupuserpicker"                     UserPicker  "global";
        GET     "/rest/api/{version}/mypermissions"                       -           -         trusted;
        GET     "/rest/api/{version}/mypreferences"                       -           -         agent_only("a preference of the agent's account");
        PUT     "/rest/api/{version}/mypreferences"                       -           -         agent_only("a preference of the agent's account");
        DELETE  "/rest/api/{version}/mypreferences"                       -           -         agent_only("a preference of the agent's account");
        GET     "/rest/api/{version}/mypreferences/locale"                -           -         agent_only("a preference of the agent's account");
        PUT     "/rest/api/{version}/mypreferences/locale"                -           -         agent_only("a preference of the agent's account");
        DELETE  "/rest/api/{version}/mypreferences/locale"                -           -         agent_only("a preference of the agent's account");
        GET     "/rest/api/{version}/myself"                              -           -         trusted;
        GET     "/rest/api/{version}/permissions"                         -           -         trusted;
        POST    "/rest/api/{version}/permissions/check"                   Administer  "global"  effect(Read);
        POST    "/rest/api/{version}/permissions/project"                 -           -         effect(Read)  agent_sight;
        GET     "/rest/api/{version}/user"                                UserPicker  "global";
        GET     "/rest/api/{version}/user/assignable/multiProjectSearch"  UserPicker  "global";
        GET     "/rest/api/{version}/user/assignable/search"              UserPicker  "global";
        GET     "/rest/api/{version}/user/bulk"                           UserPicker  "global";
        GET     "/rest/api/{version}/user/bulk/migration"                 UserPicker  "global";
        GET     "/rest/api/{version}/user/columns"                        -           -         reads(projects::of_account);
        PUT     "/rest/api/{version}/user/columns"                        -           -         reads(projects::of_account);
        DELETE  "/rest/api/{version}/user/columns"                        -           -         reads(projects::of_account);
        GET     "/rest/api/{version}/user/email"                          Administer  "global";
        GET     "/rest/api/{version}/user/email/bulk"                     Administer  "global";
        GET     "/rest/api/{version}/user/groups"                         UserPicker  "global";
        GET     "/rest/api/{version}/user/permission/search"              Administer  "global";
        GET     "/rest/api/{version}/user/picker"                         UserPicker  "global";
        GET     "/rest/api/{version}/user/properties"                     -           -         reads(projects::of_account);
        GET     "/rest/api/{version}/user/properties/{propertyKey}"       -           -         reads(projects::of_account);
        PUT     "/rest/api/{version}/user/properties/{propertyKey}"       -           -         reads(projects::of_account);
        DELETE  "/rest/api/{version}/user/properties/{propertyKey}"       -           -         reads(projects::of_account);
        GET     "/rest/api/{version}/user/search"                         UserPicker  "global";
        GET     "/rest/api/{version}/user/search/query"                   UserPicker  "global";
        GET     "/rest/api/{version}/user/search/query/key"               UserPicker  "global";
        GET     "/rest/api/{version}/user/viewissue/search"               UserPicker  "global";
        GET     "/rest/api/{version}/users"                               UserPicker  "global";
        GET     "/rest/api/{version}/users/search"                        UserPicker  "global";
    }
}

/// What every account of the site sees of its configuration: /cloud/jira/platform/rest/v3, read 2026-12-01.
fn everybody() -> Vec<Route> {
    routes! {
        GET  "/rest/api/{version}/announcementBanner"                                  Administer  "global";
        GET  "/rest/api/{version}/avatar/{type}/system"                                -           -         trusted;
        GET  "/rest/api/{version}/configuration"                                       -           -;
        GET  "/rest/api/{version}/configuration/timetracking/options"                  -           -;
        GET  "/rest/api/{version}/customFieldOption/{id}"                              -           -;
        GET  "/rest/api/{version}/data-policy"                                         -           -;
        GET  "/rest/api/{version}/data-policy/project"                                 -           -         agent_sight;
        GET  "/rest/api/{version}/events"                                              Administer  "global";
        GET  "/rest/api/{version}/field"                                               -           -;
        GET  "/rest/api/{version}/field/search"                                        -           -;
        GET  "/rest/api/{version}/instance/license"                                    Administer  "global";
        GET  "/rest/api/{version}/issueLinkType"                                       -           -;
        GET  "/rest/api/{version}/issueLinkType/{issueLinkTypeId}"                     -           -;
        GET  "/rest/api/{version}/issuesecurityschemes/{id}"                           -           -         agent_sight;
        GET  "/rest/api/{version}/issuetype"                                           -           -;
        GET  "/rest/api/{version}/issuetype/project"                                   -           -         agent_sight;
        GET  "/rest/api/{version}/issuetype/{id}"                                      -           -;
        GET  "/rest/api/{version}/issuetype/{id}/alternatives"                         -           -;
        GET  "/rest/api/{version}/label"                                               -           -         agent_sight;
        GET  "/rest/api/{version}/priority"                                            -           -;
        GET  "/rest/api/{version}/priority/search"                                     -           -;
        GET  "/rest/api/{version}/priority/{id}"                                       -           -;
        GET  "/rest/api/{version}/projectCategory"                                     -           -;
        GET  "/rest/api/{version}/projectCategory/{id}"                                -           -;
        GET  "/rest/api/{version}/redact/status/{jobId}"                               -           -         trusted;
        GET  "/rest/api/{version}/resolution"                                          -           -;
        GET  "/rest/api/{version}/resolution/search"                                   -           -         no_operation("newer than the list");
        GET  "/rest/api/{version}/resolution/{id}"                                     -           -;
        GET  "/rest/api/{version}/securitylevel/{id}"                                  -           -         agent_sight;
        GET  "/rest/api/{version}/serverInfo"                                          -           -         trusted;
        GET  "/rest/api/{version}/status"                                              -           -;
        GET  "/rest/api/{version}/status/{idOrName}"                                   -           -;
        GET  "/rest/api/{version}/statuscategory"                                      -           -;
        GET  "/rest/api/{version}/statuscategory/{idOrKey}"                            -           -;
        GET  "/rest/api/{version}/universal_avatar/type/{type}/owner/{entityId}"       -           -         agent_sight;
        GET  "/rest/api/{version}/universal_avatar/view/type/{type}"                   -           -;
        GET  "/rest/api/{version}/universal_avatar/view/type/{type}/avatar/{id}"       -           -;
        GET  "/rest/api/{version}/universal_avatar/view/type/{type}/owner/{entityId}"  -           -;
    }
}

/// The site's configuration, an administrator's: /cloud/jira/platform/rest/v3, read 2026-12-01.
fn site() -> Vec<Route> {
    routes! {
        PUT     "/rest/api/{version}/announcementBanner"                                               Administer  "global"  sends_to(Org);
        POST    "/rest/api/{version}/app/field/value"                                                  -           -         agent_only("only the app that owns the field may set it");
        GET     "/rest/api/{version}/app/field/{fieldIdOrKey}/context/configuration"                   Administer  "global";
        PUT     "/rest/api/{version}/app/field/{fieldIdOrKey}/context/configuration"                   Administer  "global";
        PUT     "/rest/api/{version}/app/field/{fieldIdOrKey}/value"                                   -           -         agent_only("only the app that owns the field may set it");
        GET     "/rest/api/{version}/application-properties"                                           Administer  "global";
        GET     "/rest/api/{version}/application-properties/advanced-settings"                         Administer  "global";
        PUT     "/rest/api/{version}/application-properties/{id}"                                      Administer  "global";
        GET     "/rest/api/{version}/auditing/record"                                                  Administer  "global";
        GET     "/rest/api/{version}/configuration/timetracking"                                       Administer  "global";
        PUT     "/rest/api/{version}/configuration/timetracking"                                       Administer  "global";
        GET     "/rest/api/{version}/configuration/timetracking/list"                                  Administer  "global";
        PUT     "/rest/api/{version}/configuration/timetracking/options"                               Administer  "global";
        POST    "/rest/api/{version}/field"                                                            Administer  "global";
        PUT     "/rest/api/{version}/field/association"                                                Administer  "global";
        DELETE  "/rest/api/{version}/field/association"                                                Administer  "global";
        GET     "/rest/api/{version}/field/search/trashed"                                             Administer  "global";
        PUT     "/rest/api/{version}/field/{fieldId}"                                                  Administer  "global";
        DELETE  "/rest/api/{version}/field/{fieldId}"                                                  Administer  "global";
        GET     "/rest/api/{version}/field/{fieldId}/context"                                          Administer  "global";
        POST    "/rest/api/{version}/field/{fieldId}/context"                                          Administer  "global";
        GET     "/rest/api/{version}/field/{fieldId}/context/defaultValue"                             Administer  "global";
        PUT     "/rest/api/{version}/field/{fieldId}/context/defaultValue"                             Administer  "global";
        GET     "/rest/api/{version}/field/{fieldId}/context/defaultValues"                            Administer  "global";
        GET     "/rest/api/{version}/field/{fieldId}/context/issuetypemapping"                         Administer  "global";
        POST    "/rest/api/{version}/field/{fieldId}/context/mapping"                                  Administer  "global"  effect(Read);
        GET     "/rest/api/{version}/field/{fieldId}/context/projectmapping"                           Administer  "global";
        PUT     "/rest/api/{version}/field/{fieldId}/context/{contextId}"                              Administer  "global";
        DELETE  "/rest/api/{version}/field/{fieldId}/context/{contextId}"                              Administer  "global";
        PUT     "/rest/api/{version}/field/{fieldId}/context/{contextId}/issuetype"                    Administer  "global";
        POST    "/rest/api/{version}/field/{fieldId}/context/{contextId}/issuetype/remove"             Administer  "global";
        GET     "/rest/api/{version}/field/{fieldId}/context/{contextId}/option"                       Administer  "global";
        POST    "/rest/api/{version}/field/{fieldId}/context/{contextId}/option"                       Administer  "global";
        PUT     "/rest/api/{version}/field/{fieldId}/context/{contextId}/option"                       Administer  "global";
        PUT     "/rest/api/{version}/field/{fieldId}/context/{contextId}/option/move"                  Administer  "global";
        DELETE  "/rest/api/{version}/field/{fieldId}/context/{contextId}/option/{optionId}"            Administer  "global";
        DELETE  "/rest/api/{version}/field/{fieldId}/context/{contextId}/option/{optionId}/issue"      Administer  "global";
        PUT     "/rest/api/{version}/field/{fieldId}/context/{contextId}/project"                      Administer  "global";
        POST    "/rest/api/{version}/field/{fieldId}/context/{contextId}/project/remove"               Administer  "global";
        GET     "/rest/api/{version}/field/{fieldId}/contexts"                                         Administer  "global";
        GET     "/rest/api/{version}/field/{fieldId}/option"                                           Administer  "global";
        POST    "/rest/api/{version}/field/{fieldId}/option"                                           Administer  "global";
        GET     "/rest/api/{version}/field/{fieldId}/option/suggestions/edit"                          Administer  "global";
        GET     "/rest/api/{version}/field/{fieldId}/option/suggestions/search"                        Administer  "global";
        GET     "/rest/api/{version}/field/{fieldId}/option/{optionId}"                                Administer  "global";
        PUT     "/rest/api/{version}/field/{fieldId}/option/{optionId}"                                Administer  "global";
        DELETE  "/rest/api/{version}/field/{fieldId}/option/{optionId}"                                Administer  "global";
        DELETE  "/rest/api/{version}/field/{fieldId}/option/{optionId}/issue"                          Administer  "global";
        POST    "/rest/api/{version}/field/{fieldId}/restore"                                          Administer  "global";
        GET     "/rest/api/{version}/field/{fieldId}/screens"                                          Administer  "global";
        POST    "/rest/api/{version}/field/{fieldId}/trash"                                            Administer  "global";
        GET     "/rest/api/{version}/fieldconfiguration"                                               Administer  "global";
        POST    "/rest/api/{version}/fieldconfiguration"                                               Administer  "global";
        PUT     "/rest/api/{version}/fieldconfiguration/{id}"                                          Administer  "global";
        DELETE  "/rest/api/{version}/fieldconfiguration/{id}"                                          Administer  "global";
        GET     "/rest/api/{version}/fieldconfiguration/{id}/fields"                                   Administer  "global";
        PUT     "/rest/api/{version}/fieldconfiguration/{id}/fields"                                   Administer  "global";
        GET     "/rest/api/{version}/fieldconfigurationscheme"                                         Administer  "global";
        POST    "/rest/api/{version}/fieldconfigurationscheme"                                         Administer  "global";
        GET     "/rest/api/{version}/fieldconfigurationscheme/mapping"                                 Administer  "global";
        GET     "/rest/api/{version}/fieldconfigurationscheme/project"                                 Administer  "global";
        PUT     "/rest/api/{version}/fieldconfigurationscheme/project"                                 Administer  "global";
        PUT     "/rest/api/{version}/fieldconfigurationscheme/{id}"                                    Administer  "global";
        DELETE  "/rest/api/{version}/fieldconfigurationscheme/{id}"                                    Administer  "global";
        PUT     "/rest/api/{version}/fieldconfigurationscheme/{id}/mapping"                            Administer  "global";
        POST    "/rest/api/{version}/fieldconfigurationscheme/{id}/mapping/delete"                     Administer  "global";
        POST    "/rest/api/{version}/forge/panel/action/bulk/async"                                    Administer  "global";
        POST    "/rest/api/{version}/issueLinkType"                                                    Administer  "global";
        PUT     "/rest/api/{version}/issueLinkType/{issueLinkTypeId}"                                  Administer  "global";
        DELETE  "/rest/api/{version}/issueLinkType/{issueLinkTypeId}"                                  Administer  "global";
        GET     "/rest/api/{version}/issuesecurityschemes"                                             Administer  "global";
        GET     "/rest/api/{version}/issuesecurityschemes/{issueSecuritySchemeId}/members"             Administer  "global";
        POST    "/rest/api/{version}/issuetype"                                                        Administer  "global";
        PUT     "/rest/api/{version}/issuetype/{id}"                                                   Administer  "global";
        DELETE  "/rest/api/{version}/issuetype/{id}"                                                   Administer  "global";
        POST    "/rest/api/{version}/issuetype/{id}/avatar2"                                           Administer  "global";
        GET     "/rest/api/{version}/issuetype/{id}/properties"                                        Administer  "global";
        GET     "/rest/api/{version}/issuetype/{id}/properties/{propertyKey}"                          Administer  "global";
        PUT     "/rest/api/{version}/issuetype/{id}/properties/{propertyKey}"                          Administer  "global";
        DELETE  "/rest/api/{version}/issuetype/{id}/properties/{propertyKey}"                          Administer  "global";
        GET     "/rest/api/{version}/issuetypescheme"                                                  Administer  "global";
        POST    "/rest/api/{version}/issuetypescheme"                                                  Administer  "global";
        GET     "/rest/api/{version}/issuetypescheme/mapping"                                          Administer  "global";
        GET     "/rest/api/{version}/issuetypescheme/project"                                          Administer  "global";
        PUT     "/rest/api/{version}/issuetypescheme/project"                                          Administer  "global";
        PUT     "/rest/api/{version}/issuetypescheme/{issueTypeSchemeId}"                              Administer  "global";
        DELETE  "/rest/api/{version}/issuetypescheme/{issueTypeSchemeId}"                              Administer  "global";
        PUT     "/rest/api/{version}/issuetypescheme/{issueTypeSchemeId}/issuetype"                    Administer  "global";
        PUT     "/rest/api/{version}/issuetypescheme/{issueTypeSchemeId}/issuetype/move"               Administer  "global";
        DELETE  "/rest/api/{version}/issuetypescheme/{issueTypeSchemeId}/issuetype/{issueTypeId}"      Administer  "global";
        GET     "/rest/api/{version}/issuetypescreenscheme"                                            Administer  "global";
        POST    "/rest/api/{version}/issuetypescreenscheme"                                            Administer  "global";
        GET     "/rest/api/{version}/issuetypescreenscheme/mapping"                                    Administer  "global";
        GET     "/rest/api/{version}/issuetypescreenscheme/project"                                    Administer  "global";
        PUT     "/rest/api/{version}/issuetypescreenscheme/project"                                    Administer  "global";
        PUT     "/rest/api/{version}/issuetypescreenscheme/{issueTypeScreenSchemeId}"                  Administer  "global";
        DELETE  "/rest/api/{version}/issuetypescreenscheme/{issueTypeScreenSchemeId}"                  Administer  "global";
        PUT     "/rest/api/{version}/issuetypescreenscheme/{issueTypeScreenSchemeId}/mapping"          Administer  "global";
        PUT     "/rest/api/{version}/issuetypescreenscheme/{issueTypeScreenSchemeId}/mapping/default"  Administer  "global";
        POST    "/rest/api/{version}/issuetypescreenscheme/{issueTypeScreenSchemeId}/mapping/remove"   Administer  "global";
        GET     "/rest/api/{version}/issuetypescreenscheme/{issueTypeScreenSchemeId}/project"          Administer  "global";
        GET     "/rest/api/{version}/notificationscheme"                                               Administer  "global";
        GET     "/rest/api/{version}/notificationscheme/project"                                       Administer  "global";
        GET     "/rest/api/{version}/notificationscheme/{id}"                                          Administer  "global";
        PUT     "/rest/api/{version}/notificationscheme/{id}/notification"                             Administer  "global"  sends_to(Org);
        DELETE  "/rest/api/{version}/notificationscheme/{id}/notification/{notificationId}"            Administer  "global";
        GET     "/rest/api/{version}/permissionscheme"                                                 Administer  "global";
        POST    "/rest/api/{version}/permissionscheme"                                                 Administer  "global";
        GET     "/rest/api/{version}/permissionscheme/{schemeId}"                                      Administer  "global";
        PUT     "/rest/api/{version}/permissionscheme/{schemeId}"                                      Administer  "global";
        DELETE  "/rest/api/{version}/permissionscheme/{schemeId}"                                      Administer  "global";
        GET     "/rest/api/{version}/permissionscheme/{schemeId}/permission"                           Administer  "global";
        POST    "/rest/api/{version}/permissionscheme/{schemeId}/permission"                           Administer  "global";
        GET     "/rest/api/{version}/permissionscheme/{schemeId}/permission/{permissionId}"            Administer  "global";
        DELETE  "/rest/api/{version}/permissionscheme/{schemeId}/permission/{permissionId}"            Administer  "global";
        POST    "/rest/api/{version}/priority"                                                         Administer  "global";
        PUT     "/rest/api/{version}/priority/default"                                                 Administer  "global";
        PUT     "/rest/api/{version}/priority/move"                                                    Administer  "global";
        PUT     "/rest/api/{version}/priority/{id}"                                                    Administer  "global";
        DELETE  "/rest/api/{version}/priority/{id}"                                                    Administer  "global";
        POST    "/rest/api/{version}/projectCategory"                                                  Administer  "global";
        PUT     "/rest/api/{version}/projectCategory/{id}"                                             Administer  "global";
        DELETE  "/rest/api/{version}/projectCategory/{id}"                                             Administer  "global";
        GET     "/rest/api/{version}/role"                                                             Administer  "global";
        POST    "/rest/api/{version}/role"                                                             Administer  "global";
        GET     "/rest/api/{version}/role/{id}"                                                        Administer  "global";
        POST    "/rest/api/{version}/role/{id}"                                                        Administer  "global";
        PUT     "/rest/api/{version}/role/{id}"                                                        Administer  "global";
        DELETE  "/rest/api/{version}/role/{id}"                                                        Administer  "global";
        GET     "/rest/api/{version}/role/{id}/actors"                                                 Administer  "global";
        POST    "/rest/api/{version}/role/{id}/actors"                                                 Administer  "global";
        DELETE  "/rest/api/{version}/role/{id}/actors"                                                 Administer  "global";
        GET     "/rest/api/{version}/screens"                                                          Administer  "global";
        POST    "/rest/api/{version}/screens"                                                          Administer  "global";
        POST    "/rest/api/{version}/screens/addToDefault/{fieldId}"                                   Administer  "global";
        PUT     "/rest/api/{version}/screens/{screenId}"                                               Administer  "global";
        DELETE  "/rest/api/{version}/screens/{screenId}"                                               Administer  "global";
        GET     "/rest/api/{version}/screens/{screenId}/availableFields"                               Administer  "global";
        GET     "/rest/api/{version}/screens/{screenId}/tabs"                                          Administer  "global";
        POST    "/rest/api/{version}/screens/{screenId}/tabs"                                          Administer  "global";
        PUT     "/rest/api/{version}/screens/{screenId}/tabs/{tabId}"                                  Administer  "global";
        DELETE  "/rest/api/{version}/screens/{screenId}/tabs/{tabId}"                                  Administer  "global";
        GET     "/rest/api/{version}/screens/{screenId}/tabs/{tabId}/fields"                           Administer  "global";
        POST    "/rest/api/{version}/screens/{screenId}/tabs/{tabId}/fields"                           Administer  "global";
        DELETE  "/rest/api/{version}/screens/{screenId}/tabs/{tabId}/fields/{id}"                      Administer  "global";
        POST    "/rest/api/{version}/screens/{screenId}/tabs/{tabId}/fields/{id}/move"                 Administer  "global";
        POST    "/rest/api/{version}/screens/{screenId}/tabs/{tabId}/move/{pos}"                       Administer  "global";
        GET     "/rest/api/{version}/screenscheme"                                                     Administer  "global";
        POST    "/rest/api/{version}/screenscheme"                                                     Administer  "global";
        PUT     "/rest/api/{version}/screenscheme/{screenSchemeId}"                                    Administer  "global";
        DELETE  "/rest/api/{version}/screenscheme/{screenSchemeId}"                                    Administer  "global";
        GET     "/rest/api/{version}/settings/columns"                                                 Administer  "global";
        PUT     "/rest/api/{version}/settings/columns"                                                 Administer  "global";
        GET     "/rest/api/{version}/statuses"                                                         Administer  "global";
        POST    "/rest/api/{version}/statuses"                                                         -           -         reads(projects::scoped);
        PUT     "/rest/api/{version}/statuses"                                                         Administer  "global";
        DELETE  "/rest/api/{version}/statuses"                                                         Administer  "global";
        GET     "/rest/api/{version}/statuses/byNames"                                                 Administer  "global";
        GET     "/rest/api/{version}/statuses/search"                                                  Administer  "global";
        GET     "/rest/api/{version}/statuses/{statusId}/project/{projectId}/issueTypeUsages"          Administer  "global";
        GET     "/rest/api/{version}/statuses/{statusId}/projectUsages"                                Administer  "global";
        GET     "/rest/api/{version}/statuses/{statusId}/workflowUsages"                               Administer  "global";
        GET     "/rest/api/{version}/task/{taskId}"                                                    Administer  "global";
        POST    "/rest/api/{version}/task/{taskId}/cancel"                                             Administer  "global";
        GET     "/rest/api/{version}/uiModifications"                                                  -           -         agent_only("only the app that owns the modification may change it");
        POST    "/rest/api/{version}/uiModifications"                                                  -           -         agent_only("only the app that owns the modification may change it");
        PUT     "/rest/api/{version}/uiModifications/{uiModificationId}"                               -           -         agent_only("only the app that owns the modification may change it");
        DELETE  "/rest/api/{version}/uiModifications/{uiModificationId}"                               -           -         agent_only("only the app that owns the modification may change it");
        POST    "/rest/api/{version}/universal_avatar/type/{type}/owner/{entityId}"                    Administer  "global";
        DELETE  "/rest/api/{version}/universal_avatar/type/{type}/owner/{entityId}/avatar/{id}"        Administer  "global";
        GET     "/rest/api/{version}/webhook"                                                          Administer  "global";
        POST    "/rest/api/{version}/webhook"                                                          Administer  "global"  sends_to(Public);
        DELETE  "/rest/api/{version}/webhook"                                                          Administer  "global";
        GET     "/rest/api/{version}/webhook/failed"                                                   Administer  "global";
        PUT     "/rest/api/{version}/webhook/refresh"                                                  Administer  "global";
        GET     "/rest/api/{version}/workflow"                                                         Administer  "global";
        POST    "/rest/api/{version}/workflow"                                                         Administer  "global";
        POST    "/rest/api/{version}/workflow/history"                                                 Administer  "global"  effect(Read);
        POST    "/rest/api/{version}/workflow/history/list"                                            Administer  "global"  effect(Read);
        GET     "/rest/api/{version}/workflow/rule/config"                                             -           -         agent_only("only the app that owns the rule may change it");
        PUT     "/rest/api/{version}/workflow/rule/config"                                             -           -         agent_only("only the app that owns the rule may change it");
        PUT     "/rest/api/{version}/workflow/rule/config/delete"                                      -           -         effect(Destructive)  agent_only("only the app that owns the rule may change it");
        GET     "/rest/api/{version}/workflow/search"                                                  Administer  "global";
        GET     "/rest/api/{version}/workflow/transitions/{transitionId}/properties"                   Administer  "global";
        POST    "/rest/api/{version}/workflow/transitions/{transitionId}/properties"                   Administer  "global";
        PUT     "/rest/api/{version}/workflow/transitions/{transitionId}/properties"                   Administer  "global";
        DELETE  "/rest/api/{version}/workflow/transitions/{transitionId}/properties"                   Administer  "global";
        DELETE  "/rest/api/{version}/workflow/{entityId}"                                              Administer  "global";
        GET     "/rest/api/{version}/workflow/{entityId}/project/{projectId}/issueTypeUsages"          Administer  "global";
        GET     "/rest/api/{version}/workflow/{entityId}/projectUsages"                                Administer  "global";
        GET     "/rest/api/{version}/workflow/{entityId}/workflowSchemes"                              Administer  "global";
        POST    "/rest/api/{version}/workflows"                                                        Administer  "global"  effect(Read);
        GET     "/rest/api/{version}/workflows/capabilities"                                           Administer  "global";
        POST    "/rest/api/{version}/workflows/create"                                                 -           -         reads(projects::scoped);
        POST    "/rest/api/{version}/workflows/create/validation"                                      Administer  "global"  effect(Read);
        GET     "/rest/api/{version}/workflows/defaultEditor"                                          Administer  "global";
        POST    "/rest/api/{version}/workflows/preview"                                                Administer  "global"  effect(Read);
        GET     "/rest/api/{version}/workflows/search"                                                 Administer  "global";
        POST    "/rest/api/{version}/workflows/update"                                                 Administer  "global";
        POST    "/rest/api/{version}/workflows/update/validation"                                      Administer  "global"  effect(Read);
        GET     "/rest/api/{version}/workflowscheme"                                                   Administer  "global";
        POST    "/rest/api/{version}/workflowscheme"                                                   Administer  "global";
        GET     "/rest/api/{version}/workflowscheme/project"                                           Administer  "global";
        PUT     "/rest/api/{version}/workflowscheme/project"                                           Administer  "global";
        POST    "/rest/api/{version}/workflowscheme/read"                                              Administer  "global"  effect(Read);
        POST    "/rest/api/{version}/workflowscheme/update"                                            Administer  "global";
        POST    "/rest/api/{version}/workflowscheme/update/mappings"                                   Administer  "global"  effect(Read);
        GET     "/rest/api/{version}/workflowscheme/{id}"                                              Administer  "global";
        PUT     "/rest/api/{version}/workflowscheme/{id}"                                              Administer  "global";
        DELETE  "/rest/api/{version}/workflowscheme/{id}"                                              Administer  "global";
        POST    "/rest/api/{version}/workflowscheme/{id}/createdraft"                                  Administer  "global";
        GET     "/rest/api/{version}/workflowscheme/{id}/default"                                      Administer  "global";
        PUT     "/rest/api/{version}/workflowscheme/{id}/default"                                      Administer  "global";
        DELETE  "/rest/api/{version}/workflowscheme/{id}/default"                                      Administer  "global";
        GET     "/rest/api/{version}/workflowscheme/{id}/draft"                                        Administer  "global";
        PUT     "/rest/api/{version}/workflowscheme/{id}/draft"                                        Administer  "global";
        DELETE  "/rest/api/{version}/workflowscheme/{id}/draft"                                        Administer  "global";
        GET     "/rest/api/{version}/workflowscheme/{id}/draft/default"                                Administer  "global";
        PUT     "/rest/api/{version}/workflowscheme/{id}/draft/default"                                Administer  "global";
        DELETE  "/rest/api/{version}/workflowscheme/{id}/draft/default"                                Administer  "global";
        GET     "/rest/api/{version}/workflowscheme/{id}/draft/issuetype/{issueType}"                  Administer  "global";
        PUT     "/rest/api/{version}/workflowscheme/{id}/draft/issuetype/{issueType}"                  Administer  "global";
        DELETE  "/rest/api/{version}/workflowscheme/{id}/draft/issuetype/{issueType}"                  Administer  "global";
        POST    "/rest/api/{version}/workflowscheme/{id}/draft/publish"                                Administer  "global";
        GET     "/rest/api/{version}/workflowscheme/{id}/draft/workflow"                               Administer  "global";
        PUT     "/rest/api/{version}/workflowscheme/{id}/draft/workflow"                               Administer  "global";
        DELETE  "/rest/api/{version}/workflowscheme/{id}/draft/workflow"                               Administer  "global";
        GET     "/rest/api/{version}/workflowscheme/{id}/issuetype/{issueType}"                        Administer  "global";
        PUT     "/rest/api/{version}/workflowscheme/{id}/issuetype/{issueType}"                        Administer  "global";
        DELETE  "/rest/api/{version}/workflowscheme/{id}/issuetype/{issueType}"                        Administer  "global";
        GET     "/rest/api/{version}/workflowscheme/{id}/projectUsages"                                Administer  "global";
        GET     "/rest/api/{version}/workflowscheme/{id}/workflow"                                     Administer  "global";
        PUT     "/rest/api/{version}/workflowscheme/{id}/workflow"                                     Administer  "global";
        DELETE  "/rest/api/{version}/workflowscheme/{id}/workflow"                                     Administer  "global";
    }
}

/// Boards, sprints, epics: /cloud/jira/software/rest, read 2026-12-01.
fn boards_and_sprints() -> Vec<Route> {
    routes! {
        POST    "/rest/agile/1.0/backlog/issue"                               -               -                       reads(boards::plan);
        POST    "/rest/agile/1.0/backlog/{boardId}/issue"                     -               -                       reads(boards::plan);
        GET     "/rest/agile/1.0/board"                                       -               -                       agent_sight;
        POST    "/rest/agile/1.0/board"                                       -               -                       reads(boards::create);
        GET     "/rest/agile/1.0/board/filter/{filterId}"                     -               -                       agent_sight;
        GET     "/rest/agile/1.0/board/{boardId}"                             BoardView       "board:{boardId}"       reads(named);
        DELETE  "/rest/agile/1.0/board/{boardId}"                             BoardEdit       "board:{boardId}"       reads(named);
        GET     "/rest/agile/1.0/board/{boardId}/backlog"                     BoardView       "board:{boardId}"       agent_sight  reads(named);
        GET     "/rest/agile/1.0/board/{boardId}/epic/none/issue"             BoardView       "board:{boardId}"       agent_sight  reads(named);
        GET     "/rest/agile/1.0/board/{boardId}/epic/{epicId}/issue"         BoardView       "board:{boardId}"       agent_sight  reads(named);
        PUT     "/rest/agile/1.0/board/{boardId}/features"                    BoardEdit       "board:{boardId}"       reads(named);
        GET     "/rest/agile/1.0/board/{boardId}/issue"                       BoardView       "board:{boardId}"       agent_sight  reads(named);
        POST    "/rest/agile/1.0/board/{boardId}/issue"                       -               -                       reads(boards::onto_board);
        PUT     "/rest/agile/1.0/board/{boardId}/properties/{propertyKey}"    BoardEdit       "board:{boardId}"       reads(named);
        DELETE  "/rest/agile/1.0/board/{boardId}/properties/{propertyKey}"    BoardEdit       "board:{boardId}"       reads(named);
        GET     "/rest/agile/1.0/board/{boardId}/sprint/{sprintId}/issue"     BoardView       "board:{boardId}"       agent_sight  reads(named);
        GET     "/rest/agile/1.0/board/{boardId}/{rest+}"                     BoardView       "board:{boardId}"       reads(named)  no_operation("what is read of a board");
        GET     "/rest/agile/1.0/epic/none/issue"                             -               -                       agent_sight;
        POST    "/rest/agile/1.0/epic/none/issue"                             -               -                       reads(boards::out_of_epics);
        GET     "/rest/agile/1.0/epic/{epicIdOrKey}"                          BrowseProjects  "issue:{epicIdOrKey}"   reads(named);
        POST    "/rest/agile/1.0/epic/{epicIdOrKey}"                          EditIssues      "issue:{epicIdOrKey}"   reads(named);
        GET     "/rest/agile/1.0/epic/{epicIdOrKey}/issue"                    BrowseProjects  "issue:{epicIdOrKey}"   agent_sight  reads(named);
        POST    "/rest/agile/1.0/epic/{epicIdOrKey}/issue"                    -               -                       reads(boards::into_epic);
        PUT     "/rest/agile/1.0/epic/{epicIdOrKey}/rank"                     ScheduleIssues  "issue:{epicIdOrKey}"   reads(named);
        PUT     "/rest/agile/1.0/issue/rank"                                  -               -                       reads(boards::rank);
        GET     "/rest/agile/1.0/issue/{issueIdOrKey}"                        BrowseProjects  "issue:{issueIdOrKey}"  reads(named);
        GET     "/rest/agile/1.0/issue/{issueIdOrKey}/estimation"             BrowseProjects  "issue:{issueIdOrKey}"  reads(named);
        PUT     "/rest/agile/1.0/issue/{issueIdOrKey}/estimation"             EditIssues      "issue:{issueIdOrKey}"  reads(named);
        POST    "/rest/agile/1.0/sprint"                                      -               -                       reads(boards::create_sprint);
        GET     "/rest/agile/1.0/sprint/{sprintId}"                           -               -                       agent_sight;
        POST    "/rest/agile/1.0/sprint/{sprintId}"                           SprintManage    "sprint:{sprintId}"     reads(named);
        PUT     "/rest/agile/1.0/sprint/{sprintId}"                           SprintManage    "sprint:{sprintId}"     reads(named);
        DELETE  "/rest/agile/1.0/sprint/{sprintId}"                           SprintManage    "sprint:{sprintId}"     reads(named);
        GET     "/rest/agile/1.0/sprint/{sprintId}/issue"                     -               -                       agent_sight;
        POST    "/rest/agile/1.0/sprint/{sprintId}/issue"                     -               -                       reads(boards::plan);
        GET     "/rest/agile/1.0/sprint/{sprintId}/properties"                -               -                       agent_sight;
        GET     "/rest/agile/1.0/sprint/{sprintId}/properties/{propertyKey}"  -               -                       agent_sight;
        PUT     "/rest/agile/1.0/sprint/{sprintId}/properties/{propertyKey}"  SprintManage    "sprint:{sprintId}"     reads(named);
        DELETE  "/rest/agile/1.0/sprint/{sprintId}/properties/{propertyKey}"  SprintManage    "sprint:{sprintId}"     reads(named);
        POST    "/rest/agile/1.0/sprint/{sprintId}/swap"                      -               -                       reads(boards::swap_sprints);
        GET     "/rest/software/1.0/{rest+}"                                  -               -                       agent_sight  no_operation("issues of boards, epics and sprints, as the agent sees them");
    }
}

/// Service desks: /cloud/jira/service-desk/rest, read 2026-12-01.
fn service_desks() -> Vec<Route> {
    routes! {
        GET     "/rest/servicedeskapi/assets/workspace"                                      -               -                       agent_sight;
        POST    "/rest/servicedeskapi/customer"                                              Administer      "global"                sends_to(Public);
        GET     "/rest/servicedeskapi/info"                                                  -               -                       trusted;
        GET     "/rest/servicedeskapi/insight/workspace"                                     -               -                       agent_sight;
        GET     "/rest/servicedeskapi/knowledgebase/article"                                 -               -                       agent_sight;
        GET     "/rest/servicedeskapi/knowledgebase/article/view/{pageId}"                   -               -                       agent_sight;
        GET     "/rest/servicedeskapi/organization"                                          -               -                       agent_sight;
        POST    "/rest/servicedeskapi/organization"                                          OrgManage       "global";
        GET     "/rest/servicedeskapi/organization/{organizationId}"                         OrgManage       "global";
        DELETE  "/rest/servicedeskapi/organization/{organizationId}"                         Administer      "global";
        GET     "/rest/servicedeskapi/organization/{organizationId}/property"                OrgManage       "global";
        GET     "/rest/servicedeskapi/organization/{organizationId}/property/{propertyKey}"  OrgManage       "global";
        PUT     "/rest/servicedeskapi/organization/{organizationId}/property/{propertyKey}"  OrgManage       "global";
        DELETE  "/rest/servicedeskapi/organization/{organizationId}/property/{propertyKey}"  OrgManage       "global";
        GET     "/rest/servicedeskapi/organization/{organizationId}/user"                    OrgManage       "global";
        POST    "/rest/servicedeskapi/organization/{organizationId}/user"                    OrgManage       "global";
        DELETE  "/rest/servicedeskapi/organization/{organizationId}/user"                    OrgManage       "global";
        GET     "/rest/servicedeskapi/request"                                               -               -                       agent_sight;
        POST    "/rest/servicedeskapi/request"                                               -               -                       sends_out  reads(desk::create);
        GET     "/rest/servicedeskapi/request/{issueIdOrKey}"                                BrowseProjects  "issue:{issueIdOrKey}"  reads(named);
        POST    "/rest/servicedeskapi/request/{issueIdOrKey}/attachment"                     -               -                       reads(desk::attach);
        POST    "/rest/servicedeskapi/request/{issueIdOrKey}/comment"                        -               -                       reads(desk::comment);
        PUT     "/rest/servicedeskapi/request/{issueIdOrKey}/notification"                   -               -                       agent_only("a subscription of the agent's account");
        DELETE  "/rest/servicedeskapi/request/{issueIdOrKey}/notification"                   -               -                       agent_only("a subscription of the agent's account");
        POST    "/rest/servicedeskapi/request/{issueIdOrKey}/participant"                    RequestManage   "issue:{issueIdOrKey}"  sends_out  reads(named);
        DELETE  "/rest/servicedeskapi/request/{issueIdOrKey}/participant"                    RequestManage   "issue:{issueIdOrKey}"  reads(named);
        POST    "/rest/servicedeskapi/request/{issueIdOrKey}/transition"                     -               -                       sends_out  reads(desk::transition);
        GET     "/rest/servicedeskapi/request/{issueIdOrKey}/{rest+}"                        BrowseProjects  "issue:{issueIdOrKey}"  reads(named)  no_operation("what is read of a request");
        GET     "/rest/servicedeskapi/servicedesk"                                           -               -                       agent_sight;
        GET     "/rest/servicedeskapi/servicedesk/{serviceDeskId}"                           -               -                       reads(desk::see);
        POST    "/rest/servicedeskapi/servicedesk/{serviceDeskId}/attachTemporaryFile"       -               -                       reads(desk::upload);
        GET     "/rest/servicedeskapi/servicedesk/{serviceDeskId}/customer"                  -               -                       reads(desk::customers)  no_operation("newer than the list");
        POST    "/rest/servicedeskapi/servicedesk/{serviceDeskId}/customer"                  -               -                       sends_to(Public)  reads(desk::customers);
        DELETE  "/rest/servicedeskapi/servicedesk/{serviceDeskId}/customer"                  -               -                       reads(desk::customers)  no_operation("newer than the list");
        GET     "/rest/servicedeskapi/servicedesk/{serviceDeskId}/organization"              -               -                       reads(desk::organizations);
        POST    "/rest/servicedeskapi/servicedesk/{serviceDeskId}/organization"              -               -                       reads(desk::organizations);
        DELETE  "/rest/servicedeskapi/servicedesk/{serviceDeskId}/organization"              -               -                       reads(desk::organizations);
        GET     "/rest/servicedeskapi/servicedesk/{serviceDeskId}/queue"                     -               -                       reads(desk::organizations);
        GET     "/rest/servicedeskapi/servicedesk/{serviceDeskId}/queue/{rest+}"             -               -                       reads(desk::organizations)  no_operation("queues, which agents see");
        GET     "/rest/servicedeskapi/servicedesk/{serviceDeskId}/{rest+}"                   -               -                       reads(desk::see)  no_operation("what is read of a service desk");
    }
}

/// Surfaces that are refused whole, reads too: none of them is in the reference.
fn other_surfaces() -> Vec<Route> {
    routes! {
        *  "/gateway/api/graphql"       -  -  reads(undocumented)  no_operation("a whole other surface");
        *  "/rest/greenhopper/{rest+}"  -  -  reads(undocumented)  no_operation("undocumented");
        *  "/rest/internal/{rest+}"     -  -  reads(undocumented)  no_operation("undocumented");
        *  "/rest/webhooks/{rest+}"     -  -  reads(undocumented)  no_operation("undocumented");
    }
}

/// Data of apps and providers: /cloud/jira/software/rest "Builds" and the others; /cloud/jira/platform/rest/v3 "App properties", read 2026-12-01.
fn app_data() -> Vec<Route> {
    routes! {
        *  "/rest/atlassian-connect/{rest+}"  -  -  agent_only("only an app may, of its own state")  no_operation("apps' own state, whatever is asked of it");
        *  "/rest/builds/{rest+}"             -  -  agent_only("data of the calling provider's app; no user's permission is asked")  no_operation("a provider's own data, whatever is asked of it");
        *  "/rest/deployments/{rest+}"        -  -  agent_only("data of the calling provider's app; no user's permission is asked")  no_operation("a provider's own data, whatever is asked of it");
        *  "/rest/devinfo/{rest+}"            -  -  agent_only("data of the calling provider's app; no user's permission is asked")  no_operation("a provider's own data, whatever is asked of it");
        *  "/rest/devopscomponents/{rest+}"   -  -  agent_only("data of the calling provider's app; no user's permission is asked")  no_operation("a provider's own data, whatever is asked of it");
        *  "/rest/featureflags/{rest+}"       -  -  agent_only("data of the calling provider's app; no user's permission is asked")  no_operation("a provider's own data, whatever is asked of it");
        *  "/rest/forge/{rest+}"              -  -  agent_only("only an app may, of its own state")  no_operation("apps' own state, whatever is asked of it");
        *  "/rest/operations/{rest+}"         -  -  agent_only("data of the calling provider's app; no user's permission is asked")  no_operation("a provider's own data, whatever is asked of it");
        *  "/rest/remotelinks/{rest+}"        -  -  agent_only("data of the calling provider's app; no user's permission is asked")  no_operation("a provider's own data, whatever is asked of it");
        *  "/rest/security/{rest+}"           -  -  agent_only("data of the calling provider's app; no user's permission is asked")  no_operation("a provider's own data, whatever is asked of it");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_are_sorted_by_path_and_method() {
        let order = ["GET", "POST", "PUT", "PATCH", "DELETE", "*"];
        let place = |route: &Route| {
            let method = order.iter().position(|method| *method == route.method);
            (route.path.to_string(), method.unwrap())
        };
        for chapter in CHAPTERS {
            for pair in chapter().windows(2) {
                let (before, after) = (&pair[0], &pair[1]);
                assert!(
                    place(before) < place(after),
                    "`{} {}` stands before `{} {}`: a chapter is sorted by path, then by method in the order {order:?}, each row once",
                    before.method,
                    before.path,
                    after.method,
                    after.path
                );
            }
        }
        assert!(left_out().is_sorted_by_key(|row| (row.path.to_string(), row.method.to_string())));
    }

    #[test]
    fn the_table_builds_and_no_shape_stands_twice() {
        let table = RouteTable::build(rows()).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(table.version(), super::table().version());
        assert!(table.rows().len() > 400, "{}", table.rows().len());
    }

    #[test]
    fn rows_without_an_action_and_without_a_reader_are_a_closed_list() {
        let rows = rows().routes;
        let unchecked = rows
            .iter()
            .filter(|row| row.action.is_none() && row.reads.is_none() && row.agent_only.is_none());
        let writes = unchecked
            .filter(|row| row.effect_of(&row.method) != toolpass_core::effect::Effect::Read);
        assert_eq!(
            writes.map(|row| row.path.as_ref()).collect::<Vec<_>>(),
            Vec::<&str>::new()
        );
    }

    /// A resource that names an issue or a project out of the path is read by who knows their grammar.
    #[test]
    fn names_of_the_path_are_read() {
        for row in rows().routes {
            let takes_a_name = row
                .resource
                .as_deref()
                .is_some_and(|resource| resource.contains('{'));
            assert_eq!(
                takes_a_name,
                takes_a_name && row.reads.is_some(),
                "{} {}",
                row.method,
                row.path
            );
        }
    }
}
