//! From an e-mail to a login: one file per way a connection may be told to find it.
//!
//! What a service, file, provider or callable answers is compared with what was asked and must be a login. Only a positive
//! "nobody" is `user_not_found`; whoever cannot answer leaves the question open.

mod ask;
mod index;
mod map_file;
mod saml;
mod template;

use std::sync::Arc;

use toolpass_core::codes::Code;
use toolpass_core::user::{User, is_plain_email};
use toolpass_http::budget::Context;
use toolpass_integration::connection::Identity;
use toolpass_integration::failure::Failure;
use toolpass_integration::parts::{ConnectError, Parts};

use crate::config::{Config, IdentityMode};
use crate::resource::Login;
use crate::upstream::github::Github;

/// Finds the login of a user, in the configured way.
pub(crate) struct Identities {
    mode_name: &'static str,
    way: Way,
}

/// A way, ready to be gone.
enum Way {
    Callable(Arc<dyn toolpass_integration::fields::Lookup>),
    Directory(saml::Directory),
    MapFile(map_file::MapFile),
    Service(ask::Service),
    Template(template::Template),
}

impl Identities {
    /// The way of `config`. Makes no call and reads no file.
    /// Errors: an address that cannot be used.
    pub(crate) fn new(
        config: &Config,
        parts: &Parts,
        github: &Github,
    ) -> Result<Identities, ConnectError> {
        let organization = config.organization.clone();
        let way =
            match &config.identity {
                IdentityMode::Callable(lookup) => Way::Callable(Arc::clone(lookup)),
                IdentityMode::EnterpriseSaml(slug) => Way::Directory(saml::Directory::new(
                    github.clone(),
                    saml::Source::Enterprise(slug.clone()),
                )),
                IdentityMode::Http { url, token } => {
                    Way::Service(ask::Service::new(parts.client(url)?, token.clone()))
                }
                IdentityMode::MapFile(path) => Way::MapFile(map_file::MapFile::new(path.clone())),
                IdentityMode::Saml => Way::Directory(saml::Directory::new(
                    github.clone(),
                    saml::Source::Organization(organization),
                )),
                IdentityMode::Template { template, domains } => Way::Template(
                    template::Template::new(github.clone(), template.clone(), domains.clone()),
                ),
                IdentityMode::VerifiedEmail => Way::Directory(saml::Directory::new(
                    github.clone(),
                    saml::Source::Members(organization),
                )),
            };
        Ok(Identities {
            mode_name: config.identity.name(),
            way,
        })
    }

    /// Find the account of a user.
    /// Errors: `invalid_request` for an e-mail GitHub could read otherwise, `user_not_found`, `user_ambiguous`, or why it cannot be told.
    pub(crate) async fn find(&self, ctx: &Context, user: &User) -> Result<Identity, Failure> {
        let email = user.as_str().trim();
        if !is_plain_email(email) {
            return Err(Failure::invalid(
                "expected an e-mail of at most 254 bytes without quotes, slashes and spaces",
            ));
        }
        let login = match &self.way {
            Way::Callable(lookup) => ask::callable(ctx, lookup.as_ref(), email).await,
            Way::Directory(directory) => directory.find(ctx, email).await,
            Way::MapFile(file) => file.find(ctx, email).await,
            Way::Service(service) => service.find(ctx, email).await,
            Way::Template(template) => template.find(ctx, email).await,
        }?;
        let attributes = [("identity_mode".to_owned(), self.mode_name.to_owned())].into();
        Ok(Identity {
            id: login.to_string(),
            display: login.to_string(),
            attributes,
            groups: Vec::new(),
        })
    }

    /// What an operator should change about the way, as far as one look-up tells.
    pub(crate) async fn probe(&self, ctx: &Context, github: &Github) -> Option<String> {
        match &self.way {
            Way::Directory(directory) => directory.probe(ctx, github).await,
            Way::Callable(_) | Way::MapFile(_) | Way::Service(_) | Way::Template(_) => None,
        }
    }
}

/// Nobody has this e-mail.
fn not_found(text: &str) -> Failure {
    Failure::new(Code::UserNotFound, text)
}

/// A login given by something that is not GitHub.
fn given(text: &str, by: &str) -> Result<Login, Failure> {
    Login::parse(text)
        .ok_or_else(|| Failure::unsupported(format!("what {by} answered is no GitHub login")))
}
