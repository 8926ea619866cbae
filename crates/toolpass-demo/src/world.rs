//! The company: its people, what they may do, and what its systems hold, as names that all of the demo shares.
//!
//! | system | resource | Dana | Sam |
//! |---|---|---|---|
//! | GitHub | `acme/shop` | write | read |
//! | Jira | project SHOP | browse, create, edit, comment, transition, assign | browse |
//! | Slack | `#shop-dev` | member | member |
//! | | `#releases` | member | not one |
//! | Linear | team ENG | member | not one |
//! | Kubernetes | `shop-staging` | get, list, watch, update, patch | get, list, watch |
//! | | `shop-prod` | get, list, watch | get, list, watch |
//!
//! The agent's own logins may do all of it for anybody. How each system holds this is in `systems/`.

/// Somebody the agent works for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Person {
    /// What the table calls them.
    pub(crate) name: &'static str,
    /// Their login, where a system has one.
    pub(crate) login: &'static str,
    /// Their address, by which toolpass knows them.
    pub(crate) email: &'static str,
}

/// A developer.
pub(crate) const DANA: Person = Person {
    name: "Dana",
    login: "dana",
    email: "dana@example.com",
};

/// Joined support this week: may look at everything and change nothing.
pub(crate) const SAM: Person = Person {
    name: "Sam",
    login: "sam",
    email: "sam@example.com",
};

/// The organization.
pub(crate) const ORGANIZATION: &str = "acme";
/// The repository.
pub(crate) const REPOSITORY: &str = "acme/shop";
/// The project of bugs and features.
pub(crate) const PROJECT: &str = "SHOP";
/// The deployment, in both namespaces.
pub(crate) const DEPLOYMENT: &str = "shop-web";
/// What runs there, without its version.
pub(crate) const IMAGE: &str = "registry.example.com/shop-web";
