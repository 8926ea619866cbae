//! Table: the requests of GitHub's REST API, and the one row of its GraphQL API.
//!
//! A row says which action on which resource a request is. What stands in a body is read by `extract/`, a GraphQL document by
//! `graphql/`. Chapters follow the vendor's reference; a right that the reference does not state is taken from "Repository roles
//! for an organization" and "Roles in an organization".
//! A path below `\git`, `\raw` or `\archive` is on another host than the API: see `faces` in the crate's root.
//! INVARIANT: no row asks for less than the vendor does of a person; where the vendor's pages disagree, the row asks for more.
//! INVARIANT: a write that no row knows is refused, so a new operation is a row or a reason in [`left_out`].
//! Source: docs.github.com/rest (API version 2022-11-28, Enterprise Cloud and Enterprise Server 3.19), read 2026-11-30.

use std::sync::LazyLock;

use toolpass_integration::{routes, unrouted};
use toolpass_wire::matcher::RouteTable;
use toolpass_wire::table::{Quirks, Route, Rows, Unrouted};

use crate::actions::Action;
use crate::extract::{alias, branch, git, issues, orgs, pulls, repos, search, teams};
use crate::graphql;

/// The compiled table.
pub fn table() -> &'static RouteTable {
    &TABLE
}

/// The rows before they are compiled.
pub fn rows() -> Rows {
    Rows {
        routes: CHAPTERS.iter().flat_map(|chapter| chapter()).collect(),
        unrouted: left_out(),
        claims: CLAIMS.iter().map(|prefix| (*prefix).into()).collect(),
        prefixes: Vec::new(),
        quirks: Quirks {
            untyped_body_is_json: true,
            ..Quirks::default()
        },
    }
}

static TABLE: LazyLock<RouteTable> = LazyLock::new(|| match RouteTable::build(rows()) {
    Ok(table) => table,
    Err(error) => unreachable!("GitHub's table is built by a test: {error}"),
});

/// One function a chapter: one function for all rows would need a stack of its own in a debug build.
const CHAPTERS: &[fn() -> Vec<Route>] = &[
    actions,
    activity,
    agents,
    billing,
    apps,
    branches,
    code_security,
    checks,
    meta,
    codespaces,
    collaborators,
    commits,
    contents,
    copilot,
    custom_properties,
    dependabot,
    deploy_keys,
    deployments,
    enterprises,
    gists,
    git_database,
    graphql_api,
    interactions,
    issues_and_labels,
    metrics,
    migrations,
    organizations,
    packages,
    pages,
    private_registries,
    projects,
    pull_requests,
    reactions,
    releases,
    repositories,
    rules,
    searches,
    secret_scanning,
    team_rows,
    users,
    webhooks,
    by_number,
    git_over_https,
];

/// Under these, every write is a row or left out with a reason.
const CLAIMS: &[&str] = &[
    "/admin",
    "/agents/repos",
    "/app",
    "/app-manifests",
    "/applications",
    "/authorizations",
    "/credentials",
    "/enterprise",
    "/enterprises",
    "/gists",
    "/graphql",
    "/installation",
    "/manage",
    "/markdown",
    "/notifications",
    "/organizations",
    "/orgs",
    "/repos",
    "/repositories",
    "/scim/v2",
    "/teams",
    "/user",
    "/users",
];

fn left_out() -> Vec<Unrouted> {
    unrouted! {
        *  "/admin/{rest+}"                                                      "site administration of a GitHub Enterprise Server";
        *  "/app-manifests/{rest+}"                                              "creates an App and hands out its key";
        *  "/app/{rest+}"                                                        "administration of the agent's own App, with its own key";
        *  "/applications/{rest+}"                                               "token administration of an OAuth application, with its client secret";
        *  "/authorizations"                                                     "tokens of the agent's own account, with its password";
        *  "/authorizations/{rest+}"                                             "tokens of the agent's own account, with its password";
        *  "/credentials/{rest+}"                                                "revokes any leaked token and needs no login";
        *  "/enterprise/{rest+}"                                                 "the whole server or enterprise: for its owners";
        *  "/enterprises/{rest+}"                                                "belongs to the owners of the enterprise, outside any one organization";
        *  "/gists"                                                              "published under the agent's own name; no organization owns a gist";
        *  "/gists/{rest+}"                                                      "published under the agent's own name; no organization owns a gist";
        *  "/installation/token"                                                 "ends the agent's own session";
        *  "/manage/{rest+}"                                                     "site administration of a GitHub Enterprise Server";
        *  "/notifications"                                                      "the agent's own inbox";
        *  "/notifications/{rest+}"                                              "the agent's own inbox";
        *  "/scim/v2/{rest+}"                                                    "belongs to the identity provider of the enterprise";
        *  "/user"                                                               "the agent's own account";
        *  "/user/installations/{installation_id}/repositories/{repository_id}"  "changes what an App reaches: for administrators";
        *  "/user/{rest+}"                                                       "the agent's own account: keys, addresses, stars, blocks, invitations, packages";
        *  "/users/{username}/{rest+}"                                           "somebody's personal account, or site administration of a GitHub Enterprise Server";
    }
}

/// Actions: docs.github.com/rest/actions, read 2026-11-30.
fn actions() -> Vec<Route> {
    routes! {
        PUT     "/organizations/{org}/actions/cache/retention-limit"                      OrgAdmin   "org:{org}"                reads(orgs::not_by_number);
        PUT     "/organizations/{org}/actions/cache/storage-limit"                        OrgAdmin   "org:{org}"                reads(orgs::not_by_number);
        GET     "/orgs/{org}/actions/cache/usage"                                         OrgMember  "org:{org}";
        POST    "/orgs/{org}/actions/runners/generate-jitconfig"                          OrgAdmin   "org:{org}"                sensitive;
        POST    "/orgs/{org}/actions/runners/registration-token"                          OrgAdmin   "org:{org}"                sensitive;
        POST    "/orgs/{org}/actions/runners/remove-token"                                OrgAdmin   "org:{org}"                sensitive;
        *       "/orgs/{org}/actions/{rest+}"                                             OrgAdmin   "org:{org}"                no_operation("Actions in the whole organization: settings, all of one level");
        DELETE  "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}"                   RepoPush   "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}"  RepoRead   "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/actions/cache/usage"                               RepoRead   "repo:{owner}/{repo}";
        *       "/repos/{owner}/{repo}/actions/cache/{rest+}"                             RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting)  no_operation("what the repository stores in its cache: settings, all of one level");
        DELETE  "/repos/{owner}/{repo}/actions/caches"                                    RepoPush   "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/actions/caches/{cache_id}"                         RepoPush   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/actions/jobs/{job_id}/rerun"                       RepoPush   "repo:{owner}/{repo}";
        *       "/repos/{owner}/{repo}/actions/oidc/{rest+}"                              RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting)  no_operation("claims of the repository's tokens: settings, all of one level");
        GET     "/repos/{owner}/{repo}/actions/organization-secrets"                      RepoPush   "repo:{owner}/{repo}"      reads(repos::setting);
        GET     "/repos/{owner}/{repo}/actions/organization-variables"                    RepoPush   "repo:{owner}/{repo}"      reads(repos::setting);
        GET     "/repos/{owner}/{repo}/actions/permissions"                               RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting);
        PUT     "/repos/{owner}/{repo}/actions/permissions"                               RepoAdmin  "repo:{owner}/{repo}";
        *       "/repos/{owner}/{repo}/actions/permissions/{rest+}"                       RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting)  no_operation("which workflows may run: settings, all of one level");
        POST    "/repos/{owner}/{repo}/actions/policies"                                  RepoAdmin  "repo:{owner}/{repo}"      no_operation("newer than the inventory");
        *       "/repos/{owner}/{repo}/actions/policies/{rest+}"                          RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting)  no_operation("newer than the inventory");
        GET     "/repos/{owner}/{repo}/actions/runners"                                   RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting);
        POST    "/repos/{owner}/{repo}/actions/runners/generate-jitconfig"                RepoAdmin  "repo:{owner}/{repo}"      sensitive;
        POST    "/repos/{owner}/{repo}/actions/runners/registration-token"                RepoAdmin  "repo:{owner}/{repo}"      sensitive;
        POST    "/repos/{owner}/{repo}/actions/runners/remove-token"                      RepoAdmin  "repo:{owner}/{repo}"      sensitive;
        *       "/repos/{owner}/{repo}/actions/runners/{rest+}"                           RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting)  no_operation("the repository's own runners: settings, all of one level");
        DELETE  "/repos/{owner}/{repo}/actions/runs/{run_id}"                             RepoPush   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/actions/runs/{run_id}/approve"                     RepoPush   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/actions/runs/{run_id}/cancel"                      RepoPush   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/actions/runs/{run_id}/deployment_protection_rule"  -          -                          agent_only("answered by the GitHub App that owns the protection rule, so by the agent's own App");
        POST    "/repos/{owner}/{repo}/actions/runs/{run_id}/force-cancel"                RepoPush   "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/actions/runs/{run_id}/logs"                        RepoPush   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/actions/runs/{run_id}/pending_deployments"         RepoRead   "repo:{owner}/{repo}"      reads(repos::pending_deployments);
        POST    "/repos/{owner}/{repo}/actions/runs/{run_id}/rerun"                       RepoPush   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs"           RepoPush   "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/actions/secrets"                                   RepoPush   "repo:{owner}/{repo}"      reads(repos::admin_on_server);
        GET     "/repos/{owner}/{repo}/actions/secrets/public-key"                        RepoRead   "repo:{owner}/{repo}";
        *       "/repos/{owner}/{repo}/actions/secrets/{rest+}"                           RepoPush   "repo:{owner}/{repo}"      reads(repos::admin_on_server)  no_operation("the repository's secrets, all of one level");
        GET     "/repos/{owner}/{repo}/actions/variables"                                 RepoPush   "repo:{owner}/{repo}"      reads(repos::admin_on_server);
        POST    "/repos/{owner}/{repo}/actions/variables"                                 RepoPush   "repo:{owner}/{repo}"      reads(repos::admin_on_server);
        *       "/repos/{owner}/{repo}/actions/variables/{rest+}"                         RepoPush   "repo:{owner}/{repo}"      reads(repos::admin_on_server)  no_operation("the repository's variables, all of one level");
        PUT     "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/disable"           RepoPush   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches"        RepoPush   "repo:{owner}/{repo}{at}"  sends_out  reads(branch::run_of_ref);
        PUT     "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/enable"            RepoPush   "repo:{owner}/{repo}";
    }
}

