//! One request on its way to an endpoint: what it may see, and refusals in GitHub's words.
//!
//! Lookups answer 404 for what the caller may not see, exactly as for what does not exist.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::access::{self, Right, Role};
use super::auth::{Caller, Grant, Level, Minted, message};
use super::world::GithubWorld;
use super::world::organization::{Organization, Team};
use super::world::repository::Repository;
use crate::message::{Received, Reply};

/// An endpoint's answer; the error is one too, given early.
pub(super) type Answer = Result<Reply, Reply>;

/// Where links in answers lead.
pub(super) struct Links {
    /// The REST API, without a slash at the end.
    pub(super) api: String,
    /// The web pages.
    pub(super) web: String,
    /// The release of an Enterprise Server.
    pub(super) server_version: Option<&'static str>,
}

/// A request and all an endpoint may use.
pub(super) struct Call<'a> {
    pub(super) request: &'a Received,
    pub(super) caller: &'a Caller,
    pub(super) links: Links,
    pub(super) world: &'a mut GithubWorld,
    pub(super) minted: &'a mut BTreeMap<String, Minted>,
    /// Unix time.
    pub(super) now: i64,
}

impl Call<'_> {
    /// A repository the caller may see, by its canonical `owner/name`. Errors: GitHub's 404.
    pub(super) fn repository(
        &self,
        owner: &str,
        name: &str,
    ) -> Result<(String, &Repository), Reply> {
        let wanted = format!("{owner}/{name}");
        let found = self
            .world
            .repositories
            .iter()
            .find(|(full_name, _)| full_name.eq_ignore_ascii_case(&wanted));
        let (full_name, repository) = found.ok_or_else(not_found)?;
        if self.sees(full_name, repository) {
            Ok((full_name.clone(), repository))
        } else {
            Err(not_found())
        }
    }

    /// The same, to be changed, when the caller's credential and its user allow such a write.
    pub(super) fn writable(
        &mut self,
        owner: &str,
        name: &str,
        permission: &str,
    ) -> Result<(String, &mut Repository), Reply> {
        let (full_name, repository) = self.repository(owner, name)?;
        self.caller.need(permission, Level::Write)?;
        let needed = match permission {
            "contents" => Role::Push,
            "administration" => Role::Admin,
            _ => Role::Pull,
        };
        if self.callers_role(&full_name, repository) < needed {
            return Err(message(403, "Must have push access to repository"));
        }
        let repository = self
            .world
            .repositories
            .get_mut(&full_name)
            .ok_or_else(not_found)?;
        Ok((full_name, repository))
    }

    /// Whether the caller may see a repository.
    pub(super) fn sees(&self, full_name: &str, repository: &Repository) -> bool {
        let owner = full_name.split('/').next().unwrap_or_default();
        match self.caller {
            Caller::App => false,
            Caller::Installation(installed) => {
                repository.visibility == "public"
                    || (installed.organization.eq_ignore_ascii_case(owner)
                        && installed
                            .repositories
                            .as_ref()
                            .is_none_or(|chosen| chosen.contains(full_name)))
            }
            Caller::User(user) => {
                let private_ones = match &user.grant {
                    Grant::Permissions(_) => true,
                    Grant::Scopes(scopes) => scopes.contains("repo"),
                };
                repository.visibility == "public"
                    || (private_ones
                        && access::right(self.world, full_name, repository, &user.login).role
                            >= Role::Pull)
            }
        }
    }

    /// What the credential's user may on a repository; an installation is bounded by its permissions alone.
    pub(super) fn callers_role(&self, full_name: &str, repository: &Repository) -> Role {
        match self.caller {
            Caller::App => Role::None,
            Caller::Installation(_) => Role::Admin,
            Caller::User(user) => {
                access::right(self.world, full_name, repository, &user.login).role
            }
        }
    }

    /// What some user may on a repository.
    pub(super) fn right_of(&self, full_name: &str, repository: &Repository, login: &str) -> Right {
        access::right(self.world, full_name, repository, login)
    }

    /// An organization by its canonical login. Errors: GitHub's 404.
    pub(super) fn organization(&self, login: &str) -> Result<(String, &Organization), Reply> {
        let found = self
            .world
            .organizations
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(login));
        let (name, organization) = found.ok_or_else(not_found)?;
        Ok((name.clone(), organization))
    }

    /// An organization whose members the caller may read. Errors: GitHub's 404 and 403.
    pub(super) fn people_of(&self, login: &str) -> Result<(String, &Organization), Reply> {
        let (name, organization) = self.organization(login)?;
        match self.caller {
            Caller::App => return Err(message(403, "Resource not accessible by integration")),
            Caller::Installation(installed)
                if !installed.organization.eq_ignore_ascii_case(&name) =>
            {
                return Err(message(403, "Resource not accessible by integration"));
            }
            Caller::Installation(_) => {}
            Caller::User(user) => {
                if access::by_login(&organization.members, &user.login).is_none() {
                    return Err(message(403, "You must be a member of this organization"));
                }
            }
        }
        self.caller.need("members", Level::Read)?;
        Ok((name, organization))
    }

    /// A team by slug, in an organization whose members the caller may read. Errors: GitHub's 404 and 403.
    pub(super) fn team(
        &self,
        organization: &str,
        slug: &str,
    ) -> Result<(String, &Organization, &Team), Reply> {
        let (name, record) = self.people_of(organization)?;
        let team = record.teams.get(slug).ok_or_else(not_found)?;
        Ok((name, record, team))
    }

    /// A login as the account writes it; organizations are accounts too. Errors: GitHub's 404.
    pub(super) fn canonical_login(&self, login: &str) -> Result<String, Reply> {
        let found = self
            .world
            .users
            .keys()
            .find(|name| name.eq_ignore_ascii_case(login));
        found.cloned().ok_or_else(not_found)
    }

    /// Whoever a write is recorded for: the token's user, or the App's bot.
    pub(super) fn author(&self) -> String {
        match self.caller {
            Caller::App | Caller::Installation(_) => format!("{}[bot]", self.world.app.slug),
            Caller::User(user) => user.login.clone(),
        }
    }

    /// The path by names where it starts with a repository's id. Errors: GitHub's 404.
    pub(super) fn by_names(&self, names: Vec<String>) -> Result<Vec<String>, Reply> {
        let [first, id, rest @ ..] = names.as_slice() else {
            return Ok(names);
        };
        if first != "repositories" {
            return Ok(names);
        }
        let id = number(id)?;
        let found = self
            .world
            .repositories
            .iter()
            .find(|(_, record)| record.id == id);
        let full_name = found.ok_or_else(not_found)?.0;
        let named = std::iter::once("repos")
            .chain(full_name.split('/'))
            .map(str::to_owned);
        Ok(named.chain(rest.iter().cloned()).collect())
    }

    /// The redirection of a repository's former name.
    pub(super) fn moved(&self, names: &[&str]) -> Option<Answer> {
        let ["repos", owner, name, ..] = names else {
            return None;
        };
        let wanted = format!("{owner}/{name}");
        if self.world.repositories.contains_key(&wanted) {
            return None;
        }
        let repository = self
            .world
            .repositories
            .values()
            .find(|repository| repository.former_names.contains(&wanted))?;
        let rest = names.get(3..).unwrap_or_default().join("/");
        let slash = if rest.is_empty() { "" } else { "/" };
        let url = format!(
            "{}/repositories/{}{slash}{rest}",
            self.links.api, repository.id
        );
        let status = if matches!(self.request.method.as_str(), "GET" | "HEAD") {
            301
        } else {
            307
        };
        let body = json!({"message": "Moved Permanently", "url": url, "documentation_url": "https://docs.github.com/rest"});
        Some(Ok(Reply::json(status, &body).with_header("location", url)))
    }

    /// One page of a list, with the `Link` field GitHub sends when there are more.
    pub(super) fn page(&self, items: Vec<Value>) -> Reply {
        let (page, size) = self.page_wanted();
        let (items, link) = self.slice(items, page, size);
        let reply = Reply::json(200, &Value::Array(items));
        match link {
            Some(link) => reply.with_header("link", link),
            None => reply,
        }
    }

    fn page_wanted(&self) -> (usize, usize) {
        let number = |name: &str| {
            self.request
                .query_value(name)
                .and_then(|text| text.parse::<usize>().ok())
        };
        (
            number("page").unwrap_or(1).max(1),
            number("per_page").unwrap_or(30).clamp(1, 100),
        )
    }

    fn slice(&self, items: Vec<Value>, page: usize, size: usize) -> (Vec<Value>, Option<String>) {
        let last = items.len().div_ceil(size).max(1);
        let items = items
            .into_iter()
            .skip((page - 1) * size)
            .take(size)
            .collect();
        let path = self.request.path.as_str();
        let origin = &self.request.origin;
        let link = |target: usize, rel: &str| {
            format!("<{origin}{path}?per_page={size}&page={target}>; rel=\"{rel}\"")
        };
        let mut parts = Vec::new();
        if page > 1 {
            parts.push(link(page - 1, "prev"));
            parts.push(link(1, "first"));
        }
        if page < last {
            parts.push(link(page + 1, "next"));
            parts.push(link(last, "last"));
        }
        (items, (!parts.is_empty()).then(|| parts.join(", ")))
    }
}

/// GitHub's 404.
pub(super) fn not_found() -> Reply {
    message(404, "Not Found")
}

/// GitHub's 422.
pub(super) fn invalid(text: &str) -> Reply {
    message(422, text)
}

/// A number in a path. Errors: GitHub's 404.
pub(super) fn number(text: &str) -> Result<u64, Reply> {
    text.parse().map_err(|_| not_found())
}

/// A string member of a body.
pub(super) fn text(body: &Value, name: &str) -> Option<String> {
    body.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// The strings of an array member, or the `name`s of its objects.
pub(super) fn texts(body: &Value, name: &str) -> Vec<String> {
    let items = body
        .get(name)
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    items
        .iter()
        .filter_map(|item| {
            item.as_str()
                .or_else(|| item.get("name")?.as_str())
                .map(str::to_owned)
        })
        .collect()
}
