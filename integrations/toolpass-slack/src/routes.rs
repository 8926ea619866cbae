//! Table: the methods of Slack's Web API, and the hosts beside it.
//!
//! A row says which action on which resource a call is. A method is one path, whatever the HTTP method it is sent with; its arguments are
//! read by `extract/`. Chapters follow the families of the vendor's reference; a right that the reference does not state is taken from
//! "Permissions by role in Slack" and "Understand channel managers".
//! A path below `\files`, `\hooks` or `\socket` is on another host than the API: see `config::endpoints`.
//! INVARIANT: no row asks for less than the vendor does of a person; where the vendor's pages disagree, the row asks for more.
//! INVARIANT: what no row knows is a write and refused, also when it is sent as GET; so a new method is a row or a reason in [`left_out`].
//! Source: docs.slack.dev/reference/methods, read 2026-11-30.

use std::sync::LazyLock;

use toolpass_integration::{routes, unrouted};
use toolpass_wire::matcher::RouteTable;
use toolpass_wire::table::{Quirks, Route, Rows, Unrouted};

use crate::actions::Action;
use crate::extract::{channel, file, message, people, plain};

/// The compiled table.
pub fn table() -> &'static RouteTable {
    &TABLE
}

/// The rows before they are compiled.
pub fn rows() -> Rows {
    Rows {
        routes: CHAPTERS.iter().flat_map(|chapter| chapter()).collect(),
        unrouted: left_out(),
        claims: vec!["/api".into()],
        // A base address may end before it.
        prefixes: vec!["/api".into()],
        quirks: Quirks {
            ignores_method: true,
            ..Quirks::default()
        },
    }
}

static TABLE: LazyLock<RouteTable> =
    LazyLock::new(
        || match RouteTable::build_with_labels(rows(), &["workspace"]) {
            Ok(table) => table,
            Err(error) => unreachable!("Slack's table is built by a test: {error}"),
        },
    );

/// One function a chapter: one function for all rows would need a stack of its own in a debug build.
const CHAPTERS: &[fn() -> Vec<Route>] = &[
    admin,
    agents,
    interactions,
    bookmarks,
    calls,
    canvases,
    conversations,
    files,
    functions,
    other_hosts,
    lists,
    chat,
    users,
    marks,
    quiet,
    apps,
    team,
    usergroups,
    workflows,
];