/// Activity: docs.github.com/rest/activity, read 2026-11-30.
fn activity() -> Vec<Route> {
    routes! {
        GET     "/events"                              -         -                      agent_sight;
        GET     "/feeds"                               -         -                      sensitive  agent_only("addresses of the agent's own private feeds");
        GET     "/networks/{owner}/{repo}/events"      RepoRead  "repo:{owner}/{repo}";
        GET     "/notifications"                       -         -                      agent_only("the agent's own inbox");
        GET     "/notifications/{rest+}"               -         -                      agent_only("the agent's own inbox")  no_operation("the agent's own inbox, whatever is read of it");
        PUT     "/repos/{owner}/{repo}/notifications"  RepoRead  "repo:{owner}/{repo}";
        PUT     "/repos/{owner}/{repo}/subscription"   RepoRead  "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/subscription"   RepoRead  "repo:{owner}/{repo}"  effect(Write);
    }
}

/// Agents: docs.github.com/rest/agent-tasks, docs.github.com/rest/agents, read 2026-11-30.
fn agents() -> Vec<Route> {
    routes! {
        GET   "/agents/repos/{owner}/{repo}/tasks"               RepoRead  "repo:{owner}/{repo}";
        POST  "/agents/repos/{owner}/{repo}/tasks"               RepoPush  "repo:{owner}/{repo}{at}"  sends_out  reads(branch::agent_task);
        GET   "/agents/repos/{owner}/{repo}/tasks/{task_id}"     RepoRead  "repo:{owner}/{repo}";
        GET   "/agents/tasks"                                    -         -                          agent_only("tasks that the agent's own account started");
        GET   "/agents/tasks/{task_id}"                          -         -                          agent_only("tasks that the agent's own account started");
        GET   "/orgs/{org}/agents/{rest+}"                       OrgAdmin  "org:{org}"                no_operation("secrets and variables of coding agents, all of one level");
        GET   "/repos/{owner}/{repo}/agents/secrets/public-key"  RepoRead  "repo:{owner}/{repo}";
        *     "/repos/{owner}/{repo}/agents/{rest+}"             RepoPush  "repo:{owner}/{repo}"      reads(repos::admin_on_server)  no_operation("secrets and variables of coding agents, all of one level");
    }
}

/// Announcements, audit log, billing: docs.github.com/rest/announcement-banners, docs.github.com/rest/orgs, docs.github.com/rest/billing, read 2026-11-30.
fn billing() -> Vec<Route> {
    routes! {
        POST    "/organizations/{org}/settings/billing/budgets"              OrgAdmin  "org:{org}"  reads(orgs::not_by_number);
        PATCH   "/organizations/{org}/settings/billing/budgets/{budget_id}"  OrgAdmin  "org:{org}"  reads(orgs::not_by_number);
        DELETE  "/organizations/{org}/settings/billing/budgets/{budget_id}"  OrgAdmin  "org:{org}"  reads(orgs::not_by_number);
        GET     "/organizations/{org}/settings/billing/{rest+}"              OrgAdmin  "org:{org}"  reads(orgs::not_by_number)  no_operation("what the organization pays, all of one level");
        GET     "/orgs/{org}/audit-log"                                      OrgAdmin  "org:{org}";
    }
}

/// Apps: docs.github.com/rest/apps, read 2026-11-30.
fn apps() -> Vec<Route> {
    routes! {
        GET   "/app"                                                -  -  trusted;
        GET   "/app/hook/deliveries"                                -  -  agent_only("payloads of the App's webhook, of every repository it is installed on");
        GET   "/app/hook/deliveries/{delivery_id}"                  -  -  agent_only("payloads of the App's webhook, of every repository it is installed on");
        POST  "/app/installations/{installation_id}/access_tokens"  -  -  trusted  sensitive;
        GET   "/app/{rest+}"                                        -  -  trusted  no_operation("what an App reads of itself");
        GET   "/applications/{rest+}"                               -  -  agent_only("grants given to an OAuth application by the agent's account")  no_operation("legacy grants, whatever is read of them");
        GET   "/apps/{app_slug}"                                    -  -  trusted;
        GET   "/authorizations"                                     -  -  agent_only("tokens of the agent's account");
        GET   "/authorizations/{authorization_id}"                  -  -  agent_only("tokens of the agent's account");
        GET   "/installation/repositories"                          -  -  agent_only("lists what the agent's credential reaches");
        GET   "/marketplace_listing/{rest+}"                        -  -  agent_only("customers of the agent's own App")  no_operation("the App's listing, whatever is read of it");
    }
}

/// Branches: docs.github.com/rest/branches, read 2026-11-30.
fn branches() -> Vec<Route> {
    routes! {
        GET     "/repos/{owner}/{repo}/branches/{branch%}"                     RepoRead   "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/branches/{branch%}/protection"          RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting);
        PUT     "/repos/{owner}/{repo}/branches/{branch%}/protection"          RepoAdmin  "repo:{owner}/{repo}{at}"  reads(branch::of_path);
        DELETE  "/repos/{owner}/{repo}/branches/{branch%}/protection"          RepoAdmin  "repo:{owner}/{repo}{at}"  reads(branch::of_path);
        *       "/repos/{owner}/{repo}/branches/{branch%}/protection/{rest+}"  RepoAdmin  "repo:{owner}/{repo}{at}"  reads(branch::of_path)  no_operation("the parts of a branch's protection, all of one level");
        POST    "/repos/{owner}/{repo}/branches/{branch%}/rename"              RepoPush   "repo:{owner}/{repo}{at}"  reads(branch::rename);
        POST    "/repos/{owner}/{repo}/merge-upstream"                         RepoPush   "repo:{owner}/{repo}{at}"  reads(branch::merge_upstream);
        POST    "/repos/{owner}/{repo}/merges"                                 RepoPush   "repo:{owner}/{repo}{at}"  reads(branch::merge_into_base);
    }
}

/// Campaigns, code quality, code scanning, code security: docs.github.com/rest/campaigns, docs.github.com/rest/code-quality, docs.github.com/rest/code-scanning, docs.github.com/rest/code-security, read 2026-11-30.
fn code_security() -> Vec<Route> {
    routes! {
        GET     "/orgs/{org}/campaigns"                                                      OrgAdmin   "org:{org}"                reads(orgs::delegable);
        POST    "/orgs/{org}/campaigns"                                                      OrgAdmin   "org:{org}"                reads(orgs::delegable);
        *       "/orgs/{org}/campaigns/{rest+}"                                              OrgAdmin   "org:{org}"                reads(orgs::delegable)  no_operation("security campaigns, all of one level");
        GET     "/orgs/{org}/code-scanning/alerts"                                           OrgAdmin   "org:{org}"                reads(orgs::delegable);
        *       "/orgs/{org}/code-security/{rest+}"                                          OrgAdmin   "org:{org}"                reads(orgs::delegable)  no_operation("security configurations, all of one level");
        GET     "/repos/{owner}/{repo}/code-quality/findings"                                RepoPush   "repo:{owner}/{repo}"      reads(repos::setting);
        GET     "/repos/{owner}/{repo}/code-quality/findings/{finding_number}"               RepoPush   "repo:{owner}/{repo}"      reads(repos::setting);
        PATCH   "/repos/{owner}/{repo}/code-quality/setup"                                   RepoAdmin  "repo:{owner}/{repo}";
        PATCH   "/repos/{owner}/{repo}/code-scanning/ai-scan"                                RepoAdmin  "repo:{owner}/{repo}"      no_operation("newer than the inventory");
        PATCH   "/repos/{owner}/{repo}/code-scanning/alerts/{alert_number}"                  RepoPush   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/code-scanning/alerts/{alert_number}/autofix"          RepoPush   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/code-scanning/alerts/{alert_number}/autofix/commits"  RepoPush   "repo:{owner}/{repo}{at}"  reads(branch::autofix);
        DELETE  "/repos/{owner}/{repo}/code-scanning/analyses/{analysis_id}"                 RepoAdmin  "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/code-scanning/codeql/databases/{language}"            RepoAdmin  "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/code-scanning/codeql/variant-analyses"                RepoAdmin  "repo:{owner}/{repo}";
        PATCH   "/repos/{owner}/{repo}/code-scanning/default-setup"                          RepoAdmin  "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/code-scanning/sarifs"                                 RepoPush   "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/code-scanning/{rest+}"                                RepoPush   "repo:{owner}/{repo}"      reads(repos::setting)  no_operation("alerts and analyses, all of one level");
        GET     "/repos/{owner}/{repo}/code-security-configuration"                          RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting);
    }
}

