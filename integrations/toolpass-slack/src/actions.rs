//! The action table: what may be asked about a workspace, a channel, a direct message, a file or a user group of Slack.
//!
//! Closed: the rules match it in full, so a new row stops the build where a rule is due. What each action needs is said by
//! the rules (`rules/`), because it depends on more than the action.
//! Source: slack.com/help "Permissions by role in Slack", "Understand channel managers", "Manage channel posting permissions"; read
//! 2026-11-30.

use toolpass_integration::actions;

actions! { // name                        on                   effect       phrase, completed by the resource
    UserActive           "user.active"             workspace            read         "be active in";
    WorkspaceMember      "workspace.member"        workspace            read         "see what members see of";
    WorkspaceAdmin       "workspace.admin"         workspace            write        "administer";
    OrgAdmin             "org.admin"               workspace            write        "administer the organization of";
    OrgOwner             "org.owner"               workspace            write        "own the organization of";
    ConnectManage        "connect.manage"          workspace            write        "share channels with other organizations from";
    ChannelCreate        "channel.create"          workspace            write        "create a public channel in";
    ChannelCreatePrivate "channel.create_private"  workspace            write        "create a private channel in";
    ChannelRead          "channel.read"            channel              read         "read";
    ChannelMember        "channel.member"          channel              write        "do what members do in";
    ChannelJoin          "channel.join"            channel              write        "join";
    ChannelTopic         "channel.topic"           channel              write        "set topic or purpose of";
    ChannelRename        "channel.rename"          channel              write        "rename";
    ChannelManage        "channel.manage"          channel              write        "manage";
    ChannelInvite        "channel.invite"          channel              write        "invite people to";
    ChannelKick          "channel.kick"            channel              write        "remove people from";
    ChannelArchive       "channel.archive"         channel              destructive  "archive";
    ChannelUnarchive     "channel.unarchive"       channel              write        "take out of the archive";
    MessagePost          "message.post"            channel              write        "post to";
    MessagePostThread    "message.post_thread"     channel              write        "reply in a thread of";
    FileUpload           "file.upload"             channel              write        "upload a file to";
    DmPost               "dm.post"                 dm                   write        "send a direct message to";
    FileView             "file.view"               file                 read         "see";
    FileManage           "file.manage"             file                 destructive  "publish or delete";
    CanvasEdit           "canvas.edit"             file                 write        "edit the canvas";
    ListEdit             "list.edit"               file                 write        "edit the list";
    UsergroupMember      "usergroup.member"        usergroup            read         "be a member of";
    UsergroupManage      "usergroup.manage"        workspace|usergroup  write        "manage user groups of";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        for action in Action::ALL {
            assert_eq!(Action::parse(action.name()), Some(*action));
        }
        assert_eq!(Action::parse("message.delete"), None);
    }
}