fn left_out() -> Vec<Unrouted> {
    unrouted! {
        *  "/\\hooks/{rest+}"                        "a webhook carries its own authority, and posts where its address says";
        *  "/\\socket/{rest+}"                       "a socket on which messages are posted unseen";
        *  "/admin.roles.addAssignments"             "for the primary owner and those with a role that no answer tells";
        *  "/admin.roles.removeAssignments"          "for the primary owner and those with a role that no answer tells";
        *  "/agents.conversations.archive"           "in one release of one SDK only; its arguments are documented nowhere";
        *  "/agents.conversations.create"            "in one release of one SDK only; its arguments are documented nowhere";
        *  "/agents.conversations.getCanvas"         "in one release of one SDK only; its arguments are documented nowhere";
        *  "/agents.conversations.listViews"         "in one release of one SDK only; its arguments are documented nowhere";
        *  "/agents.conversations.removeView"        "in one release of one SDK only; its arguments are documented nowhere";
        *  "/agents.conversations.setCanvasContent"  "in one release of one SDK only; its arguments are documented nowhere";
        *  "/agents.conversations.setCommands"       "in one release of one SDK only; its arguments are documented nowhere";
        *  "/agents.conversations.setProperties"     "in one release of one SDK only; its arguments are documented nowhere";
        *  "/agents.conversations.setView"           "in one release of one SDK only; its arguments are documented nowhere";
        *  "/apps.auth.external.delete"              "tokens of other systems, handed out or destroyed";
        *  "/apps.auth.external.get"                 "tokens of other systems, handed out or destroyed";
        *  "/apps.icon.set"                          "changes what the app itself is, with a token of its own kind";
        *  "/apps.managed.permissions.set"           "changes what the app itself is, with a token of its own kind";
        *  "/apps.manifest.create"                   "changes what the app itself is, with a token of its own kind";
        *  "/apps.manifest.delete"                   "changes what the app itself is, with a token of its own kind";
        *  "/apps.manifest.update"                   "changes what the app itself is, with a token of its own kind";
        *  "/apps.permissions.info"                  "of a preview that is gone from the reference";
        *  "/apps.permissions.request"               "of a preview that is gone from the reference";
        *  "/apps.permissions.resources.list"        "of a preview that is gone from the reference";
        *  "/apps.permissions.scopes.list"           "of a preview that is gone from the reference";
        *  "/apps.permissions.users.list"            "of a preview that is gone from the reference";
        *  "/apps.permissions.users.request"         "of a preview that is gone from the reference";
        *  "/apps.uninstall"                         "ends the agent's own credential";
        *  "/auth.revoke"                            "ends the agent's own credential";
        *  "/channels.archive"                       "retired in 2021; use conversations.*";
        *  "/channels.create"                        "retired in 2021; use conversations.*";
        *  "/channels.history"                       "retired in 2021; use conversations.*";
        *  "/channels.info"                          "retired in 2021; use conversations.*";
        *  "/channels.invite"                        "retired in 2021; use conversations.*";
        *  "/channels.join"                          "retired in 2021; use conversations.*";
        *  "/channels.kick"                          "retired in 2021; use conversations.*";
        *  "/channels.leave"                         "retired in 2021; use conversations.*";
        *  "/channels.list"                          "retired in 2021; use conversations.*";
        *  "/channels.mark"                          "retired in 2021; use conversations.*";
        *  "/channels.rename"                        "retired in 2021; use conversations.*";
        *  "/channels.replies"                       "retired in 2021; use conversations.*";
        *  "/channels.setPurpose"                    "retired in 2021; use conversations.*";
        *  "/channels.setTopic"                      "retired in 2021; use conversations.*";
        *  "/channels.unarchive"                     "retired in 2021; use conversations.*";
        *  "/groups.archive"                         "retired in 2021; use conversations.*";
        *  "/groups.create"                          "retired in 2021; use conversations.*";
        *  "/groups.createChild"                     "retired in 2021; use conversations.*";
        *  "/groups.history"                         "retired in 2021; use conversations.*";
        *  "/groups.info"                            "retired in 2021; use conversations.*";
        *  "/groups.invite"                          "retired in 2021; use conversations.*";
        *  "/groups.kick"                            "retired in 2021; use conversations.*";
        *  "/groups.leave"                           "retired in 2021; use conversations.*";
        *  "/groups.list"                            "retired in 2021; use conversations.*";
        *  "/groups.mark"                            "retired in 2021; use conversations.*";
        *  "/groups.open"                            "retired in 2021; use conversations.*";
        *  "/groups.rename"                          "retired in 2021; use conversations.*";
        *  "/groups.replies"                         "retired in 2021; use conversations.*";
        *  "/groups.setPurpose"                      "retired in 2021; use conversations.*";
        *  "/groups.setTopic"                        "retired in 2021; use conversations.*";
        *  "/groups.unarchive"                       "retired in 2021; use conversations.*";
        *  "/im.close"                               "retired in 2021; use conversations.*";
        *  "/im.history"                             "retired in 2021; use conversations.*";
        *  "/im.list"                                "retired in 2021; use conversations.*";
        *  "/im.mark"                                "retired in 2021; use conversations.*";
        *  "/im.open"                                "retired in 2021; use conversations.*";
        *  "/im.replies"                             "retired in 2021; use conversations.*";
        *  "/mpim.close"                             "retired in 2021; use conversations.*";
        *  "/mpim.history"                           "retired in 2021; use conversations.*";
        *  "/mpim.list"                              "retired in 2021; use conversations.*";
        *  "/mpim.mark"                              "retired in 2021; use conversations.*";
        *  "/mpim.open"                              "retired in 2021; use conversations.*";
        *  "/mpim.replies"                           "retired in 2021; use conversations.*";
        *  "/oauth.access"                           "makes credentials, with the app's own secret";
        *  "/oauth.token"                            "makes credentials, with the app's own secret";
        *  "/oauth.v2.access"                        "makes credentials, with the app's own secret";
        *  "/oauth.v2.exchange"                      "makes credentials, with the app's own secret";
        *  "/oauth.v2.user.access"                   "makes credentials, with the app's own secret";
        *  "/openid.connect.token"                   "makes credentials, with the app's own secret";
        *  "/rtm.connect"                            "opens a socket on which messages are posted unseen";
        *  "/rtm.start"                              "opens a socket on which messages are posted unseen";
        *  "/tooling.tokens.rotate"                  "makes credentials, with the app's own secret";
        *  "/workflows.stepCompleted"                "steps from apps, gone from the reference";
        *  "/workflows.stepFailed"                   "steps from apps, gone from the reference";
        *  "/workflows.updateStep"                   "steps from apps, gone from the reference";
    }
}