/// Checks: docs.github.com/rest/checks, read 2026-11-30.
fn checks() -> Vec<Route> {
    routes! {
        POST   "/repos/{owner}/{repo}/check-runs"                               RepoPush   "repo:{owner}/{repo}"  sends_out;
        PATCH  "/repos/{owner}/{repo}/check-runs/{check_run_id}"                RepoPush   "repo:{owner}/{repo}"  sends_out;
        POST   "/repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest"      RepoPush   "repo:{owner}/{repo}";
        POST   "/repos/{owner}/{repo}/check-suites"                             RepoPush   "repo:{owner}/{repo}";
        PATCH  "/repos/{owner}/{repo}/check-suites/preferences"                 RepoAdmin  "repo:{owner}/{repo}";
        POST   "/repos/{owner}/{repo}/check-suites/{check_suite_id}/rerequest"  RepoPush   "repo:{owner}/{repo}";
    }
}

/// Classroom, meta, licenses and the like: docs.github.com/rest/classroom, docs.github.com/rest/meta, docs.github.com/rest/licenses, docs.github.com/rest/markdown, docs.github.com/rest/rate-limit, read 2026-11-30.
fn meta() -> Vec<Route> {
    routes! {
        GET   "/"                            -  -  trusted;
        GET   "/advisories"                  -  -;
        GET   "/advisories/{ghsa_id}"        -  -;
        GET   "/assignments/{rest+}"         -  -  agent_only("classrooms of the agent's own account")  no_operation("classrooms, whatever is read of them");
        GET   "/classrooms"                  -  -  agent_only("classrooms of the agent's own account");
        GET   "/classrooms/{rest+}"          -  -  agent_only("classrooms of the agent's own account")  no_operation("classrooms, whatever is read of them");
        GET   "/codes_of_conduct"            -  -  trusted;
        GET   "/codes_of_conduct/{key}"      -  -  trusted;
        GET   "/emojis"                      -  -  trusted;
        GET   "/gitignore/templates"         -  -  trusted;
        GET   "/gitignore/templates/{name}"  -  -  trusted;
        GET   "/licenses"                    -  -  trusted;
        GET   "/licenses/{license}"          -  -  trusted;
        POST  "/markdown"                    -  -  trusted  reads(repos::render);
        POST  "/markdown/raw"                -  -  trusted;
        GET   "/meta"                        -  -  trusted;
        GET   "/octocat"                     -  -  trusted;
        GET   "/rate_limit"                  -  -  trusted;
        GET   "/versions"                    -  -  trusted;
        GET   "/zen"                         -  -  trusted;
    }
}

/// Codespaces: docs.github.com/rest/codespaces, read 2026-11-30.
fn codespaces() -> Vec<Route> {
    routes! {
        GET   "/orgs/{org}/codespaces"                                OrgAdmin   "org:{org}";
        GET   "/orgs/{org}/codespaces/{rest+}"                        OrgAdmin   "org:{org}"            no_operation("codespaces of the organization, all of one level");
        GET   "/orgs/{org}/members/{username}/codespaces"             OrgAdmin   "org:{org}";
        GET   "/repos/{owner}/{repo}/codespaces"                      -          -                      agent_only("codespaces of the agent's own account");
        POST  "/repos/{owner}/{repo}/codespaces"                      RepoPush   "repo:{owner}/{repo}"  sends_out;
        GET   "/repos/{owner}/{repo}/codespaces/secrets"              RepoAdmin  "repo:{owner}/{repo}"  reads(repos::setting);
        *     "/repos/{owner}/{repo}/codespaces/secrets/{rest+}"      RepoAdmin  "repo:{owner}/{repo}"  reads(repos::setting)  no_operation("secrets of codespaces, all of one level");
        POST  "/repos/{owner}/{repo}/pulls/{pull_number}/codespaces"  RepoPush   "repo:{owner}/{repo}"  sends_out;
    }
}

/// Collaborators: docs.github.com/rest/collaborators, read 2026-11-30.
fn collaborators() -> Vec<Route> {
    routes! {
        GET     "/repos/{owner}/{repo}/collaborators"                        RepoPush   "repo:{owner}/{repo}"  reads(repos::setting);
        GET     "/repos/{owner}/{repo}/collaborators/{username}"             RepoPush   "repo:{owner}/{repo}"  reads(repos::setting);
        PUT     "/repos/{owner}/{repo}/collaborators/{username}"             RepoAdmin  "repo:{owner}/{repo}"  reads(repos::add_collaborator);
        DELETE  "/repos/{owner}/{repo}/collaborators/{username}"             RepoAdmin  "repo:{owner}/{repo}"  reads(repos::remove_collaborator);
        GET     "/repos/{owner}/{repo}/collaborators/{username}/permission"  RepoPush   "repo:{owner}/{repo}"  reads(repos::setting);
        GET     "/repos/{owner}/{repo}/invitations"                          RepoAdmin  "repo:{owner}/{repo}"  reads(repos::setting);
        PATCH   "/repos/{owner}/{repo}/invitations/{invitation_id}"          RepoAdmin  "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/invitations/{invitation_id}"          RepoAdmin  "repo:{owner}/{repo}";
    }
}

/// Commits: docs.github.com/rest/commits, read 2026-11-30.
fn commits() -> Vec<Route> {
    routes! {
        PATCH   "/repos/{owner}/{repo}/comments/{comment_id}"          RepoPush  "repo:{owner}/{repo}"  sends_out  reads(issues::commit_comment);
        DELETE  "/repos/{owner}/{repo}/comments/{comment_id}"          RepoPush  "repo:{owner}/{repo}"  reads(issues::commit_comment);
        POST    "/repos/{owner}/{repo}/commits/{commit_sha}/comments"  RepoRead  "repo:{owner}/{repo}"  sends_out  reads(issues::writes);
        GET     "/repos/{owner}/{repo}/commits/{ref%}"                 RepoRead  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/commits/{ref%}/check-runs"      RepoRead  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/commits/{ref%}/check-suites"    RepoRead  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/commits/{ref%}/status"          RepoRead  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/commits/{ref%}/statuses"        RepoRead  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/compare/{basehead%}"            RepoRead  "repo:{owner}/{repo}"  reads(repos::compare);
        POST    "/repos/{owner}/{repo}/statuses/{sha}"                 RepoPush  "repo:{owner}/{repo}"  sends_out;
    }
}

/// Contents: docs.github.com/rest/repos/contents, read 2026-11-30.
fn contents() -> Vec<Route> {
    routes! {
        GET     "/repos/{owner}/{repo}/contents/{path+%}"  RepoRead  "repo:{owner}/{repo}";
        PUT     "/repos/{owner}/{repo}/contents/{path+%}"  RepoPush  "repo:{owner}/{repo}{at}"  sends_out  reads(branch::of_contents);
        DELETE  "/repos/{owner}/{repo}/contents/{path+%}"  RepoPush  "repo:{owner}/{repo}{at}"  reads(branch::of_contents);
        GET     "/repos/{owner}/{repo}/readme/{dir%}"      RepoRead  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/tarball/{ref%}"     RepoRead  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/zipball/{ref%}"     RepoRead  "repo:{owner}/{repo}";
    }
}

/// Copilot: docs.github.com/rest/copilot, read 2026-11-30.
fn copilot() -> Vec<Route> {
    routes! {
        GET   "/orgs/{org}/copilot-spaces"              OrgAdmin  "org:{org}"  reads(orgs::delegable);
        POST  "/orgs/{org}/copilot-spaces"              OrgAdmin  "org:{org}"  reads(orgs::delegable);
        *     "/orgs/{org}/copilot-spaces/{rest+}"      OrgAdmin  "org:{org}"  reads(orgs::delegable)  no_operation("spaces with roles of their own, which REST does not tell");
        GET   "/orgs/{org}/copilot/billing"             OrgAdmin  "org:{org}";
        GET   "/orgs/{org}/copilot/{rest+}"             OrgAdmin  "org:{org}"  no_operation("seats, metrics and settings of Copilot, all of one level");
        GET   "/orgs/{org}/members/{username}/copilot"  OrgAdmin  "org:{org}";
    }
}

/// Custom properties: docs.github.com/rest/repos/custom-properties, docs.github.com/rest/orgs/custom-properties, read 2026-11-30.
fn custom_properties() -> Vec<Route> {
    routes! {
        GET     "/organizations/{org}/org-properties/values"            OrgMember  "org:{org}"            reads(orgs::not_by_number);
        PATCH   "/organizations/{org}/org-properties/values"            OrgAdmin   "org:{org}"            reads(orgs::not_by_number);
        PATCH   "/orgs/{org}/properties/schema"                         OrgAdmin   "org:{org}"            reads(orgs::delegable);
        PUT     "/orgs/{org}/properties/schema/{custom_property_name}"  OrgAdmin   "org:{org}"            reads(orgs::delegable);
        DELETE  "/orgs/{org}/properties/schema/{custom_property_name}"  OrgAdmin   "org:{org}"            reads(orgs::delegable);
        PATCH   "/orgs/{org}/properties/values"                         OrgAdmin   "org:{org}"            reads(orgs::delegable);
        PATCH   "/repos/{owner}/{repo}/properties/values"               RepoAdmin  "repo:{owner}/{repo}"  reads(repos::custom_properties);
    }
}

