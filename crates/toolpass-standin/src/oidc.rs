//! A provider of ID tokens: its description, its keys, and tokens, good ones and those made to be believed.
//!
//! Tokens are made by the command `token`, whose arguments are `issuer`, `claims` (merged over good ones; `null` takes one away) and
//! `kind`, one of [`Kind`]. Its world can be patched: see [`OidcWorld`]. Sources: OpenID Connect Discovery 1.0 §3, §4; RFC 7515; RFC 7517.

use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{PrivatePkcs1KeyDer, PrivatePkcs8KeyDer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::control::merge;
use crate::error::Error;
use crate::github::world::{APP_KEY, STRANGER_KEY};
use crate::message::{Received, Reply};
use crate::server::{Running, System, Transport, start};

/// What the provider says and signs with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OidcWorld {
    /// The `kid` it signs with and publishes.
    pub key_id: String,
    /// `issuer` of its description and `iss` of its tokens; where it is asked when absent.
    pub issuer: Option<String>,
    /// `jwks_uri` of its description; its own when absent.
    pub jwks_uri: Option<String>,
    /// The whole set of keys; the one it signs with when absent.
    pub jwks: Option<Value>,
    /// How many bytes of padding its set of keys has besides.
    pub jwks_padding: usize,
    /// Whether the key of a stranger, who signs other tokens, took the place of its own.
    pub rotated: bool,
}

/// What kind of token the command `token` makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// As the provider makes them.
    Good,
    /// `alg: none`, without a signature.
    None,
    /// `alg: HS256`, its secret the provider's public key.
    HmacOfPublicKey,
    /// Signed by somebody else under the provider's `kid`.
    Stranger,
    /// With the stranger's own key in its header.
    OwnKeyInHeader,
    /// With a `kid` that is a path.
    PathKeyId,
    /// Without a `kid`.
    NoKeyId,
    /// With an extension that must be understood.
    Critical,
    /// The claims of one token under the signature of another.
    Spliced,
}

/// The stand-in of a provider.
pub struct OidcStandin {
    first: OidcWorld,
    world: Mutex<OidcWorld>,
    own: RsaKeyPair,
    stranger: RsaKeyPair,
}

impl Default for OidcWorld {
    fn default() -> OidcWorld {
        OidcWorld {
            key_id: "first".into(),
            issuer: None,
            jwks_uri: None,
            jwks: None,
            jwks_padding: 0,
            rotated: false,
        }
    }
}

impl OidcStandin {
    /// Serve on a free port of 127.0.0.1. Errors: `World` for keys that are none; see [`start`].
    pub fn start(world: OidcWorld, transport: &Transport) -> Result<Running, Error> {
        let system = OidcStandin {
            first: world.clone(),
            world: Mutex::new(world),
            own: key(APP_KEY)?,
            stranger: key(STRANGER_KEY)?,
        };
        start(Box::new(system), transport, "")
    }

    fn lock(&self) -> MutexGuard<'_, OidcWorld> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key it signs with now.
    fn signer(&self, world: &OidcWorld) -> &RsaKeyPair {
        if world.rotated {
            &self.stranger
        } else {
            &self.own
        }
    }

    fn keys(&self, world: &OidcWorld) -> Value {
        let own = jwk(self.signer(world), &world.key_id);
        let mut keys = world.jwks.clone().unwrap_or_else(|| json!({"keys": [own]}));
        if let Value::Object(members) = &mut keys
            && world.jwks_padding > 0
        {
            members.insert("padding".into(), json!("x".repeat(world.jwks_padding)));
        }
        keys
    }