/// Administration of an organization: docs.slack.dev/reference/methods, `admin.*`; read 2026-11-30.
fn admin() -> Vec<Route> {
    routes! {
        *  "/admin.analytics.getFile"                                   OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.analytics.messages.activity"                         OrgAdmin  "workspace"  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.analytics.messages.metadata"                         OrgAdmin  "workspace"  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.apps.activities.list"                                OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.apps.approve"                                        OrgAdmin  "workspace"  reads(plain);
        *  "/admin.apps.approved.list"                                  OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.apps.clearResolution"                                OrgAdmin  "workspace"  reads(plain);
        *  "/admin.apps.config.lookup"                                  OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.apps.config.set"                                     OrgAdmin  "workspace"  reads(plain);
        *  "/admin.apps.mcp.servers.list"                               OrgAdmin  "workspace"  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.apps.mcp.servers.permissions.list"                   OrgAdmin  "workspace"  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.apps.mcp.servers.permissions.set"                    OrgAdmin  "workspace"  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.apps.permissions.add"                                OrgAdmin  "workspace"  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.apps.permissions.list"                               OrgAdmin  "workspace"  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.apps.permissions.remove"                             OrgAdmin  "workspace"  effect(Destructive)  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.apps.permissions.set"                                OrgAdmin  "workspace"  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.apps.requests.cancel"                                OrgAdmin  "workspace"  reads(plain);
        *  "/admin.apps.requests.list"                                  OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.apps.restrict"                                       OrgAdmin  "workspace"  reads(plain);
        *  "/admin.apps.restricted.list"                                OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.apps.uninstall"                                      OrgAdmin  "workspace"  effect(Destructive)  reads(plain);
        *  "/admin.audit.anomaly.allow.getItem"                         OrgAdmin  "workspace"  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.audit.anomaly.allow.updateItem"                      OrgAdmin  "workspace"  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.auth.policy.assignEntities"                          OrgAdmin  "workspace"  reads(plain);
        *  "/admin.auth.policy.getEntities"                             OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.auth.policy.removeEntities"                          OrgAdmin  "workspace"  effect(Destructive)  reads(plain);
        *  "/admin.barriers.create"                                     OrgAdmin  "workspace"  reads(plain);
        *  "/admin.barriers.delete"                                     OrgAdmin  "workspace"  effect(Destructive)  reads(plain);
        *  "/admin.barriers.list"                                       OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.barriers.update"                                     OrgAdmin  "workspace"  reads(plain);
        *  "/admin.conversations.archive"                               OrgAdmin  "workspace"  reads(plain);
        *  "/admin.conversations.bulkArchive"                           OrgAdmin  "workspace"  effect(Destructive)  reads(plain);
        *  "/admin.conversations.bulkDelete"                            OrgAdmin  "workspace"  effect(Destructive)  reads(plain);
        *  "/admin.conversations.bulkMove"                              OrgAdmin  "workspace"  sends_out  reads(plain);
        *  "/admin.conversations.bulkSetExcludeFromSlackAi"             OrgAdmin  "workspace"  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.conversations.bulkSetProperties"                     OrgAdmin  "workspace"  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.conversations.convertToPrivate"                      OrgAdmin  "workspace"  reads(plain);
        *  "/admin.conversations.convertToPublic"                       OrgAdmin  "workspace"  sends_out  reads(plain);
        *  "/admin.conversations.create"                                OrgAdmin  "workspace"  reads(plain);
        *  "/admin.conversations.createForObjects"                      OrgAdmin  "workspace"  sends_out  reads(plain);
        *  "/admin.conversations.delete"                                OrgAdmin  "workspace"  effect(Destructive)  reads(plain);
        *  "/admin.conversations.disconnectShared"                      OrgAdmin  "workspace"  reads(plain);
        *  "/admin.conversations.ekm.listOriginalConnectedChannelInfo"  OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.conversations.getConversationPrefs"                  OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.conversations.getCustomRetention"                    OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.conversations.getTeams"                              OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.conversations.invite"                                OrgAdmin  "workspace"  sends_out  reads(plain);
        *  "/admin.conversations.linkObjects"                           OrgAdmin  "workspace"  sends_out  reads(plain);
        *  "/admin.conversations.lookup"                                OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.conversations.removeCustomRetention"                 OrgAdmin  "workspace"  effect(Destructive)  sensitive  reads(plain);
        *  "/admin.conversations.rename"                                OrgAdmin  "workspace"  reads(plain);
        *  "/admin.conversations.restrictAccess.addGroup"               OrgAdmin  "workspace"  reads(plain);
        *  "/admin.conversations.restrictAccess.listGroups"             OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.conversations.restrictAccess.removeGroup"            OrgAdmin  "workspace"  effect(Destructive)  reads(plain);
        *  "/admin.conversations.search"                                OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.conversations.setConversationPrefs"                  OrgAdmin  "workspace"  reads(plain);
        *  "/admin.conversations.setCustomRetention"                    OrgAdmin  "workspace"  sensitive  reads(plain);
        *  "/admin.conversations.setTeams"                              OrgAdmin  "workspace"  reads(plain);
        *  "/admin.conversations.unarchive"                             OrgAdmin  "workspace"  reads(plain);
        *  "/admin.conversations.unlinkObjects"                         OrgAdmin  "workspace"  sends_out  reads(plain);
        *  "/admin.emoji.add"                                           OrgAdmin  "workspace"  reads(plain);
        *  "/admin.emoji.addAlias"                                      OrgAdmin  "workspace"  reads(plain);
        *  "/admin.emoji.list"                                          OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.emoji.remove"                                        OrgAdmin  "workspace"  effect(Destructive)  reads(plain);
        *  "/admin.emoji.rename"                                        OrgAdmin  "workspace"  reads(plain);
        *  "/admin.functions.list"                                      OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.functions.permissions.lookup"                        OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.functions.permissions.set"                           OrgAdmin  "workspace"  reads(plain);
        *  "/admin.inviteRequests.approve"                              OrgAdmin  "workspace"  reads(plain);
        *  "/admin.inviteRequests.approved.list"                        OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.inviteRequests.denied.list"                          OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.inviteRequests.deny"                                 OrgAdmin  "workspace"  reads(plain);
        *  "/admin.inviteRequests.list"                                 OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.roles.listAssignments"                               OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.teams.admins.list"                                   OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.teams.create"                                        OrgAdmin  "workspace"  reads(plain);
        *  "/admin.teams.list"                                          OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.teams.owners.list"                                   OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.teams.settings.info"                                 OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.teams.settings.setDefaultChannels"                   OrgAdmin  "workspace"  reads(plain);
        *  "/admin.teams.settings.setDescription"                       OrgAdmin  "workspace"  reads(plain);
        *  "/admin.teams.settings.setDiscoverability"                   OrgAdmin  "workspace"  reads(plain);
        *  "/admin.teams.settings.setIcon"                              OrgAdmin  "workspace"  reads(plain);
        *  "/admin.teams.settings.setName"                              OrgAdmin  "workspace"  reads(plain);
        *  "/admin.usergroups.addChannels"                              OrgAdmin  "workspace"  reads(plain);
        *  "/admin.usergroups.addTeams"                                 OrgAdmin  "workspace"  reads(plain);
        *  "/admin.usergroups.listChannels"                             OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.usergroups.removeChannels"                           OrgAdmin  "workspace"  effect(Destructive)  reads(plain);
        *  "/admin.usergroups.removeTeams"                              OrgAdmin  "workspace"  effect(Destructive)  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.users.assign"                                        OrgAdmin  "workspace"  reads(plain);
        *  "/admin.users.getExpiration"                                 OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.users.invite"                                        OrgAdmin  "workspace"  sends_out  reads(plain);
        *  "/admin.users.list"                                          OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.users.remove"                                        OrgAdmin  "workspace"  effect(Destructive)  reads(plain);
        *  "/admin.users.session.clearSettings"                         OrgAdmin  "workspace"  sensitive  reads(plain);
        *  "/admin.users.session.getSettings"                           OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.users.session.invalidate"                            OrgAdmin  "workspace"  sensitive  reads(plain);
        *  "/admin.users.session.list"                                  OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.users.session.reset"                                 OrgAdmin  "workspace"  sensitive  reads(plain);
        *  "/admin.users.session.resetBulk"                             OrgAdmin  "workspace"  sensitive  reads(plain);
        *  "/admin.users.session.setSettings"                           OrgAdmin  "workspace"  sensitive  reads(plain);
        *  "/admin.users.setAdmin"                                      OrgAdmin  "workspace"  reads(plain);
        *  "/admin.users.setExpiration"                                 OrgAdmin  "workspace"  reads(plain);
        *  "/admin.users.setOwner"                                      OrgOwner  "workspace"  reads(plain);
        *  "/admin.users.setRegular"                                    OrgAdmin  "workspace"  reads(plain);
        *  "/admin.users.unsupportedVersions.export"                    OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.workflows.collaborators.add"                         OrgAdmin  "workspace"  reads(plain);
        *  "/admin.workflows.collaborators.remove"                      OrgAdmin  "workspace"  effect(Destructive)  reads(plain);
        *  "/admin.workflows.permissions.lookup"                        OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.workflows.search"                                    OrgAdmin  "workspace"  effect(Read)  reads(plain);
        *  "/admin.workflows.triggers.types.permissions.lookup"         OrgAdmin  "workspace"  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.workflows.triggers.types.permissions.set"            OrgAdmin  "workspace"  reads(plain)  no_operation("newer than the list of operations");
        *  "/admin.workflows.unpublish"                                 OrgAdmin  "workspace"  reads(plain);
    }
}

