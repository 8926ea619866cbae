//! The action table: what may be asked about a repository, an organization or a team of GitHub.
//!
//! Closed: the rules match it in full, so a new row stops the build where a rule is due. What each action needs is said by
//! the rules (`rules/`), because it depends on more than the action.
//! Source: docs.github.com "Repository roles for an organization", "Roles in an organization", read 2026-11-30.

use toolpass_integration::actions;

actions! { // name               on    effect   phrase, completed by the resource
    RepoRead       "repo.read"        repo  read     "read";
    RepoTriage     "repo.triage"      repo  write    "manage issues and pull requests of";
    RepoPush       "repo.push"        repo  write    "push to";
    RepoMaintain   "repo.maintain"    repo  write    "maintain";
    RepoAdmin      "repo.admin"       repo  write    "administer";
    IssueCreate    "issue.create"     repo  write    "open an issue on";
    PrCreate       "pr.create"        repo  write    "open a pull request on";
    PrMerge        "pr.merge"         repo  write    "merge a pull request of";
    OrgMember      "org.member"       org   read     "see what members see of";
    OrgAdmin       "org.admin"        org   write    "administer";
    OrgRepoCreate  "org.repo.create"  org   write    "create a repository in";
    TeamMember     "team.member"      team  read     "see what members see of";
    TeamMaintainer "team.maintainer"  team  write    "maintain";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        for action in Action::ALL {
            assert_eq!(Action::parse(action.name()), Some(*action));
        }
        assert_eq!(Action::parse("repo.delete"), None);
    }
}