    /// Make a token. Errors: `World`.
    fn token(&self, arguments: &Value) -> Result<Value, Error> {
        let wrong = |error: serde_json::Error| Error::World(error.to_string());
        let kind = arguments.get("kind").cloned().unwrap_or(json!("good"));
        let kind: Kind = serde_json::from_value(kind).map_err(wrong)?;
        let world = self.lock().clone();
        let issuer = arguments.get("issuer").and_then(Value::as_str);
        let issuer = issuer.or(world.issuer.as_deref()).ok_or_else(|| {
            Error::World("expected `issuer`, the address tokens are issued under".to_owned())
        })?;
        let now = Timestamp::now().as_second();
        let mut claims = json!({
            "iss": issuer,
            "aud": "toolpass",
            "sub": "248289761001",
            "iat": now,
            "exp": now + 600,
            "email": "dana@example.com",
            "groups": ["platform"],
        });
        let good = claims.clone();
        if let Some(change) = arguments.get("claims") {
            merge(&mut claims, change);
        }
        let mut header = Map::from_iter([
            ("alg".to_owned(), json!("RS256")),
            ("kid".to_owned(), json!(world.key_id)),
            ("typ".to_owned(), json!("JWT")),
        ]);
        let signer = self.signer(&world);
        let token = match kind {
            Kind::Good => signed(&header, &claims, signer)?,
            Kind::None => {
                header.insert("alg".into(), json!("none"));
                format!("{}.", input(&header, &claims))
            }
            Kind::HmacOfPublicKey => {
                header.insert("alg".into(), json!("HS256"));
                let input = input(&header, &claims);
                let secret = jwk(signer, &world.key_id).to_string();
                let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
                let tag = ring::hmac::sign(&secret, input.as_bytes());
                format!("{input}.{}", URL_SAFE_NO_PAD.encode(tag))
            }
            Kind::Stranger => signed(&header, &claims, &self.stranger)?,
            Kind::OwnKeyInHeader => {
                header.insert("jwk".into(), jwk(&self.stranger, &world.key_id));
                signed(&header, &claims, &self.stranger)?
            }
            Kind::PathKeyId => {
                header.insert("kid".into(), json!("../../../../dev/null"));
                signed(&header, &claims, signer)?
            }
            Kind::NoKeyId => {
                header.remove("kid");
                signed(&header, &claims, signer)?
            }
            Kind::Critical => {
                header.insert("crit".into(), json!(["exp"]));
                signed(&header, &claims, signer)?
            }
            Kind::Spliced => {
                let good = signed(&header, &good, signer)?;
                let signature = good.rsplit('.').next().unwrap_or_default();
                format!("{}.{signature}", input(&header, &claims))
            }
        };
        Ok(json!(token))
    }
}

impl System for OidcStandin {
    fn local_path<'a>(&self, path: &'a str) -> &'a str {
        path
    }

    fn answer(&self, request: &Received) -> Reply {
        let world = self.lock();
        let own = |path: &str| format!("{}{path}", request.origin);
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/.well-known/openid-configuration") => {
                let issuer = world.issuer.clone().unwrap_or_else(|| own(""));
                let keys = world.jwks_uri.clone().unwrap_or_else(|| own("/keys"));
                let algorithms = ["RS256"];
                Reply::json(
                    200,
                    &json!({
                        "issuer": issuer,
                        "authorization_endpoint": own("/authorize"),
                        "jwks_uri": keys,
                        "response_types_supported": ["id_token"],
                        "subject_types_supported": ["public"],
                        "id_token_signing_alg_values_supported": algorithms,
                    }),
                )
            }
            ("GET", "/keys") => Reply::json(200, &self.keys(&world)),
            _ => Reply::json(404, &json!({"error": "not_found"})),
        }
    }

    fn state(&self) -> Value {
        serde_json::to_value(&*self.lock()).unwrap_or_default()
    }

    fn patch(&self, patch: &Value) -> Result<(), Error> {
        let mut state = self.state();
        merge(&mut state, patch);
        *self.lock() =
            serde_json::from_value(state).map_err(|error| Error::World(error.to_string()))?;
        Ok(())
    }

    fn reset(&self) {
        *self.lock() = self.first.clone();
    }

    fn command(&self, name: &str, arguments: &Value) -> Option<Result<Value, Error>> {
        (name == "token").then(|| self.token(arguments))
    }
}

fn key(pem: &str) -> Result<RsaKeyPair, Error> {
    let wrong = || Error::World("expected an RSA private key in PEM".to_owned());
    if let Ok(der) = PrivatePkcs1KeyDer::from_pem_slice(pem.as_bytes()) {
        return RsaKeyPair::from_der(der.secret_pkcs1_der()).map_err(|_| wrong());
    }
    let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| wrong())?;
    RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).map_err(|_| wrong())
}

fn jwk(key: &RsaKeyPair, id: &str) -> Value {
    let public = PublicKeyComponents::<Vec<u8>>::from(key.public());
    json!({
        "kty": "RSA",
        "use": "sig",
        "alg": "RS256",
        "kid": id,
        "n": URL_SAFE_NO_PAD.encode(public.n),
        "e": URL_SAFE_NO_PAD.encode(public.e),
    })
}

fn input(header: &Map<String, Value>, claims: &Value) -> String {
    let header = Value::Object(header.clone()).to_string();
    format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header),
        URL_SAFE_NO_PAD.encode(claims.to_string())
    )
}

/// Errors: `Random` when the key cannot sign.
fn signed(header: &Map<String, Value>, claims: &Value, key: &RsaKeyPair) -> Result<String, Error> {
    let input = input(header, claims);
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(
        &RSA_PKCS1_SHA256,
        &SystemRandom::new(),
        input.as_bytes(),
        &mut signature,
    )
    .map_err(|_| Error::Random)?;
    Ok(format!("{input}.{}", URL_SAFE_NO_PAD.encode(signature)))
}