/// Agents and assistants: docs.slack.dev/reference/methods, `agents.*`, `assistant.*`; read 2026-11-30.
fn agents() -> Vec<Route> {
    routes! {
        *  "/agents.sessions.rename"                 -                -            sends_out  reads(channel::session_name);
        *  "/agents.sessions.setStatus"              -                -            sends_out  reads(channel::assistant);
        *  "/assistant.search.context"               WorkspaceMember  "workspace"  effect(Read)  agent_sight  reads(plain)  no_operation("newer than the list of operations");
        *  "/assistant.search.info"                  -                -            effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/assistant.threads.setStatus"            -                -            sends_out  reads(channel::assistant);
        *  "/assistant.threads.setSuggestedPrompts"  -                -            sends_out  reads(channel::assistant);
        *  "/assistant.threads.setTitle"             -                -            sends_out  reads(channel::assistant);
    }
}

/// Answers to interactions: docs.slack.dev/reference/methods, `dialog.*`, `entity.*`, `functions.complete*`, `views.*`; read 2026-11-30.
fn interactions() -> Vec<Route> {
    routes! {
        *  "/dialog.open"                      -  -  agent_only("the answer to an interaction, shown to the one person who began it")  reads(plain);
        *  "/entity.acknowledgeCommentAction"  -  -  agent_only("the answer to an interaction, shown to the one person who began it")  reads(plain)  no_operation("newer than the list of operations");
        *  "/entity.presentComments"           -  -  agent_only("the answer to an interaction, shown to the one person who began it")  reads(plain)  no_operation("newer than the list of operations");
        *  "/entity.presentDetails"            -  -  agent_only("the answer to an interaction, shown to the one person who began it")  reads(plain);
        *  "/functions.completeError"          -  -  agent_only("the app's own step of a workflow")  reads(plain);
        *  "/functions.completeSuccess"        -  -  agent_only("the app's own step of a workflow")  reads(plain);
        *  "/views.open"                       -  -  agent_only("the answer to an interaction, shown to the one person who began it")  reads(plain);
        *  "/views.publish"                    -  -  agent_only("the app's own home")  reads(plain);
        *  "/views.push"                       -  -  agent_only("the answer to an interaction, shown to the one person who began it")  reads(plain);
        *  "/views.update"                     -  -  agent_only("the answer to an interaction, shown to the one person who began it")  reads(plain);
    }
}

/// Bookmarks: docs.slack.dev/reference/methods, `bookmarks.*`; read 2026-11-30.
fn bookmarks() -> Vec<Route> {
    routes! {
        *  "/bookmarks.add"     ChannelMember  "channel:{channel}"  sends_out  reads(channel::one);
        *  "/bookmarks.edit"    ChannelMember  "channel:{channel}"  sends_out  reads(channel::one);
        *  "/bookmarks.list"    ChannelRead    "channel:{channel}"  effect(Read)  reads(channel::one);
        *  "/bookmarks.remove"  ChannelMember  "channel:{channel}"  effect(Destructive)  reads(channel::one);
    }
}

/// Calls and bots: docs.slack.dev/reference/methods, `bots.*`, `calls.*`; read 2026-11-30.
fn calls() -> Vec<Route> {
    routes! {
        *  "/bots.info"                  WorkspaceMember  "workspace"  effect(Read)  agent_sight  reads(plain);
        *  "/calls.add"                  -                -            agent_only("the app's own call, which only a message shows")  reads(plain);
        *  "/calls.end"                  -                -            agent_only("the app's own call, which only a message shows")  reads(plain);
        *  "/calls.info"                 WorkspaceMember  "workspace"  effect(Read)  agent_sight  reads(plain);
        *  "/calls.participants.add"     -                -            agent_only("the app's own call, which only a message shows")  reads(plain);
        *  "/calls.participants.remove"  -                -            effect(Destructive)  agent_only("the app's own call, which only a message shows")  reads(plain);
        *  "/calls.update"               -                -            agent_only("the app's own call, which only a message shows")  reads(plain);
    }
}

