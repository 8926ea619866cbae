//! Ids, commits and accounts for what was written down without them, so that answers can name everything.
//!
//! What has an id keeps it; the others are numbered in the order of their names, so a world file gives the same ids every time.

use std::collections::BTreeSet;

use super::super::contents::sha1_hex;
use super::{GithubWorld, TokenKind};

impl GithubWorld {
    /// Give ids, commits and accounts to what has none, so that answers can name them.
    pub(in crate::github) fn complete(&mut self) {
        let mut logins: BTreeSet<String> = self
            .tokens
            .values()
            .filter(|t| t.kind != TokenKind::Installation)
            .map(|t| t.owner.clone())
            .collect();
        for organization in self.organizations.values() {
            logins.extend(organization.members.keys().cloned());
            logins.extend(
                organization
                    .teams
                    .values()
                    .flat_map(|team| team.members.keys().cloned()),
            );
            logins.extend(
                organization
                    .saml
                    .iter()
                    .flat_map(|saml| saml.identities.iter().filter_map(|one| one.login.clone())),
            );
        }
        for repository in self.repositories.values() {
            logins.extend(repository.collaborators.keys().cloned());
            logins.extend(repository.issues.values().map(|issue| issue.author.clone()));
            logins.extend(repository.pulls.values().map(|pull| pull.author.clone()));
            logins.extend(
                repository
                    .comments
                    .values()
                    .map(|comment| comment.author.clone()),
            );
            logins.extend(
                repository
                    .reviews
                    .values()
                    .map(|review| review.author.clone()),
            );
        }
        let runs = self
            .repositories
            .values()
            .flat_map(|repository| repository.runs.values());
        logins.extend(runs.map(|run| run.actor.clone()));
        for login in logins {
            if !login.is_empty() && !self.organizations.contains_key(&login) {
                self.users.entry(login).or_default();
            }
        }
        number(
            FIRST_USER_ID,
            self.users.values_mut().map(|user| &mut user.id),
        );
        number(
            FIRST_ORGANIZATION_ID,
            self.organizations
                .values_mut()
                .map(|organization| &mut organization.id),
        );
        number(
            FIRST_TEAM_ID,
            self.organizations
                .values_mut()
                .flat_map(|o| o.teams.values_mut())
                .map(|team| &mut team.id),
        );
        number(
            FIRST_ROLE_ID,
            self.organizations
                .values_mut()
                .flat_map(|o| o.custom_roles.values_mut())
                .map(|role| &mut role.id),
        );
        number(
            FIRST_INSTALLATION_ID,
            self.organizations
                .values_mut()
                .filter_map(|o| o.installation.as_mut())
                .map(|i| &mut i.id),
        );
        number(
            FIRST_REPOSITORY_ID,
            self.repositories
                .values_mut()
                .map(|repository| &mut repository.id),
        );
        number(
            FIRST_ENVIRONMENT_ID,
            self.repositories
                .values_mut()
                .flat_map(|r| r.environments.values_mut())
                .map(|e| &mut e.id),
        );
        for (name, repository) in &mut self.repositories {
            let default = repository.default_branch.clone();
            repository.branches.entry(default).or_default();
            for (branch, record) in &mut repository.branches {
                if record.sha.is_empty() {
                    record.sha = sha1_hex(format!("{name}@{branch}").as_bytes());
                }
            }
        }
    }
}

/// Give the zeros among `ids` numbers from `first` on that no other has.
fn number<'a>(first: u64, ids: impl Iterator<Item = &'a mut u64>) {
    let all: Vec<&mut u64> = ids.collect();
    let mut taken: BTreeSet<u64> = all.iter().map(|id| **id).collect();
    let mut next = first;
    for id in all {
        if *id != 0 {
            continue;
        }
        while !taken.insert(next) {
            next += 1;
        }
        *id = next;
    }
}

const FIRST_USER_ID: u64 = 101;
const FIRST_ORGANIZATION_ID: u64 = 1001;
const FIRST_TEAM_ID: u64 = 2001;
const FIRST_ROLE_ID: u64 = 3001;
const FIRST_INSTALLATION_ID: u64 = 4001;
const FIRST_REPOSITORY_ID: u64 = 5001;
const FIRST_ENVIRONMENT_ID: u64 = 6001;

#[cfg(test)]
mod tests {
    use super::super::repository::Repository;
    use super::*;

    #[test]
    fn ids_are_given_once_and_kept() {
        let mut world = GithubWorld::default();
        world.repositories.insert(
            "acme/a".to_owned(),
            Repository {
                id: 5001,
                ..Repository::default()
            },
        );
        world
            .repositories
            .insert("acme/b".to_owned(), Repository::default());
        world.complete();
        assert_eq!(world.repositories["acme/a"].id, 5001);
        assert_eq!(world.repositories["acme/b"].id, 5002);
        assert_eq!(world.repositories["acme/b"].branches["main"].sha.len(), 40);
    }
}