/// Dependabot, dependency graph: docs.github.com/rest/dependabot, docs.github.com/rest/dependency-graph, read 2026-11-30.
fn dependabot() -> Vec<Route> {
    routes! {
        GET    "/orgs/{org}/dependabot/{rest+}"                              OrgAdmin   "org:{org}"            reads(orgs::delegable)  no_operation("alerts and secrets of every repository, all of one level");
        GET    "/repos/{owner}/{repo}/dependabot/alerts"                     RepoPush   "repo:{owner}/{repo}"  reads(repos::setting);
        GET    "/repos/{owner}/{repo}/dependabot/alerts/{alert_number}"      RepoPush   "repo:{owner}/{repo}"  reads(repos::setting);
        PATCH  "/repos/{owner}/{repo}/dependabot/alerts/{alert_number}"      RepoPush   "repo:{owner}/{repo}";
        GET    "/repos/{owner}/{repo}/dependabot/secrets"                    RepoAdmin  "repo:{owner}/{repo}"  reads(repos::setting);
        GET    "/repos/{owner}/{repo}/dependabot/secrets/public-key"         RepoRead   "repo:{owner}/{repo}";
        *      "/repos/{owner}/{repo}/dependabot/secrets/{rest+}"            RepoAdmin  "repo:{owner}/{repo}"  reads(repos::setting)  no_operation("secrets of Dependabot, all of one level");
        GET    "/repos/{owner}/{repo}/dependabot/{rest+}"                    RepoPush   "repo:{owner}/{repo}"  reads(repos::setting)  no_operation("what is newer than the inventory is as guarded as alerts");
        GET    "/repos/{owner}/{repo}/dependency-graph/compare/{basehead%}"  RepoRead   "repo:{owner}/{repo}"  reads(repos::compare);
        POST   "/repos/{owner}/{repo}/dependency-graph/snapshots"            RepoPush   "repo:{owner}/{repo}";
    }
}

/// Deploy keys: docs.github.com/rest/deploy-keys, read 2026-11-30.
fn deploy_keys() -> Vec<Route> {
    routes! {
        GET     "/repos/{owner}/{repo}/keys"           RepoAdmin  "repo:{owner}/{repo}"  reads(repos::deploy_keys);
        POST    "/repos/{owner}/{repo}/keys"           RepoAdmin  "repo:{owner}/{repo}"  reads(repos::deploy_keys);
        GET     "/repos/{owner}/{repo}/keys/{key_id}"  RepoAdmin  "repo:{owner}/{repo}"  reads(repos::deploy_keys);
        DELETE  "/repos/{owner}/{repo}/keys/{key_id}"  RepoAdmin  "repo:{owner}/{repo}"  reads(repos::deploy_keys);
    }
}

/// Deployments: docs.github.com/rest/deployments, read 2026-11-30.
fn deployments() -> Vec<Route> {
    routes! {
        POST    "/repos/{owner}/{repo}/deployments"                                                        RepoPush   "repo:{owner}/{repo}{at}"  sends_out  reads(branch::deployment);
        DELETE  "/repos/{owner}/{repo}/deployments/{deployment_id}"                                        RepoPush   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/deployments/{deployment_id}/statuses"                               RepoPush   "repo:{owner}/{repo}"      sends_out;
        GET     "/repos/{owner}/{repo}/environments/{environment_name%}"                                   RepoRead   "repo:{owner}/{repo}";
        PUT     "/repos/{owner}/{repo}/environments/{environment_name%}"                                   RepoAdmin  "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/environments/{environment_name%}"                                   RepoAdmin  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/environments/{environment_name%}/deployment_protection_rules/apps"  RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting);
        GET     "/repos/{owner}/{repo}/environments/{environment_name%}/secrets"                           RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting);
        GET     "/repos/{owner}/{repo}/environments/{environment_name%}/secrets/{rest+}"                   RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting)  no_operation("an environment's secrets, all of one level");
        GET     "/repos/{owner}/{repo}/environments/{environment_name%}/variables"                         RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting);
        GET     "/repos/{owner}/{repo}/environments/{environment_name%}/variables/{name}"                  RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting);
        GET     "/repos/{owner}/{repo}/environments/{environment_name%}/{rest+}"                           RepoRead   "repo:{owner}/{repo}"      no_operation("policies and rules of an environment, all of one level");
        *       "/repos/{owner}/{repo}/environments/{environment_name%}/{rest+}"                           RepoAdmin  "repo:{owner}/{repo}"      reads(repos::setting)  no_operation("the parts of an environment, all of one level");
    }
}

/// Enterprises, identity providers, server administration: docs.github.com/enterprise-cloud@latest/rest, docs.github.com/enterprise-server/rest, read 2026-11-30.
fn enterprises() -> Vec<Route> {
    routes! {
        GET  "/admin/{rest+}"                    -  -  agent_only("site administration of a GitHub Enterprise Server")  no_operation("site administration, whatever is read of it");
        GET  "/enterprise-installation/{rest+}"  -  -  agent_only("belongs to the owners of the enterprise")  no_operation("statistics of a server");
        GET  "/enterprise/{rest+}"               -  -  agent_only("belongs to the owners of the enterprise")  no_operation("the whole server, whatever is read of it");
        GET  "/enterprises/{rest+}"              -  -  agent_only("belongs to the owners of the enterprise, outside any one organization")  no_operation("an enterprise, whatever is read of it");
        GET  "/manage/{rest+}"                   -  -  agent_only("site administration of a GitHub Enterprise Server")  no_operation("site administration, whatever is read of it");
        GET  "/scim/v2/{rest+}"                  -  -  agent_only("belongs to the identity provider of the enterprise")  no_operation("provisioning, whatever is read of it");
    }
}

/// Gists: docs.github.com/rest/gists, read 2026-11-30.
fn gists() -> Vec<Route> {
    routes! {
        GET  "/gists"          -  -  agent_only("the agent's own gists");
        GET  "/gists/public"   -  -;
        GET  "/gists/starred"  -  -  agent_only("the agent's own stars");
        GET  "/gists/{rest+}"  -  -  no_operation("a gist is read by whoever knows its address");
    }
}

/// Git database: docs.github.com/rest/git, read 2026-11-30.
fn git_database() -> Vec<Route> {
    routes! {
        POST    "/repos/{owner}/{repo}/git/blobs"                  RepoPush  "repo:{owner}/{repo}"      sends_out;
        POST    "/repos/{owner}/{repo}/git/commits"                RepoPush  "repo:{owner}/{repo}"      sends_out;
        GET     "/repos/{owner}/{repo}/git/matching-refs/{ref+%}"  RepoRead  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/git/ref/{ref+%}"            RepoRead  "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/git/refs"                   RepoPush  "repo:{owner}/{repo}{at}"  reads(branch::create_ref);
        PATCH   "/repos/{owner}/{repo}/git/refs/{ref+%}"           RepoPush  "repo:{owner}/{repo}{at}"  reads(branch::ref_of_path);
        DELETE  "/repos/{owner}/{repo}/git/refs/{ref+%}"           RepoPush  "repo:{owner}/{repo}{at}"  reads(branch::ref_of_path);
        POST    "/repos/{owner}/{repo}/git/tags"                   RepoPush  "repo:{owner}/{repo}"      sends_out;
        POST    "/repos/{owner}/{repo}/git/trees"                  RepoPush  "repo:{owner}/{repo}"      sends_out;
        GET     "/repos/{owner}/{repo}/git/trees/{tree_sha%}"      RepoRead  "repo:{owner}/{repo}";
    }
}

/// GraphQL: docs.github.com/graphql, read 2026-11-30.
fn graphql_api() -> Vec<Route> {
    routes! {
        GET   "/graphql"  -  -  reads(graphql::operation)  no_operation("a document in the address is read like one in a body");
        POST  "/graphql"  -  -  effect(Read)  untrusted  reads(graphql::operation);
    }
}

/// Interaction limits: docs.github.com/rest/interactions, read 2026-11-30.
fn interactions() -> Vec<Route> {
    routes! {
        GET     "/orgs/{org}/interaction-limits/pulls/creation-cap"           OrgAdmin      "org:{org}";
        GET     "/repos/{owner}/{repo}/interaction-limits"                    RepoMaintain  "repo:{owner}/{repo}"  reads(repos::setting);
        PUT     "/repos/{owner}/{repo}/interaction-limits"                    RepoAdmin     "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/interaction-limits"                    RepoAdmin     "repo:{owner}/{repo}";
        PUT     "/repos/{owner}/{repo}/interaction-limits/pulls/bypass-list"  RepoMaintain  "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/interaction-limits/pulls/bypass-list"  RepoMaintain  "repo:{owner}/{repo}";
        *       "/repos/{owner}/{repo}/interaction-limits/{rest+}"            RepoAdmin     "repo:{owner}/{repo}"  reads(repos::setting)  no_operation("limits on who may open pull requests, all of one level");
    }
}