/// Canvases: docs.slack.dev/reference/methods, `canvases.*`; read 2026-11-30.
fn canvases() -> Vec<Route> {
    routes! {
        *  "/canvases.access.delete"    -           -              effect(Destructive)  reads(file::canvas_access);
        *  "/canvases.access.set"       -           -              sends_out  reads(file::canvas_access);
        *  "/canvases.create"           -           -              sends_out  reads(channel::canvas);
        *  "/canvases.delete"           CanvasEdit  "file:{file}"  effect(Destructive)  reads(file::canvas);
        *  "/canvases.edit"             CanvasEdit  "file:{file}"  sends_out  reads(file::canvas);
        *  "/canvases.sections.lookup"  FileView    "file:{file}"  effect(Read)  reads(file::canvas);
    }
}

/// Channels and direct conversations: docs.slack.dev/reference/methods, `conversations.*`; "Slack Connect API reference"; read 2026-11-30.
fn conversations() -> Vec<Route> {
    routes! {
        *  "/conversations.acceptSharedInvite"             -                 -                    sends_out  reads(channel::accept_shared);
        *  "/conversations.approveSharedInvite"            -                 -                    sends_out  reads(channel::answer_shared);
        *  "/conversations.archive"                        ChannelArchive    "channel:{channel}"  effect(Destructive)  reads(channel::one);
        *  "/conversations.canvases.create"                ChannelMember     "channel:{channel}"  sends_out  reads(channel::one);
        *  "/conversations.close"                          -                 -                    agent_only("the agent's own place in the conversation")  reads(plain);
        *  "/conversations.create"                         -                 -                    sends_out  reads(channel::create);
        *  "/conversations.declineSharedInvite"            -                 -                    reads(channel::answer_shared);
        *  "/conversations.externalInvitePermissions.set"  -                 -                    sends_out  reads(channel::shared);
        *  "/conversations.history"                        ChannelRead       "channel:{channel}"  effect(Read)  reads(channel::one);
        *  "/conversations.info"                           ChannelRead       "channel:{channel}"  effect(Read)  reads(channel::one);
        *  "/conversations.invite"                         ChannelInvite     "channel:{channel}"  sends_out  reads(channel::invite);
        *  "/conversations.inviteShared"                   -                 -                    sends_out  reads(channel::invite_shared);
        *  "/conversations.join"                           ChannelJoin       "channel:{channel}"  reads(channel::one);
        *  "/conversations.kick"                           ChannelKick       "channel:{channel}"  effect(Destructive)  reads(channel::one);
        *  "/conversations.leave"                          -                 -                    agent_only("the agent's own place in the conversation")  reads(plain);
        *  "/conversations.list"                           WorkspaceMember   "workspace"          effect(Read)  agent_sight  reads(plain);
        *  "/conversations.listConnectInvites"             ConnectManage     "workspace"          effect(Read)  reads(plain);
        *  "/conversations.mark"                           ChannelMember     "channel:{channel}"  reads(channel::one);
        *  "/conversations.members"                        ChannelRead       "channel:{channel}"  effect(Read)  reads(channel::one);
        *  "/conversations.open"                           -                 -                    reads(channel::open);
        *  "/conversations.rename"                         ChannelRename     "channel:{channel}"  sends_out  reads(channel::one);
        *  "/conversations.replies"                        ChannelRead       "channel:{channel}"  effect(Read)  reads(channel::one);
        *  "/conversations.requestSharedInvite.approve"    -                 -                    sends_out  reads(channel::answer_shared);
        *  "/conversations.requestSharedInvite.deny"       -                 -                    reads(channel::answer_shared);
        *  "/conversations.requestSharedInvite.list"       ConnectManage     "workspace"          effect(Read)  reads(plain);
        *  "/conversations.setPurpose"                     ChannelTopic      "channel:{channel}"  sends_out  reads(channel::one);
        *  "/conversations.setTopic"                       ChannelTopic      "channel:{channel}"  sends_out  reads(channel::one);
        *  "/conversations.unarchive"                      ChannelUnarchive  "channel:{channel}"  reads(channel::one);
    }
}

/// Files: docs.slack.dev/reference/methods, `files.*`; read 2026-11-30.
fn files() -> Vec<Route> {
    routes! {
        *  "/files.comments.delete"         FileManage       "file:{file}"  effect(Destructive)  reads(file::one);
        *  "/files.completeUploadExternal"  -                -              sends_out  reads(file::upload);
        *  "/files.delete"                  FileManage       "file:{file}"  effect(Destructive)  reads(file::one);
        *  "/files.getUploadURLExternal"    -                -              trusted  reads(plain);
        *  "/files.info"                    FileView         "file:{file}"  effect(Read)  reads(file::one);
        *  "/files.list"                    -                -              effect(Read)  agent_sight  reads(channel::narrowed);
        *  "/files.remote.add"              -                -              sends_out  agent_only("the app's own files kept elsewhere")  reads(plain);
        *  "/files.remote.info"             -                -              effect(Read)  reads(file::remote);
        *  "/files.remote.list"             WorkspaceMember  "workspace"    effect(Read)  agent_sight  reads(plain);
        *  "/files.remote.remove"           -                -              effect(Destructive)  agent_only("the app's own files kept elsewhere")  reads(plain);
        *  "/files.remote.share"            -                -              sends_out  reads(file::share);
        *  "/files.remote.update"           -                -              sends_out  agent_only("the app's own files kept elsewhere")  reads(plain);
        *  "/files.revokePublicURL"         FileManage       "file:{file}"  effect(Destructive)  reads(file::one);
        *  "/files.sharedPublicURL"         FileManage       "file:{file}"  sends_to(Public)  reads(file::one);
        *  "/files.upload"                  -                -              sends_out  reads(file::upload);
    }
}

