//! Ways that ask somebody else: a service over HTTP, or a callable of the application.
//!
//! INVARIANT: a service that fails never says that there is nobody; a callable's exception is not repeated.

use std::sync::Arc;

use toolpass_core::codes::Code;
use toolpass_core::secret::SecretRef;
use toolpass_http::auth::Bearer;
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::path::PathBuilder;
use toolpass_integration::failure::Failure;
use toolpass_integration::fields::{Lookup, LookupAnswer};

use super::{given, not_found};
use crate::resource::Login;

/// A service that answers `GET <address>?email=…` with a JSON string.
pub(super) struct Service(Client);

impl Service {
    pub(super) fn new(client: Client, token: Option<SecretRef>) -> Service {
        Service(match token {
            Some(token) => client.with_auth(Arc::new(Bearer::from_ref(token))),
            None => client,
        })
    }

    pub(super) async fn find(&self, ctx: &Context, email: &str) -> Result<Login, Failure> {
        let failed = |why: &str| Failure::unsupported(format!("the identity service {why}"));
        let request = self
            .0
            .get(PathBuilder::new())
            .query("email", email)
            .accept_4xx();
        let response = request
            .send(ctx)
            .await
            .map_err(|_| failed("could not be asked"))?;
        match response.status {
            200 => {}
            404 | 422 => {
                return Err(not_found(
                    "the identity service knows nobody with this e-mail",
                ));
            }
            status => return Err(failed(&format!("answered with status {status}"))),
        }
        let answer = response
            .json()
            .map_err(|_| failed("answered with something that is not JSON"))?;
        given(
            answer
                .as_str()
                .ok_or_else(|| failed("answered with JSON that is no string"))?,
            "the identity service",
        )
    }
}

/// Ask the application, as long as the check has time.
pub(super) async fn callable(
    ctx: &Context,
    lookup: &dyn Lookup,
    email: &str,
) -> Result<Login, Failure> {
    match ctx.within(lookup.lookup(email)).await {
        Some(LookupAnswer::Text(text)) => given(&text, "`identity`"),
        Some(LookupAnswer::Nothing) => Err(not_found("`identity` knows nobody with this e-mail")),
        Some(LookupAnswer::Failed) => Err(Failure::unsupported(
            "`identity` raised, or answered with neither a text nor nothing",
        )),
        None => Err(Failure::new(
            Code::UpstreamTimeout,
            "the check's time was spent while `identity` ran",
        )),
    }
}
