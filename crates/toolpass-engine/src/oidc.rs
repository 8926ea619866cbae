//! Groups from the user's own ID token: verified with the provider's published keys.
//!
//! Used for a connection with `oidc_issuer`, when the caller sent no groups. The order: the token's form, its claims, the keys, the
//! signature, the groups; so a wrong token costs no request.
//!
//! Keys are kept for an hour and, while the provider cannot be reached, for a day. A token with an unknown `kid` has them read again, at
//! most once a minute, whoever asks. They say nothing about a user, so a `fresh` question reads none and no decision is dated by them.
//!
//! INVARIANT: whatever goes wrong here is `invalid_request`, `unsupported` or the failure of the provider: never a deny and never groups.

mod claims;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use toolpass_core::clock::Monotonic;
use toolpass_core::codes::Code;
use toolpass_core::question::Freshness;
use toolpass_core::user::Token as UserToken;
use toolpass_core::user::{Groups, User};
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::json::Json;
use toolpass_http::jws::{BadToken, KeySet, NoKey, Token, Unverified};
use toolpass_http::transport::Transport;
use toolpass_http::url::{InvalidUrl, Scheme, Url};
use toolpass_integration::cache::{CacheOptions, Fill, FillCache};
use toolpass_integration::failure::Failure;
use toolpass_integration::oidc::Oidc;

/// A provider of ID tokens.
pub struct Issuer {
    wanted: Oidc,
    address: Url,
    client: Client,
    keys: FillCache<(), Arc<KeySet>>,
    /// When reading the keys was last begun because a kept set would not do.
    tried: Mutex<Option<Monotonic>>,
}

impl Issuer {
    /// A provider reached over this transport. Makes no call.
    /// Errors: the issuer is no address.
    pub fn new(wanted: Oidc, transport: Transport) -> Result<Issuer, InvalidUrl> {
        let address = Url::parse(&wanted.issuer)?;
        Ok(Issuer {
            client: Client::new(transport, address.clone()),
            wanted,
            address,
            keys: FillCache::new(CacheOptions::named("oidc keys").capacity(1)),
            tried: Mutex::new(None),
        })
    }

    /// The groups the user's token lists.
    /// Errors: `invalid_request` for a token that is missing or not to be believed, `unsupported` for one that cannot be used,
    /// and what asking the provider failed with.
    pub(crate) async fn groups(
        &self,
        ctx: &Context,
        user: &User,
        token: Option<&UserToken>,
    ) -> Result<Groups, Failure> {
        let token = token.ok_or_else(|| {
            refused("the user's ID token is missing; this connection takes groups from it (`oidc_issuer`)")
        })?;
        let token = Token::parse(token.expose()).map_err(bad)?;
        claims::check(
            token.claims(),
            token.media_type(),
            &self.wanted,
            user,
            ctx.wall(),
        )?;
        let (keys, read) = self.keys(ctx, KEYS_LIFE).await?;
        let verified = match token.verify(&keys) {
            Err(Unverified::Key(NoKey::Absent)) => match self.later_keys(ctx, read).await {
                Some(keys) => {
                    let keys = keys?;
                    token.verify(&keys)
                }
                None => Err(NoKey::Absent.into()),
            },
            other => other,
        };
        match verified {
            Ok(()) => claims::groups(token.claims(), &self.wanted.groups_claim),
            Err(Unverified::Token(why)) => Err(bad(why)),
            Err(Unverified::Key(NoKey::Absent)) => {
                Err(refused(format!("the user's ID token: {}", NoKey::Absent)))
            }
            Err(Unverified::Key(why @ (NoKey::Malformed | NoKey::Unreadable))) => {
                Err(provider(why))
            }
        }
    }

    /// One line for a probe, and a warning when no token could be verified.
    /// Errors: what asking the provider failed with.
    pub(crate) async fn probe(&self, ctx: &Context) -> Result<(String, Option<String>), Failure> {
        let (keys, _) = self.keys(ctx, Duration::ZERO).await?;
        let line = format!("{} publishes {} keys", self.wanted.issuer, keys.len());
        let warning = keys.is_empty().then(|| {
            format!(
                "{} publishes no key that can verify a token, so nobody has groups",
                self.wanted.issuer
            )
        });
        Ok((line, warning))
    }

    /// The keys, at most `age` old; older ones, up to a day, only while the provider does not answer. And when they were read.
    async fn keys(
        &self,
        ctx: &Context,
        age: Duration,
    ) -> Result<(Arc<KeySet>, Monotonic), Failure> {
        let kept = self.keys.peek(&(), Freshness::default(), ctx.now());
        if let Some(kept) = &kept
            && (ctx.now().since(kept.read()) < age || (!age.is_zero() && self.tried_lately(ctx)))
        {
            return Ok((Arc::clone(kept.value()), kept.read()));
        }
        match (self.read(ctx, age).await, kept) {
            (Ok(found), _) => Ok(found),
            (Err(_), Some(kept)) if !age.is_zero() => {
                tracing::warn!("keys of an identity provider cannot be read anew");
                Ok((Arc::clone(kept.value()), kept.read()))
            }
            (Err(failure), _) => Err(failure),
        }
    }