/// Functions: docs.slack.dev/reference/methods, `functions.*`; read 2026-11-30.
fn functions() -> Vec<Route> {
    routes! {
        *  "/functions.distributions.permissions.add"     WorkspaceAdmin  "workspace"  reads(plain)  no_operation("newer than the list of operations");
        *  "/functions.distributions.permissions.list"    -               -            effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/functions.distributions.permissions.remove"  WorkspaceAdmin  "workspace"  effect(Destructive)  reads(plain)  no_operation("newer than the list of operations");
        *  "/functions.distributions.permissions.set"     WorkspaceAdmin  "workspace"  reads(plain)  no_operation("newer than the list of operations");
        *  "/functions.workflows.steps.list"              -               -            effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/functions.workflows.steps.responses.export"  WorkspaceAdmin  "workspace"  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
    }
}

/// Hosts beside the API: docs.slack.dev/reference/methods, "Working with files", `files.getUploadURLExternal`; read 2026-11-30.
fn other_hosts() -> Vec<Route> {
    routes! {
        *  "/\\files/files-pri/{team_and_file}/{rest+}"  FileView  "file:{file}"  effect(Read)  reads(file::content)  no_operation("the content of a private file");
        *  "/\\files/files-tmb/{team_and_file}/{rest+}"  FileView  "file:{file}"  effect(Read)  reads(file::content)  no_operation("the small picture of a private file");
        *  "/\\files/upload/v1/{ticket+}"                -         -              sends_out  no_operation("where the bytes go: the address is the ticket of files.getUploadURLExternal, and files.completeUploadExternal shares them");
    }
}

/// Lists: docs.slack.dev/reference/methods, `slackLists.*`; read 2026-11-30.
fn lists() -> Vec<Route> {
    routes! {
        *  "/slackLists.access.delete"         -         -              effect(Destructive)  reads(file::list_access);
        *  "/slackLists.access.set"            -         -              sends_out  reads(file::list_access);
        *  "/slackLists.create"                -         -              reads(file::list_create);
        *  "/slackLists.download.get"          FileView  "file:{file}"  effect(Read)  reads(file::in_list);
        *  "/slackLists.download.start"        FileView  "file:{file}"  reads(file::in_list);
        *  "/slackLists.items.create"          ListEdit  "file:{file}"  sends_out  reads(file::in_list);
        *  "/slackLists.items.delete"          ListEdit  "file:{file}"  effect(Destructive)  reads(file::in_list);
        *  "/slackLists.items.deleteMultiple"  ListEdit  "file:{file}"  effect(Destructive)  reads(file::in_list);
        *  "/slackLists.items.info"            FileView  "file:{file}"  effect(Read)  reads(file::in_list);
        *  "/slackLists.items.list"            FileView  "file:{file}"  effect(Read)  reads(file::in_list);
        *  "/slackLists.items.update"          ListEdit  "file:{file}"  sends_out  reads(file::in_list);
        *  "/slackLists.update"                ListEdit  "file:{file}"  sends_out  reads(file::list_itself);
    }
}

/// Messages: docs.slack.dev/reference/methods, `chat.*`; the errors of each; "How we broke your Slack app" for what is retired; read 2026-11-30.
fn chat() -> Vec<Route> {
    routes! {
        *  "/chat.appendStream"            -            -                    sends_out  reads(message::own);
        *  "/chat.delete"                  -            -                    effect(Destructive)  reads(message::own);
        *  "/chat.deleteScheduledMessage"  -            -                    effect(Destructive)  reads(message::own);
        *  "/chat.getPermalink"            ChannelRead  "channel:{channel}"  effect(Read)  reads(channel::one);
        *  "/chat.meMessage"               -            -                    sends_out  reads(message::say);
        *  "/chat.postEphemeral"           -            -                    sends_out  reads(message::post);
        *  "/chat.postMessage"             -            -                    sends_out  reads(message::post);
        *  "/chat.scheduleMessage"         -            -                    sends_out  reads(message::post);
        *  "/chat.scheduledMessages.list"  -            -                    effect(Read)  agent_sight  reads(channel::narrowed);
        *  "/chat.startStream"             -            -                    sends_out  reads(message::post);
        *  "/chat.stopStream"              -            -                    sends_out  reads(message::own);
        *  "/chat.unfurl"                  -            -                    sends_out  reads(message::unfurl);
        *  "/chat.update"                  -            -                    sends_out  reads(message::update);
    }
}

/// People: docs.slack.dev/reference/methods, `users.*`; read 2026-11-30.
fn users() -> Vec<Route> {
    routes! {
        *  "/users.conversations"                -                -            effect(Read)  reads(channel::list_of);
        *  "/users.deletePhoto"                  -                -            effect(Destructive)  agent_only("the agent's own account")  reads(plain);
        *  "/users.discoverableContacts.lookup"  WorkspaceMember  "workspace"  effect(Read)  reads(plain);
        *  "/users.getPresence"                  -                -            effect(Read)  reads(people::about);
        *  "/users.identity"                     WorkspaceMember  "workspace"  effect(Read)  reads(plain);
        *  "/users.info"                         -                -            effect(Read)  reads(people::about);
        *  "/users.list"                         WorkspaceMember  "workspace"  effect(Read)  reads(plain);
        *  "/users.lookupByEmail"                WorkspaceMember  "workspace"  effect(Read)  reads(plain);
        *  "/users.profile.get"                  -                -            effect(Read)  reads(people::about);
        *  "/users.profile.set"                  -                -            sends_out  reads(people::profile);
        *  "/users.setActive"                    -                -            agent_only("the agent's own account")  reads(plain);
        *  "/users.setPhoto"                     -                -            agent_only("the agent's own account")  reads(plain);
        *  "/users.setPresence"                  -                -            agent_only("the agent's own account")  reads(plain);
    }
}