/// Issues: docs.github.com/rest/issues, read 2026-11-30.
fn issues_and_labels() -> Vec<Route> {
    routes! {
        GET     "/issues"                                                                          -            -                      agent_only("issues of the agent's own account");
        GET     "/orgs/{org}/issues"                                                               OrgAdmin     "org:{org}";
        POST    "/repos/{owner}/{repo}/issues"                                                     IssueCreate  "repo:{owner}/{repo}"  sends_out  reads(issues::create);
        PATCH   "/repos/{owner}/{repo}/issues/comments/{comment_id}"                               RepoPush     "repo:{owner}/{repo}"  sends_out  reads(issues::issue_comment);
        DELETE  "/repos/{owner}/{repo}/issues/comments/{comment_id}"                               RepoPush     "repo:{owner}/{repo}"  reads(issues::issue_comment);
        PUT     "/repos/{owner}/{repo}/issues/comments/{comment_id}/pin"                           RepoTriage   "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/issues/comments/{comment_id}/pin"                           RepoTriage   "repo:{owner}/{repo}";
        PATCH   "/repos/{owner}/{repo}/issues/{issue_number}"                                      RepoTriage   "repo:{owner}/{repo}"  sends_out  reads(issues::update);
        POST    "/repos/{owner}/{repo}/issues/{issue_number}/assignees"                            RepoTriage   "repo:{owner}/{repo}"  reads(issues::assign);
        DELETE  "/repos/{owner}/{repo}/issues/{issue_number}/assignees"                            RepoTriage   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/issues/{issue_number}/comments"                             RepoRead     "repo:{owner}/{repo}"  sends_out  reads(issues::comment);
        POST    "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by"              RepoTriage   "repo:{owner}/{repo}"  reads(issues::other_issue);
        DELETE  "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by/{issue_id}"   RepoTriage   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values"                   RepoPush     "repo:{owner}/{repo}";
        PUT     "/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values"                   RepoPush     "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values/{issue_field_id}"  RepoPush     "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/issues/{issue_number}/labels"                               RepoTriage   "repo:{owner}/{repo}";
        PUT     "/repos/{owner}/{repo}/issues/{issue_number}/labels"                               RepoTriage   "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/issues/{issue_number}/labels"                               RepoTriage   "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name%}"                       RepoTriage   "repo:{owner}/{repo}";
        PUT     "/repos/{owner}/{repo}/issues/{issue_number}/lock"                                 RepoPush     "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/issues/{issue_number}/lock"                                 RepoPush     "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/issues/{issue_number}/relates_to"                           RepoTriage   "repo:{owner}/{repo}"  reads(issues::other_issue)  no_operation("newer than the inventory");
        DELETE  "/repos/{owner}/{repo}/issues/{issue_number}/relates_to/{issue_id}"                RepoTriage   "repo:{owner}/{repo}"  no_operation("newer than the inventory");
        DELETE  "/repos/{owner}/{repo}/issues/{issue_number}/sub_issue"                            RepoTriage   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/issues/{issue_number}/sub_issues"                           RepoTriage   "repo:{owner}/{repo}"  reads(issues::other_issue);
        PATCH   "/repos/{owner}/{repo}/issues/{issue_number}/sub_issues/priority"                  RepoTriage   "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/issues/{issue_number}/suggestions"                          RepoTriage   "repo:{owner}/{repo}"  reads(repos::setting);
        POST    "/repos/{owner}/{repo}/issues/{issue_number}/suggestions/{suggestion_id}/approve"  RepoTriage   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/issues/{issue_number}/suggestions/{suggestion_id}/dismiss"  RepoTriage   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/labels"                                                     RepoPush     "repo:{owner}/{repo}"  sends_out;
        GET     "/repos/{owner}/{repo}/labels/{name%}"                                             RepoRead     "repo:{owner}/{repo}";
        PATCH   "/repos/{owner}/{repo}/labels/{name%}"                                             RepoPush     "repo:{owner}/{repo}"  sends_out;
        DELETE  "/repos/{owner}/{repo}/labels/{name%}"                                             RepoPush     "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/milestones"                                                 RepoPush     "repo:{owner}/{repo}"  sends_out;
        PATCH   "/repos/{owner}/{repo}/milestones/{milestone_number}"                              RepoPush     "repo:{owner}/{repo}"  sends_out;
        DELETE  "/repos/{owner}/{repo}/milestones/{milestone_number}"                              RepoPush     "repo:{owner}/{repo}";
    }
}

/// Metrics: docs.github.com/rest/metrics, read 2026-11-30.
fn metrics() -> Vec<Route> {
    routes! {
        GET  "/repos/{owner}/{repo}/traffic/{rest+}"  RepoPush  "repo:{owner}/{repo}"  reads(repos::setting)  no_operation("traffic of the repository, all of one level");
    }
}

/// Migrations: docs.github.com/rest/migrations, read 2026-11-30.
fn migrations() -> Vec<Route> {
    routes! {
        GET  "/orgs/{org}/migrations"                OrgAdmin   "org:{org}";
        GET  "/orgs/{org}/migrations/{rest+}"        OrgAdmin   "org:{org}"            no_operation("exports of repositories, all of one level");
        *    "/repos/{owner}/{repo}/import"          RepoAdmin  "repo:{owner}/{repo}"  reads(repos::setting);
        *    "/repos/{owner}/{repo}/import/{rest+}"  RepoAdmin  "repo:{owner}/{repo}"  reads(repos::setting)  no_operation("an import, all of one level");
    }
}

/// Organizations: docs.github.com/rest/orgs, read 2026-11-30.
fn organizations() -> Vec<Route> {
    routes! {
        GET     "/organizations"                                                           -          -;
        GET     "/organizations/{organization_id}/custom_roles"                            -          -            agent_only("names the organization by a number that GitHub does not look up");
        GET     "/orgs/{org}"                                                              OrgMember  "org:{org}";
        PATCH   "/orgs/{org}"                                                              OrgAdmin   "org:{org}";
        DELETE  "/orgs/{org}"                                                              OrgAdmin   "org:{org}";
        GET     "/orgs/{org}/artifacts/{rest+}"                                            OrgAdmin   "org:{org}"  no_operation("records of every repository's artifacts, filtered by what the agent sees");
        POST    "/orgs/{org}/attestations/bulk-list"                                       OrgAdmin   "org:{org}"  effect(Read);
        POST    "/orgs/{org}/attestations/delete-request"                                  OrgAdmin   "org:{org}"  effect(Destructive);
        GET     "/orgs/{org}/attestations/{rest+}"                                         OrgAdmin   "org:{org}"  no_operation("attestations of every repository, filtered by what the agent sees");
        GET     "/orgs/{org}/blocks"                                                       OrgAdmin   "org:{org}";
        GET     "/orgs/{org}/blocks/{username}"                                            OrgAdmin   "org:{org}";
        GET     "/orgs/{org}/bypass-requests/{rest+}"                                      OrgAdmin   "org:{org}"  reads(orgs::delegable)  no_operation("requests to bypass rules, all of one level");
        GET     "/orgs/{org}/credential-authorizations"                                    OrgAdmin   "org:{org}";
        POST    "/orgs/{org}/credential-authorizations/revoke-all"                         OrgAdmin   "org:{org}"  effect(Destructive);
        POST    "/orgs/{org}/credential-authorizations/revoke-credential-type"             OrgAdmin   "org:{org}"  effect(Destructive);
        DELETE  "/orgs/{org}/credential-authorizations/{credential_id}"                    OrgAdmin   "org:{org}";
        POST    "/orgs/{org}/credential-authorizations/{username}/revoke"                  OrgAdmin   "org:{org}"  effect(Destructive);
        POST    "/orgs/{org}/credential-authorizations/{username}/revoke-credential-type"  OrgAdmin   "org:{org}"  effect(Destructive);
        POST    "/orgs/{org}/custom-repository-roles"                                      OrgAdmin   "org:{org}"  reads(orgs::delegable);
        PATCH   "/orgs/{org}/custom-repository-roles/{role_id}"                            OrgAdmin   "org:{org}"  reads(orgs::delegable);
        DELETE  "/orgs/{org}/custom-repository-roles/{role_id}"                            OrgAdmin   "org:{org}"  reads(orgs::delegable);
        GET     "/orgs/{org}/dismissal-requests/{rest+}"                                   OrgAdmin   "org:{org}"  reads(orgs::delegable)  no_operation("requests to dismiss alerts, all of one level");
        GET     "/orgs/{org}/failed_invitations"                                           OrgAdmin   "org:{org}";
        GET     "/orgs/{org}/hooks"                                                        OrgAdmin   "org:{org}";
        POST    "/orgs/{org}/hooks"                                                        OrgAdmin   "org:{org}"  sends_out;
        GET     "/orgs/{org}/hooks/{rest+}"                                                OrgAdmin   "org:{org}"  no_operation("the organization's webhooks, all of one level");
        *       "/orgs/{org}/hooks/{rest+}"                                                OrgAdmin   "org:{org}"  sends_out  no_operation("the organization's webhooks, all of one level");
        GET     "/orgs/{org}/insights/{rest+}"                                             OrgAdmin   "org:{org}"  no_operation("who used the API, all of one level");
        GET     "/orgs/{org}/installations"                                                OrgAdmin   "org:{org}";
        GET     "/orgs/{org}/invitations"                                                  OrgAdmin   "org:{org}";
        GET     "/orgs/{org}/invitations/{invitation_id}/teams"                            OrgAdmin   "org:{org}";
        GET     "/orgs/{org}/issue-fields"                                                 OrgMember  "org:{org}";
        GET     "/orgs/{org}/issue-types"                                                  OrgMember  "org:{org}";
        GET     "/orgs/{org}/members"                                                      OrgMember  "org:{org}";
        GET     "/orgs/{org}/members/{username}"                                           OrgMember  "org:{org}";
        GET     "/orgs/{org}/memberships/{username}"                                       OrgMember  "org:{org}";
        GET     "/orgs/{org}/organization-roles"                                           OrgAdmin   "org:{org}"  reads(orgs::delegable);
        POST    "/orgs/{org}/organization-roles"                                           OrgAdmin   "org:{org}"  reads(orgs::delegable);
        *       "/orgs/{org}/organization-roles/{rest+}"                                   OrgAdmin   "org:{org}"  reads(orgs::delegable)  no_operation("roles and who holds them, all of one level");
        GET     "/orgs/{org}/outside_collaborators"                                        OrgAdmin   "org:{org}";
        GET     "/orgs/{org}/personal-access-token-requests"                               OrgAdmin   "org:{org}";
        GET     "/orgs/{org}/personal-access-token-requests/{rest+}"                       OrgAdmin   "org:{org}"  no_operation("tokens of members, all of one level");
        GET     "/orgs/{org}/personal-access-tokens"                                       OrgAdmin   "org:{org}";
        GET     "/orgs/{org}/personal-access-tokens/{rest+}"                               OrgAdmin   "org:{org}"  no_operation("tokens of members, all of one level");
        PUT     "/orgs/{org}/public_members/{username}"                                    -          -            agent_only("shows or hides the agent's own membership");
        DELETE  "/orgs/{org}/public_members/{username}"                                    -          -            agent_only("shows or hides the agent's own membership");
        GET     "/orgs/{org}/security-managers"                                            OrgAdmin   "org:{org}";
        GET     "/orgs/{org}/settings/{rest+}"                                             OrgAdmin   "org:{org}"  no_operation("settings, all of one level");
        GET     "/orgs/{org}/{rest+}"                                                      OrgMember  "org:{org}"  no_operation("what every member sees of the organization; the rows above ask for more");
        *       "/orgs/{org}/{rest+}"                                                      OrgAdmin   "org:{org}"  no_operation("everything else is the owners', the strongest right there is");
        POST    "/orgs/{org}/{security_product}/{enablement}"                              OrgAdmin   "org:{org}"  reads(orgs::delegable);
    }
}