    /// Keys read after those of `read`; `None` when it is too early to read again.
    async fn later_keys(
        &self,
        ctx: &Context,
        read: Monotonic,
    ) -> Option<Result<Arc<KeySet>, Failure>> {
        let now = ctx.now();
        let in_the_air = self.keys.in_flight() > 0;
        if !in_the_air && (now.since(read) < AGAIN_AFTER || self.tried_lately(ctx)) {
            // Somebody else may have read them since.
            let kept = self.keys.peek(&(), Freshness::default(), now)?;
            return (kept.read() > read).then(|| Ok(Arc::clone(kept.value())));
        }
        let newer = now.since(read).saturating_sub(Duration::from_nanos(1));
        Some(self.read(ctx, newer).await.map(|(keys, _)| keys))
    }

    fn tried_lately(&self, ctx: &Context) -> bool {
        let tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.is_some_and(|tried| ctx.now().since(tried) < AGAIN_AFTER)
    }

    /// Read the keys, or join who does, so that they are at most `age` old.
    async fn read(
        &self,
        ctx: &Context,
        age: Duration,
    ) -> Result<(Arc<KeySet>, Monotonic), Failure> {
        if self.keys.in_flight() == 0 {
            let now = Some(ctx.now());
            *self.tried.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
        let freshness = Freshness {
            fresh: false,
            max_age: Some(age),
        };
        // Of this moment, and of no check: nobody's decision is as old as the keys.
        let now = Context::new(Arc::clone(ctx.clock()), ctx.remaining(), freshness);
        let now = now.without_evidence();
        let fill = fetch(self.client.clone(), self.address.clone());
        let got = self.keys.fetch(&now, &(), |ctx| async move {
            fill(ctx)
                .await
                .map(|keys| Fill::Store(Arc::new(keys), KEPT_WHILE_DOWN))
        });
        got.await.map(|got| (got.value, got.read))
    }
}

impl fmt::Debug for Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Issuer")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// Reads the provider's description and its keys.
fn fetch(
    client: Client,
    issuer: Url,
) -> impl FnOnce(Context) -> BoxFuture<'static, Result<KeySet, Failure>> {
    move |ctx| {
        async move {
            let described = client
                .get([".well-known", "openid-configuration"])
                .send(&ctx)
                .await?;
            if described.body.len() > MAX_DOCUMENT_BYTES {
                return Err(too_large("openid-configuration"));
            }
            let described = described.json()?;
            let described = Json::new(&described);
            let named = described.required("issuer")?.string()?;
            let same = Url::parse(named.trim_end_matches('/')).is_ok_and(|named| named == issuer);
            if !same {
                return Err(provider("it describes another issuer than `oidc_issuer`"));
            }
            let keys = Url::parse(described.required("jwks_uri")?.string()?);
            // Plain HTTP only where the operator named it for the issuer itself, which is on this machine then.
            let keys = keys
                .ok()
                .filter(|keys| keys.scheme() == Scheme::Https || keys.same_origin(&issuer))
                .ok_or_else(|| provider("expected its `jwks_uri` to be an `https://` address"))?;
            let document = client.learned(keys).send(&ctx).await?;
            if document.body.len() > MAX_DOCUMENT_BYTES {
                return Err(too_large("key set"));
            }
            KeySet::read(&document.json()?).map_err(provider)
        }
        .boxed()
    }
}

fn refused(text: impl AsRef<str>) -> Failure {
    Failure::new(Code::InvalidRequest, text)
}

fn bad(why: BadToken) -> Failure {
    let text = format!("the user's ID token: {why}");
    match why {
        BadToken::Unsupported => Failure::unsupported(text),
        BadToken::Algorithm
        | BadToken::Critical
        | BadToken::Form
        | BadToken::KeyId
        | BadToken::Signature => refused(text),
    }
}

fn provider(why: impl fmt::Display) -> Failure {
    Failure::new(Code::UpstreamError, format!("the identity provider: {why}"))
}

fn too_large(what: &str) -> Failure {
    provider(format!("its {what} is larger than 512 KiB"))
}

/// How long keys are taken without a look at the provider.
const KEYS_LIFE: Duration = Duration::from_secs(3600);
/// How long they are taken while the provider does not answer.
const KEPT_WHILE_DOWN: Duration = Duration::from_secs(24 * 3600);
/// How long after reading them an unknown `kid` does not have them read again.
const AGAIN_AFTER: Duration = Duration::from_secs(60);
const MAX_DOCUMENT_BYTES: usize = 512 * 1024;