/// Pins, reactions, reminders, search and stars: docs.slack.dev/reference/methods, `pins.*`, `reactions.*`, `reminders.*`, `search.*`, `stars.*`; read 2026-11-30.
fn marks() -> Vec<Route> {
    routes! {
        *  "/pins.add"            ChannelMember    "channel:{channel}"  reads(channel::one);
        *  "/pins.list"           ChannelRead      "channel:{channel}"  effect(Read)  reads(channel::one);
        *  "/pins.remove"         ChannelMember    "channel:{channel}"  effect(Destructive)  reads(channel::one);
        *  "/reactions.add"       ChannelMember    "channel:{channel}"  reads(channel::reaction);
        *  "/reactions.get"       ChannelRead      "channel:{channel}"  effect(Read)  reads(file::reactions);
        *  "/reactions.list"      WorkspaceMember  "workspace"          effect(Read)  agent_sight  reads(plain);
        *  "/reactions.remove"    ChannelMember    "channel:{channel}"  effect(Destructive)  reads(channel::reaction);
        *  "/reminders.add"       -                -                    agent_only("reminders of the agent's own account")  reads(plain);
        *  "/reminders.complete"  -                -                    agent_only("reminders of the agent's own account")  reads(plain);
        *  "/reminders.delete"    -                -                    effect(Destructive)  agent_only("reminders of the agent's own account")  reads(plain);
        *  "/reminders.info"      WorkspaceMember  "workspace"          effect(Read)  agent_sight  reads(plain);
        *  "/reminders.list"      WorkspaceMember  "workspace"          effect(Read)  agent_sight  reads(plain);
        *  "/search.all"          WorkspaceMember  "workspace"          effect(Read)  agent_sight  reads(plain);
        *  "/search.files"        WorkspaceMember  "workspace"          effect(Read)  agent_sight  reads(plain);
        *  "/search.messages"     WorkspaceMember  "workspace"          effect(Read)  agent_sight  reads(plain);
        *  "/stars.add"           -                -                    agent_only("what the agent's own account saved")  reads(plain);
        *  "/stars.list"          WorkspaceMember  "workspace"          effect(Read)  agent_sight  reads(plain);
        *  "/stars.remove"        -                -                    effect(Destructive)  agent_only("what the agent's own account saved")  reads(plain);
    }
}

/// Quiet hours and emoji: docs.slack.dev/reference/methods, `dnd.*`, `emoji.*`; read 2026-11-30.
fn quiet() -> Vec<Route> {
    routes! {
        *  "/dnd.endDnd"     -                -            agent_only("the quiet hours of the agent's own account")  reads(plain);
        *  "/dnd.endSnooze"  -                -            agent_only("the quiet hours of the agent's own account")  reads(plain);
        *  "/dnd.info"       -                -            effect(Read)  reads(people::about);
        *  "/dnd.setSnooze"  -                -            agent_only("the quiet hours of the agent's own account")  reads(plain);
        *  "/dnd.teamInfo"   WorkspaceMember  "workspace"  effect(Read)  reads(plain);
        *  "/emoji.list"     WorkspaceMember  "workspace"  effect(Read)  reads(plain);
    }
}

/// The app itself: docs.slack.dev/reference/methods, `api.*`, `apps.*`, `auth.*`, `blocks.*`, `openid.*`; read 2026-11-30.
fn apps() -> Vec<Route> {
    routes! {
        *  "/api.test"                        -  -  effect(Read)  trusted  reads(plain);
        *  "/apps.activities.list"            -  -  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/apps.connections.open"           -  -  sensitive  agent_only("the app's own socket of events")  reads(plain);
        *  "/apps.datastore.bulkDelete"       -  -  effect(Destructive)  agent_only("the app's own store")  reads(plain)  no_operation("newer than the list of operations");
        *  "/apps.datastore.bulkGet"          -  -  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/apps.datastore.bulkPut"          -  -  agent_only("the app's own store")  reads(plain)  no_operation("newer than the list of operations");
        *  "/apps.datastore.count"            -  -  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/apps.datastore.delete"           -  -  effect(Destructive)  agent_only("the app's own store")  reads(plain)  no_operation("newer than the list of operations");
        *  "/apps.datastore.get"              -  -  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/apps.datastore.put"              -  -  agent_only("the app's own store")  reads(plain)  no_operation("newer than the list of operations");
        *  "/apps.datastore.query"            -  -  effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/apps.datastore.update"           -  -  agent_only("the app's own store")  reads(plain)  no_operation("newer than the list of operations");
        *  "/apps.event.authorizations.list"  -  -  effect(Read)  reads(plain);
        *  "/apps.manifest.export"            -  -  effect(Read)  reads(plain);
        *  "/apps.manifest.validate"          -  -  effect(Read)  reads(plain);
        *  "/apps.user.connection.update"     -  -  agent_only("the app's own badge")  reads(plain);
        *  "/auth.teams.list"                 -  -  effect(Read)  trusted  reads(plain);
        *  "/auth.test"                       -  -  effect(Read)  trusted  reads(plain);
        *  "/blocks.validate"                 -  -  effect(Read)  reads(plain);
        *  "/openid.connect.userInfo"         -  -  effect(Read)  reads(plain);
    }
}