/// Packages: docs.github.com/rest/packages, read 2026-11-30.
fn packages() -> Vec<Route> {
    routes! {
        GET  "/orgs/{org}/docker/conflicts"  OrgAdmin  "org:{org}";
        GET  "/orgs/{org}/packages"          OrgAdmin  "org:{org}";
        GET  "/orgs/{org}/packages/{rest+}"  OrgAdmin  "org:{org}"  no_operation("packages of every repository, filtered by what the agent sees");
    }
}

/// Pages: docs.github.com/rest/pages, read 2026-11-30.
fn pages() -> Vec<Route> {
    routes! {
        POST    "/repos/{owner}/{repo}/pages"                                           RepoMaintain  "repo:{owner}/{repo}"  reads(repos::pages);
        PUT     "/repos/{owner}/{repo}/pages"                                           RepoMaintain  "repo:{owner}/{repo}"  reads(repos::pages);
        DELETE  "/repos/{owner}/{repo}/pages"                                           RepoMaintain  "repo:{owner}/{repo}"  reads(repos::pages);
        POST    "/repos/{owner}/{repo}/pages/builds"                                    RepoPush      "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/pages/deployments"                               RepoPush      "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/pages/deployments/{pages_deployment_id}/cancel"  RepoPush      "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/pages/health"                                    RepoMaintain  "repo:{owner}/{repo}"  reads(repos::setting);
    }
}

/// Private registries: docs.github.com/rest/private-registries, read 2026-11-30.
fn private_registries() -> Vec<Route> {
    routes! {
        GET  "/orgs/{org}/private-registries"          OrgAdmin  "org:{org}";
        GET  "/orgs/{org}/private-registries/{rest+}"  OrgAdmin  "org:{org}"  no_operation("private registries, all of one level");
    }
}

/// Projects: docs.github.com/rest/projects, read 2026-11-30.
fn projects() -> Vec<Route> {
    routes! {
        GET  "/orgs/{org}/projectsV2"          OrgAdmin  "org:{org}"  reads(orgs::delegable);
        *    "/orgs/{org}/projectsV2/{rest+}"  OrgAdmin  "org:{org}"  reads(orgs::delegable)  no_operation("projects with roles of their own, which REST does not tell");
    }
}

/// Pull requests: docs.github.com/rest/pulls, read 2026-11-30.
fn pull_requests() -> Vec<Route> {
    routes! {
        POST    "/repos/{owner}/{repo}/pulls"                                               PrCreate    "repo:{owner}/{repo}"  sends_out  reads(pulls::create);
        PATCH   "/repos/{owner}/{repo}/pulls/comments/{comment_id}"                         RepoPush    "repo:{owner}/{repo}"  sends_out  reads(pulls::pull_comment);
        DELETE  "/repos/{owner}/{repo}/pulls/comments/{comment_id}"                         RepoPush    "repo:{owner}/{repo}"  reads(pulls::pull_comment);
        PATCH   "/repos/{owner}/{repo}/pulls/{pull_number}"                                 RepoPush    "repo:{owner}/{repo}"  sends_out  reads(pulls::update);
        POST    "/repos/{owner}/{repo}/pulls/{pull_number}/comments"                        RepoRead    "repo:{owner}/{repo}"  sends_out  reads(pulls::comment);
        POST    "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies"   RepoRead    "repo:{owner}/{repo}"  sends_out  reads(pulls::comment);
        PUT     "/repos/{owner}/{repo}/pulls/{pull_number}/merge"                           PrMerge     "repo:{owner}/{repo}"  reads(pulls::merge);
        PUT     "/repos/{owner}/{repo}/pulls/{pull_number}/merge-async"                     PrMerge     "repo:{owner}/{repo}"  reads(pulls::merge_stack);
        POST    "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers"             RepoTriage  "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers"             RepoTriage  "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers/rerequest"   RepoTriage  "repo:{owner}/{repo}"  no_operation("newer than the inventory");
        POST    "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"                         RepoRead    "repo:{owner}/{repo}"  sends_out  reads(pulls::review);
        PUT     "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}"             RepoPush    "repo:{owner}/{repo}"  sends_out  reads(pulls::edit_review);
        DELETE  "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}"             RepoPush    "repo:{owner}/{repo}"  reads(pulls::edit_review);
        PUT     "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals"  RepoPush    "repo:{owner}/{repo}"  sends_out  reads(pulls::dismiss_review);
        POST    "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events"      RepoRead    "repo:{owner}/{repo}"  sends_out  reads(pulls::submit_review);
        PUT     "/repos/{owner}/{repo}/pulls/{pull_number}/update-branch"                   RepoPush    "repo:{owner}/{repo}"  reads(pulls::update_branch);
        POST    "/repos/{owner}/{repo}/stacks"                                              RepoPush    "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/stacks/{stack_number}/add"                           RepoPush    "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/stacks/{stack_number}/unstack"                       RepoPush    "repo:{owner}/{repo}";
    }
}

/// Reactions: docs.github.com/rest/reactions, read 2026-11-30.
fn reactions() -> Vec<Route> {
    routes! {
        POST    "/repos/{owner}/{repo}/comments/{comment_id}/reactions"                       RepoRead  "repo:{owner}/{repo}"  sends_out  reads(issues::react_to_commit_comment);
        DELETE  "/repos/{owner}/{repo}/comments/{comment_id}/reactions/{reaction_id}"         RepoRead  "repo:{owner}/{repo}"  reads(issues::writes);
        POST    "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions"                RepoRead  "repo:{owner}/{repo}"  sends_out  reads(issues::react_to_issue_comment);
        DELETE  "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}"  RepoRead  "repo:{owner}/{repo}"  reads(issues::writes);
        POST    "/repos/{owner}/{repo}/issues/{issue_number}/reactions"                       RepoRead  "repo:{owner}/{repo}"  sends_out  reads(issues::react_to_issue);
        DELETE  "/repos/{owner}/{repo}/issues/{issue_number}/reactions/{reaction_id}"         RepoRead  "repo:{owner}/{repo}"  reads(issues::writes);
        POST    "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions"                 RepoRead  "repo:{owner}/{repo}"  sends_out  reads(issues::react_to_pull_comment);
        DELETE  "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions/{reaction_id}"   RepoRead  "repo:{owner}/{repo}"  reads(issues::writes);
        POST    "/repos/{owner}/{repo}/releases/{release_id}/reactions"                       RepoRead  "repo:{owner}/{repo}"  sends_out  reads(issues::writes);
        DELETE  "/repos/{owner}/{repo}/releases/{release_id}/reactions/{reaction_id}"         RepoRead  "repo:{owner}/{repo}"  reads(issues::writes);
    }
}

/// Releases: docs.github.com/rest/releases, read 2026-11-30.
fn releases() -> Vec<Route> {
    routes! {
        GET     "/repos/{owner}/{repo}/releases"                      RepoPush  "repo:{owner}/{repo}"      reads(repos::setting);
        POST    "/repos/{owner}/{repo}/releases"                      RepoPush  "repo:{owner}/{repo}{at}"  sends_out  reads(branch::release);
        GET     "/repos/{owner}/{repo}/releases/assets/{asset_id}"    RepoPush  "repo:{owner}/{repo}"      reads(repos::setting);
        PATCH   "/repos/{owner}/{repo}/releases/assets/{asset_id}"    RepoPush  "repo:{owner}/{repo}"      sends_out;
        DELETE  "/repos/{owner}/{repo}/releases/assets/{asset_id}"    RepoPush  "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/releases/generate-notes"       RepoPush  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/releases/latest"               RepoRead  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/releases/tags/{tag%}"          RepoRead  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/releases/{release_id}"         RepoPush  "repo:{owner}/{repo}"      reads(repos::setting);
        PATCH   "/repos/{owner}/{repo}/releases/{release_id}"         RepoPush  "repo:{owner}/{repo}{at}"  sends_out  reads(branch::release);
        DELETE  "/repos/{owner}/{repo}/releases/{release_id}"         RepoPush  "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/releases/{release_id}/assets"  RepoPush  "repo:{owner}/{repo}"      reads(repos::setting);
        POST    "/repos/{owner}/{repo}/releases/{release_id}/assets"  RepoPush  "repo:{owner}/{repo}"      sends_out;
    }
}

/// Repositories: docs.github.com/rest/repos, read 2026-11-30.
fn repositories() -> Vec<Route> {
    routes! {
        GET     "/orgs/{org}/repos"                                                              OrgAdmin       "org:{org}";
        POST    "/orgs/{org}/repos"                                                              OrgRepoCreate  "org:{org}"            sends_out  reads(repos::create);
        GET     "/repos/{owner}/{repo}"                                                          RepoRead       "repo:{owner}/{repo}";
        PATCH   "/repos/{owner}/{repo}"                                                          RepoAdmin      "repo:{owner}/{repo}"  sends_out  reads(repos::update);
        DELETE  "/repos/{owner}/{repo}"                                                          RepoAdmin      "repo:{owner}/{repo}"  reads(repos::delete);
        POST    "/repos/{owner}/{repo}/attestations"                                             RepoPush       "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/autolinks"                                                RepoAdmin      "repo:{owner}/{repo}"  reads(repos::setting);
        POST    "/repos/{owner}/{repo}/autolinks"                                                RepoAdmin      "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/autolinks/{autolink_id}"                                  RepoAdmin      "repo:{owner}/{repo}"  reads(repos::setting);
        DELETE  "/repos/{owner}/{repo}/autolinks/{autolink_id}"                                  RepoAdmin      "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/automated-security-fixes"                                 RepoAdmin      "repo:{owner}/{repo}"  reads(repos::setting);
        PUT     "/repos/{owner}/{repo}/automated-security-fixes"                                 RepoAdmin      "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/automated-security-fixes"                                 RepoAdmin      "repo:{owner}/{repo}";
        PATCH   "/repos/{owner}/{repo}/bypass-requests/secret-scanning/{bypass_request_number}"  OrgAdmin       "org:{owner}"          reads(orgs::delegable);
        GET     "/repos/{owner}/{repo}/bypass-requests/{rest+}"                                  OrgAdmin       "org:{owner}"          reads(orgs::delegable)  no_operation("requests to bypass rules, all of one level");
        DELETE  "/repos/{owner}/{repo}/bypass-responses/secret-scanning/{bypass_response_id}"    OrgAdmin       "org:{owner}"          reads(orgs::delegable);
        PATCH   "/repos/{owner}/{repo}/dismissal-requests/code-scanning/{alert_number}"          OrgAdmin       "org:{owner}"          reads(orgs::delegable);
        GET     "/repos/{owner}/{repo}/dismissal-requests/dependabot"                            RepoPush       "repo:{owner}/{repo}"  reads(repos::setting);
        GET     "/repos/{owner}/{repo}/dismissal-requests/dependabot/{alert_number}"             RepoPush       "repo:{owner}/{repo}"  reads(repos::setting);
        POST    "/repos/{owner}/{repo}/dismissal-requests/dependabot/{alert_number}"             RepoPush       "repo:{owner}/{repo}";
        PATCH   "/repos/{owner}/{repo}/dismissal-requests/dependabot/{alert_number}"             OrgAdmin       "org:{owner}"          reads(orgs::delegable);
        DELETE  "/repos/{owner}/{repo}/dismissal-requests/dependabot/{alert_number}"             OrgAdmin       "org:{owner}"          reads(orgs::delegable);
        PATCH   "/repos/{owner}/{repo}/dismissal-requests/secret-scanning/{alert_number}"        OrgAdmin       "org:{owner}"          reads(orgs::delegable);
        GET     "/repos/{owner}/{repo}/dismissal-requests/{rest+}"                               OrgAdmin       "org:{owner}"          reads(orgs::delegable)  no_operation("requests to dismiss alerts, all of one level");
        POST    "/repos/{owner}/{repo}/dispatches"                                               RepoPush       "repo:{owner}/{repo}"  sends_out  reads(branch::run_of_default);
        POST    "/repos/{owner}/{repo}/forks"                                                    RepoRead       "repo:{owner}/{repo}"  reads(repos::fork);
        GET     "/repos/{owner}/{repo}/immutable-releases"                                       RepoAdmin      "repo:{owner}/{repo}"  reads(repos::setting);
        PUT     "/repos/{owner}/{repo}/immutable-releases"                                       RepoAdmin      "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/immutable-releases"                                       RepoAdmin      "repo:{owner}/{repo}";
        PUT     "/repos/{owner}/{repo}/lfs"                                                      RepoAdmin      "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/lfs"                                                      RepoAdmin      "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/pre-receive-hooks"                                        RepoAdmin      "repo:{owner}/{repo}"  reads(repos::setting);
        GET     "/repos/{owner}/{repo}/pre-receive-hooks/{pre_receive_hook_id}"                  RepoAdmin      "repo:{owner}/{repo}"  reads(repos::setting);
        PATCH   "/repos/{owner}/{repo}/pre-receive-hooks/{pre_receive_hook_id}"                  RepoAdmin      "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/pre-receive-hooks/{pre_receive_hook_id}"                  RepoAdmin      "repo:{owner}/{repo}";
        PUT     "/repos/{owner}/{repo}/private-vulnerability-reporting"                          RepoAdmin      "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/private-vulnerability-reporting"                          RepoAdmin      "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/tags/protection"                                          RepoAdmin      "repo:{owner}/{repo}"  reads(repos::setting);
        POST    "/repos/{owner}/{repo}/tags/protection"                                          RepoAdmin      "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/tags/protection/{tag_protection_id}"                      RepoAdmin      "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/teams"                                                    RepoAdmin      "repo:{owner}/{repo}"  reads(repos::setting);
        PUT     "/repos/{owner}/{repo}/topics"                                                   RepoMaintain   "repo:{owner}/{repo}"  reads(repos::topics);
        POST    "/repos/{owner}/{repo}/transfer"                                                 RepoAdmin      "repo:{owner}/{repo}"  sends_out  reads(repos::transfer);
        GET     "/repos/{owner}/{repo}/vulnerability-alerts"                                     RepoAdmin      "repo:{owner}/{repo}"  reads(repos::setting);
        PUT     "/repos/{owner}/{repo}/vulnerability-alerts"                                     RepoAdmin      "repo:{owner}/{repo}";
        DELETE  "/repos/{owner}/{repo}/vulnerability-alerts"                                     RepoAdmin      "repo:{owner}/{repo}";
        GET     "/repos/{owner}/{repo}/{rest+}"                                                  RepoRead       "repo:{owner}/{repo}"  no_operation("what every reader sees of a repository; the rows of this table ask for more");
        POST    "/repos/{template_owner}/{template_repo}/generate"                               OrgRepoCreate  -                      reads(repos::generate);
        GET     "/repositories"                                                                  -              -                      agent_sight;
    }
}

/// Rules: docs.github.com/rest/repos/rules, docs.github.com/rest/orgs/rules, read 2026-11-30.
fn rules() -> Vec<Route> {
    routes! {
        GET     "/orgs/{org}/rulesets"                                        OrgAdmin   "org:{org}";
        GET     "/orgs/{org}/rulesets/{rest+}"                                OrgAdmin   "org:{org}"            no_operation("the organization's rules, all of one level");
        GET     "/repos/{owner}/{repo}/rules/branches/{branch%}"              RepoRead   "repo:{owner}/{repo}";
        POST    "/repos/{owner}/{repo}/rulesets"                              RepoAdmin  "repo:{owner}/{repo}"  reads(repos::protections);
        GET     "/repos/{owner}/{repo}/rulesets/rule-suites"                  RepoAdmin  "repo:{owner}/{repo}"  reads(repos::setting);
        GET     "/repos/{owner}/{repo}/rulesets/rule-suites/{rule_suite_id}"  RepoAdmin  "repo:{owner}/{repo}"  reads(repos::setting);
        *       "/repos/{owner}/{repo}/rulesets/{rest+}"                      RepoAdmin  "repo:{owner}/{repo}"  reads(repos::setting)  no_operation("a ruleset's history and whatever else, all of one level");
        GET     "/repos/{owner}/{repo}/rulesets/{ruleset_id}"                 RepoRead   "repo:{owner}/{repo}";
        PUT     "/repos/{owner}/{repo}/rulesets/{ruleset_id}"                 RepoAdmin  "repo:{owner}/{repo}"  reads(repos::protections);
        DELETE  "/repos/{owner}/{repo}/rulesets/{ruleset_id}"                 RepoAdmin  "repo:{owner}/{repo}"  reads(repos::protections);
    }
}

/// Search: docs.github.com/rest/search, read 2026-11-30.
fn searches() -> Vec<Route> {
    routes! {
        GET  "/search/code"          -         -  reads(search::qualified);
        GET  "/search/commits"       -         -  reads(search::qualified);
        GET  "/search/issues"        -         -  reads(search::qualified);
        GET  "/search/labels"        RepoRead  -  reads(search::labels);
        GET  "/search/repositories"  -         -  reads(search::qualified);
        GET  "/search/topics"        -         -;
        GET  "/search/users"         -         -;
        GET  "/search/{rest+}"       -         -  reads(search::qualified)  no_operation("a search newer than the inventory is held to the same qualifiers");
    }
}

/// Secret scanning, security advisories: docs.github.com/rest/secret-scanning, docs.github.com/rest/security-advisories, read 2026-11-30.
fn secret_scanning() -> Vec<Route> {
    routes! {
        GET    "/orgs/{org}/secret-scanning/{rest+}"                                    OrgAdmin   "org:{org}"            sensitive  reads(orgs::delegable)  no_operation("secrets found in every repository, all of one level");
        GET    "/orgs/{org}/security-advisories"                                        OrgAdmin   "org:{org}"            reads(orgs::delegable);
        GET    "/repos/{owner}/{repo}/secret-scanning/alerts"                           RepoAdmin  "repo:{owner}/{repo}"  sensitive  reads(repos::delegable);
        GET    "/repos/{owner}/{repo}/secret-scanning/alerts/{alert_number}"            RepoAdmin  "repo:{owner}/{repo}"  sensitive  reads(repos::delegable);
        PATCH  "/repos/{owner}/{repo}/secret-scanning/alerts/{alert_number}"            RepoAdmin  "repo:{owner}/{repo}"  reads(repos::delegable);
        GET    "/repos/{owner}/{repo}/secret-scanning/alerts/{alert_number}/locations"  RepoAdmin  "repo:{owner}/{repo}"  reads(repos::delegable);
        GET    "/repos/{owner}/{repo}/secret-scanning/custom-patterns"                  RepoAdmin  "repo:{owner}/{repo}"  reads(repos::delegable);
        *      "/repos/{owner}/{repo}/secret-scanning/custom-patterns"                  RepoAdmin  "repo:{owner}/{repo}"  reads(repos::setting);
        *      "/repos/{owner}/{repo}/secret-scanning/custom-patterns/{rest+}"          RepoAdmin  "repo:{owner}/{repo}"  reads(repos::setting)  no_operation("the repository's own patterns, all of one level");
        POST   "/repos/{owner}/{repo}/secret-scanning/push-protection-bypasses"         -          -                      agent_only("only whoever committed the secret may bypass, so the agent's own account");
        GET    "/repos/{owner}/{repo}/secret-scanning/scan-history"                     RepoAdmin  "repo:{owner}/{repo}"  reads(repos::delegable);
        GET    "/repos/{owner}/{repo}/secret-scanning/{rest+}"                          RepoAdmin  "repo:{owner}/{repo}"  sensitive  reads(repos::delegable)  no_operation("what is newer than the inventory is as secret");
        GET    "/repos/{owner}/{repo}/security-advisories"                              RepoAdmin  "repo:{owner}/{repo}"  reads(repos::advisories);
        POST   "/repos/{owner}/{repo}/security-advisories"                              RepoAdmin  "repo:{owner}/{repo}"  reads(repos::delegable);
        POST   "/repos/{owner}/{repo}/security-advisories/reports"                      RepoRead   "repo:{owner}/{repo}"  sends_out  reads(issues::writes);
        *      "/repos/{owner}/{repo}/security-advisories/{ghsa_id}"                    RepoAdmin  "repo:{owner}/{repo}"  reads(repos::delegable);
        *      "/repos/{owner}/{repo}/security-advisories/{ghsa_id}/{rest+}"            RepoAdmin  "repo:{owner}/{repo}"  reads(repos::delegable)  no_operation("an advisory's forks and number, all of one level");
    }
}