/// The workspace: docs.slack.dev/reference/methods, `migration.*`, `team.*`; read 2026-11-30.
fn team() -> Vec<Route> {
    routes! {
        *  "/migration.exchange"             WorkspaceMember  "workspace"  effect(Read)  reads(plain);
        *  "/team.accessLogs"                WorkspaceAdmin   "workspace"  effect(Read)  reads(plain);
        *  "/team.billableInfo"              WorkspaceAdmin   "workspace"  effect(Read)  reads(plain);
        *  "/team.billing.info"              WorkspaceAdmin   "workspace"  effect(Read)  reads(plain);
        *  "/team.externalTeams.disconnect"  WorkspaceAdmin   "workspace"  effect(Destructive)  reads(plain);
        *  "/team.externalTeams.list"        WorkspaceAdmin   "workspace"  effect(Read)  reads(plain);
        *  "/team.info"                      WorkspaceMember  "workspace"  effect(Read)  reads(plain);
        *  "/team.integrationLogs"           WorkspaceAdmin   "workspace"  effect(Read)  reads(plain);
        *  "/team.preferences.list"          WorkspaceMember  "workspace"  effect(Read)  reads(plain);
        *  "/team.profile.get"               WorkspaceMember  "workspace"  effect(Read)  reads(plain);
    }
}

/// User groups: docs.slack.dev/reference/methods, `usergroups.*`; read 2026-11-30.
fn usergroups() -> Vec<Route> {
    routes! {
        *  "/usergroups.create"        -                -            sends_out  reads(channel::usergroup);
        *  "/usergroups.disable"       -                -            sends_out  reads(channel::usergroup);
        *  "/usergroups.enable"        -                -            sends_out  reads(channel::usergroup);
        *  "/usergroups.list"          WorkspaceMember  "workspace"  effect(Read)  reads(plain);
        *  "/usergroups.update"        -                -            sends_out  reads(channel::usergroup);
        *  "/usergroups.users.list"    WorkspaceMember  "workspace"  effect(Read)  reads(plain);
        *  "/usergroups.users.update"  -                -            sends_out  reads(channel::usergroup);
    }
}

/// Workflows: docs.slack.dev/reference/methods, `workflows.*`; read 2026-11-30.
fn workflows() -> Vec<Route> {
    routes! {
        *  "/workflows.featured.add"                 ChannelManage   "channel:{channel}"  reads(channel::one);
        *  "/workflows.featured.list"                -               -                    effect(Read)  reads(channel::each_read);
        *  "/workflows.featured.remove"              ChannelManage   "channel:{channel}"  effect(Destructive)  reads(channel::one);
        *  "/workflows.featured.set"                 ChannelManage   "channel:{channel}"  reads(channel::one);
        *  "/workflows.triggers.permissions.add"     WorkspaceAdmin  "workspace"          reads(plain)  no_operation("newer than the list of operations");
        *  "/workflows.triggers.permissions.list"    -               -                    effect(Read)  reads(plain)  no_operation("newer than the list of operations");
        *  "/workflows.triggers.permissions.remove"  WorkspaceAdmin  "workspace"          effect(Destructive)  reads(plain)  no_operation("newer than the list of operations");
        *  "/workflows.triggers.permissions.set"     WorkspaceAdmin  "workspace"          reads(plain)  no_operation("newer than the list of operations");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use toolpass_wire::extract::Extractor;

    #[test]
    fn rows_stand_in_order_and_each_once() {
        for chapter in CHAPTERS {
            for pair in chapter().windows(2) {
                assert!(
                    pair[0].path < pair[1].path,
                    "`{}` stands before `{}`",
                    pair[0].path,
                    pair[1].path
                );
            }
        }
        for pair in left_out().windows(2) {
            assert!(
                pair[0].path < pair[1].path,
                "`{}` stands before `{}`",
                pair[0].path,
                pair[1].path
            );
        }
        let known: BTreeSet<_> = rows().routes.iter().map(|row| row.path.clone()).collect();
        let both = left_out().into_iter().find(|row| known.contains(&row.path));
        assert!(both.is_none_or(|row| panic!("`{}` is a row and left out", row.path)));
    }

    #[test]
    fn the_table_builds_and_every_method_is_read() {
        let table = RouteTable::build_with_labels(rows(), &["workspace"])
            .unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(table.version(), super::table().version());
        assert!(table.rows().len() > 250, "{}", table.rows().len());
        for row in table.rows() {
            assert_eq!(row.method, "*", "{}", row.path);
            // The token may stand in the arguments, so none is let through unread; a ticket has none.
            let is_ticket = row.path.starts_with("/\\files/upload");
            assert!(row.reads.is_some() || is_ticket, "{}", row.path);
        }
    }

    #[test]
    fn rows_without_an_action_and_without_pairs_are_a_closed_list() {
        let rows = rows().routes;
        let unchecked = rows.iter().filter(|row| {
            row.action.is_none()
                && row.agent_only.is_none()
                && row
                    .reads
                    .is_none_or(|reads| std::ptr::fn_addr_eq(reads, plain as Extractor))
        });
        let writes: Vec<&str> = unchecked
            .filter(|row| row.effect.is_none())
            .map(|row| row.path.as_ref())
            .collect();
        assert_eq!(
            writes,
            [
                "/files.getUploadURLExternal",
                "/\\files/upload/v1/{ticket+}"
            ]
        );
    }
}