/// Teams: docs.github.com/rest/teams, read 2026-11-30.
fn team_rows() -> Vec<Route> {
    routes! {
        GET     "/orgs/{org}/external-group/{group_id}"                   OrgAdmin        "org:{org}";
        GET     "/orgs/{org}/external-groups"                             OrgAdmin        "org:{org}";
        GET     "/orgs/{org}/team-sync/{rest+}"                           OrgAdmin        "org:{org}"               no_operation("groups of the identity provider, all of one level");
        GET     "/orgs/{org}/teams"                                       OrgMember       "org:{org}";
        POST    "/orgs/{org}/teams"                                       OrgAdmin        "org:{org}"               reads(teams::create);
        GET     "/orgs/{org}/teams/{team_slug}"                           TeamMember      "team:{org}/{team_slug}"  reads(teams::sight);
        PATCH   "/orgs/{org}/teams/{team_slug}"                           TeamMaintainer  "team:{org}/{team_slug}"  reads(teams::update);
        DELETE  "/orgs/{org}/teams/{team_slug}"                           TeamMaintainer  "team:{org}/{team_slug}";
        GET     "/orgs/{org}/teams/{team_slug}/external-groups"           OrgAdmin        "org:{org}";
        PUT     "/orgs/{org}/teams/{team_slug}/members/{username}"        TeamMaintainer  "team:{org}/{team_slug}"  reads(teams::add_member)  no_operation("the legacy way to add a member, known by number only");
        PUT     "/orgs/{org}/teams/{team_slug}/memberships/{username}"    TeamMaintainer  "team:{org}/{team_slug}"  reads(teams::add_member);
        PUT     "/orgs/{org}/teams/{team_slug}/repos/{owner}/{repo}"      RepoAdmin       "repo:{owner}/{repo}"     reads(teams::add_repository);
        DELETE  "/orgs/{org}/teams/{team_slug}/repos/{owner}/{repo}"      TeamMaintainer  "team:{org}/{team_slug}"  reads(teams::remove_repository);
        GET     "/orgs/{org}/teams/{team_slug}/team-sync/group-mappings"  OrgAdmin        "org:{org}";
        GET     "/orgs/{org}/teams/{team_slug}/{rest+}"                   TeamMember      "team:{org}/{team_slug}"  no_operation("what members see of their team, all of one level");
        *       "/orgs/{org}/teams/{team_slug}/{rest+}"                   TeamMaintainer  "team:{org}/{team_slug}"  no_operation("what maintainers do in their team; the rows above ask for more");
    }
}

/// Users: docs.github.com/rest/users, read 2026-11-30.
fn users() -> Vec<Route> {
    routes! {
        GET   "/user"                                       -  -  trusted;
        POST  "/user/repos"                                 -  -  agent_only("creates the repository in the agent's own account");
        GET   "/user/{rest+}"                               -  -  agent_only("lists of the agent's own account")  no_operation("the agent's own account, whatever is read of it");
        GET   "/users"                                      -  -;
        GET   "/users/{username}"                           -  -;
        GET   "/users/{username}/events/orgs/{org}"         -  -  agent_only("the agent's own dashboard");
        GET   "/users/{username}/settings/billing/{rest+}"  -  -  agent_only("what an account pays")  no_operation("what an account pays");
        GET   "/users/{username}/{rest+}"                   -  -  agent_sight  no_operation("public lists of an account, with what else the agent sees of it");
    }
}

/// Webhooks: docs.github.com/rest/repos/webhooks, read 2026-11-30.
fn webhooks() -> Vec<Route> {
    routes! {
        GET   "/repos/{owner}/{repo}/hooks"          RepoAdmin  "repo:{owner}/{repo}"  reads(repos::webhooks);
        POST  "/repos/{owner}/{repo}/hooks"          RepoAdmin  "repo:{owner}/{repo}"  sends_out  reads(repos::webhooks);
        GET   "/repos/{owner}/{repo}/hooks/{rest+}"  RepoAdmin  "repo:{owner}/{repo}"  reads(repos::webhooks)  no_operation("the repository's webhooks, all of one level");
        *     "/repos/{owner}/{repo}/hooks/{rest+}"  RepoAdmin  "repo:{owner}/{repo}"  sends_out  reads(repos::webhooks)  no_operation("the repository's webhooks, all of one level");
    }
}

/// By number: aliases of the rows above, documented in passing by docs.github.com/rest (pagination links use them), read 2026-11-30.
fn by_number() -> Vec<Route> {
    routes! {
        *  "/organizations/{organization_id}/team/{team_id}"          -  -  reads(alias::team_of_organization)  no_operation("an alias of the team's own rows");
        *  "/organizations/{organization_id}/team/{team_id}/{rest+}"  -  -  reads(alias::team_of_organization)  no_operation("an alias of the team's own rows");
        *  "/organizations/{organization_id}/{rest+}"                 -  -  reads(orgs::by_number)  no_operation("an organization by number, which GitHub does not look up");
        *  "/repositories/{repository_id}"                            -  -  reads(alias::repository)  no_operation("an alias of the repository's own rows");
        *  "/repositories/{repository_id}/{rest+}"                    -  -  reads(alias::repository)  no_operation("an alias of the repository's own rows");
        *  "/teams/{team_id}"                                         -  -  reads(alias::team);
        *  "/teams/{team_id}/{rest+}"                                 -  -  reads(alias::team)  no_operation("an alias of the team's own rows");
    }
}

/// Git over HTTPS, raw files and archives: git-scm.com "gitprotocol-http", docs.github.com "Downloading source code archives", read 2026-11-30.
fn git_over_https() -> Vec<Route> {
    routes! {
        GET   "/\\archive/{owner}/{repo}/{rest+%}"                RepoRead  -  reads(git::fetch)  no_operation("archives are no part of the REST API");
        GET   "/\\git/{owner}/{repo}/archive/{rest+%}"            RepoRead  -  reads(git::fetch)  no_operation("archives are no part of the REST API");
        POST  "/\\git/{owner}/{repo}/git-receive-pack"            RepoPush  -  sends_out  reads(git::push)  no_operation("git is no part of the REST API");
        POST  "/\\git/{owner}/{repo}/git-upload-pack"             RepoRead  -  effect(Read)  reads(git::fetch)  no_operation("git is no part of the REST API");
        POST  "/\\git/{owner}/{repo}/info/lfs/objects/batch"      RepoPush  -  sends_out  reads(git::large_files)  no_operation("git is no part of the REST API");
        GET   "/\\git/{owner}/{repo}/info/refs"                   RepoRead  -  reads(git::refs)  no_operation("git is no part of the REST API");
        GET   "/\\git/{owner}/{repo}/raw/{rest+%}"                RepoRead  -  reads(git::fetch)  no_operation("raw files are no part of the REST API");
        GET   "/\\git/{owner}/{repo}/releases/download/{rest+%}"  RepoRead  -  reads(git::fetch)  no_operation("published assets are no part of the REST API here");
        GET   "/\\raw/{owner}/{repo}/{rest+%}"                    RepoRead  -  reads(git::fetch)  no_operation("raw files are no part of the REST API");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_are_sorted_by_path_and_method() {
        let order = ["GET", "POST", "PUT", "PATCH", "DELETE", "*"];
        let place = |route: &Route| {
            (
                route.path.to_string(),
                order
                    .iter()
                    .position(|method| *method == route.method)
                    .unwrap(),
            )
        };
        for chapter in CHAPTERS {
            let rows = chapter();
            for pair in rows.windows(2) {
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
        for pair in left_out().windows(2) {
            let (before, after) = (&pair[0], &pair[1]);
            assert!(
                (&before.path, &before.method) < (&after.path, &after.method),
                "`{} {}` stands before `{} {}`: what is left out is sorted by path, then by method as text, each row once",
                before.method,
                before.path,
                after.method,
                after.path
            );
        }
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
        let writes: Vec<&str> = unchecked
            .filter(|row| row.method != "GET")
            .map(|row| row.path.as_ref())
            .collect();
        assert_eq!(
            writes,
            [
                "/app/installations/{installation_id}/access_tokens",
                "/markdown/raw"
            ]
        );
    }
}
