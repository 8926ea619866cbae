//! Groups from ID tokens, of a provider on loopback that also makes tokens to be refused.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, join_all};
use serde_json::{Value, json};
use toolpass_core::clock::{Clock, Monotonic, Wall};
use toolpass_core::codes::{Code, Outcome};
use toolpass_core::decision::Decision;
use toolpass_core::question::{Freshness, Question};
use toolpass_core::user::Token;
use toolpass_engine::engine::Engine;
use toolpass_engine::oidc::Issuer;
use toolpass_engine::options::{CallerGroups, Connected, EngineOptions};
use toolpass_http::budget::Context;
use toolpass_http::clock::SystemClock;
use toolpass_http::transport::{Transport as Way, TransportSettings};
use toolpass_integration::actions::ActionSpec;
use toolpass_integration::connection::{Connection, Identity, Person, Probe, Request};
use toolpass_integration::failure::Failure;
use toolpass_integration::fields::{Key, Settings};
use toolpass_integration::integration::Integration;
use toolpass_integration::oidc::Oidc;
use toolpass_integration::parts::{ConnectError, Parts};
use toolpass_integration::wire::endpoint::Endpoint;
use toolpass_standin::faults::{Fault, FaultRule};
use toolpass_standin::oidc::{OidcStandin, OidcWorld};
use toolpass_standin::server::{Running, Transport};
use toolpass_standin::tls::Authority;

toolpass_integration::actions! {
    GroupUse  "group.use"  group  write  "use";
}

/// A system that grants by group: whoever is in the group named may use it.
struct ByGroup;

impl Integration for ByGroup {
    fn name(&self) -> &'static str {
        "bygroup"
    }

    fn keys(&self) -> &'static [Key] {
        &[]
    }

    fn actions(&self) -> &'static [ActionSpec] {
        TABLE
    }

    fn endpoints(&self, _: &Settings) -> Result<Vec<Endpoint>, ConnectError> {
        Ok(Vec::new())
    }

    fn connect(&self, _: Settings, _: Parts) -> Result<Arc<dyn Connection>, ConnectError> {
        Ok(Arc::new(Grants))
    }
}

struct Grants;

impl Connection for Grants {
    fn identify<'a>(
        &'a self,
        _: &'a Context,
        person: &'a Person,
    ) -> BoxFuture<'a, Result<Identity, Failure>> {
        let id = person.user.canonical();
        async {
            Ok(Identity {
                id,
                ..Identity::default()
            })
        }
        .boxed()
    }

    fn check<'a>(
        &'a self,
        _: &'a Context,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Decision, Failure>> {
        async {
            let wanted = request.resource.id();
            let is_in = request
                .person
                .groups
                .as_slice()
                .iter()
                .any(|group| group == wanted);
            Ok(if is_in {
                Decision::allow("is in the group")
            } else {
                Decision::deny("is not in the group")
            })
        }
        .boxed()
    }

    fn probe<'a>(&'a self, _: &'a Context) -> BoxFuture<'a, Result<Probe, Failure>> {
        async {
            Ok(Probe {
                summary: "works".into(),
                warnings: Vec::new(),
            })
        }
        .boxed()
    }
}

/// The system's clock, ahead by as much as a test wants.
#[derive(Default)]
struct Ahead(Mutex<Duration>);

impl Ahead {
    fn pass(&self, seconds: u64) {
        *self.0.lock().unwrap() += Duration::from_secs(seconds);
    }

    fn by(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}

impl Clock for Ahead {
    fn monotonic(&self) -> Monotonic {
        SystemClock.monotonic().plus(self.by())
    }

    fn wall(&self) -> Wall {
        Wall(SystemClock.wall().0 + self.by())
    }
}

struct World {
    provider: Running,
    engine: Engine,
    clock: Arc<Ahead>,
}

impl World {
    fn new(world: OidcWorld) -> World {
        World::with(world, |_| {})
    }

    fn with(world: OidcWorld, change: impl FnOnce(&mut Connected)) -> World {
        let transport = Transport::Tls {
            authority: Authority::new().unwrap(),
            extra_names: Vec::new(),
        };
        let provider = OidcStandin::start(world, &transport).unwrap();
        let way = TransportSettings {
            ca_pem: provider.ca_pem.clone().map(String::into_bytes),
            own_host: Some("localhost".into()),
            ..TransportSettings::default()
        };
        let oidc = Oidc {
            issuer: provider.url.clone(),
            audience: "toolpass".into(),
            groups_claim: "groups".into(),
            email_claim: "email".into(),
            ca_file: None,
        };
        let issuer = Issuer::new(oidc, Way::new(way).unwrap()).unwrap();
        let clock = Arc::new(Ahead::default());
        let mut connected = Connected {
            issuer: Some(Arc::new(issuer)),
            ..Connected::new("sys", &ByGroup, Arc::new(Grants))
        };
        change(&mut connected);
        let options = EngineOptions::new(clock.clone());
        World {
            provider,
            engine: Engine::new(options, vec![connected]).unwrap(),
            clock,
        }
    }

    fn token(&self, arguments: Value) -> Option<Token> {
        let mut all = json!({"issuer": self.provider.url});
        for (name, value) in arguments.as_object().unwrap() {
            all[name] = value.clone();
        }
        let token = self.provider.command("token", &all).unwrap();
        Token::parse(token.as_str().unwrap()).unwrap()
    }

    /// May dana, with this token, use what the group `platform` may?
    async fn ask(&self, token: Option<Token>) -> Decision {
        let question = Question {
            token,
            ..question()
        };
        self.engine.check(&question).await
    }

    /// How often the keys were read.
    fn reads(&self) -> usize {
        self.provider.count("GET", "/keys")
    }
}

fn question() -> Question {
    Question {
        user: "dana@example.com".into(),
        connection: "sys".into(),
        action: "group.use".into(),
        resource: "group:platform".into(),
        ..Question::default()
    }
}

#[tokio::test]
async fn the_groups_of_a_good_token_count() {
    let world = World::new(OidcWorld::default());
    let decision = world.ask(world.token(json!({}))).await;
    assert_eq!(
        (decision.code(), decision.identity.as_str()),
        (Code::Allowed, "dana@example.com")
    );
    let other = world.token(json!({"claims": {"groups": ["sales"]}}));
    assert_eq!(world.ask(other).await.code(), Code::Denied);
    let none = world.token(json!({"claims": {"groups": null}}));
    assert_eq!(world.ask(none).await.code(), Code::Denied);
    assert_eq!(world.reads(), 1, "keys are kept");
    let no_key_id = world.token(json!({"kind": "no_key_id"}));
    assert_eq!(world.ask(no_key_id).await.code(), Code::Allowed);
}

#[tokio::test]
async fn no_hostile_token_gives_groups_and_none_costs_more_than_a_look_at_the_keys() {
    let world = World::new(OidcWorld::default());
    let now = SystemClock.wall().0.as_secs();
    let claims = |claims: Value| json!({ "claims": claims });
    let kind = |kind: &str| json!({ "kind": kind });
    // Whether the provider may be asked about it at all.
    let rows = [
        (kind("none"), Code::InvalidRequest, false),
        (kind("hmac_of_public_key"), Code::InvalidRequest, false),
        (kind("critical"), Code::InvalidRequest, false),
        (claims(json!({"aud": "other"})), Code::InvalidRequest, false),
        (
            claims(json!({"aud": ["toolpass", "other"], "azp": "other"})),
            Code::InvalidRequest,
            false,
        ),
        (
            claims(json!({"iss": "https://evil.example"})),
            Code::InvalidRequest,
            false,
        ),
        (
            claims(json!({"exp": now - 120})),
            Code::InvalidRequest,
            false,
        ),
        (claims(json!({"exp": null})), Code::InvalidRequest, false),
        (
            claims(json!({"nbf": now + 3600})),
            Code::InvalidRequest,
            false,
        ),
        (
            claims(json!({"email": "admin@example.com"})),
            Code::InvalidRequest,
            false,
        ),
        (
            claims(json!({"email_verified": false})),
            Code::InvalidRequest,
            false,
        ),
        (kind("path_key_id"), Code::InvalidRequest, true),
        (kind("stranger"), Code::InvalidRequest, true),
        (kind("own_key_in_header"), Code::InvalidRequest, true),
        (
            json!({"kind": "spliced", "claims": {"groups": ["platform", "admins"]}}),
            Code::InvalidRequest,
            true,
        ),
        (claims(json!({"hasgroups": true})), Code::Unsupported, true),
        (
            claims(json!({"_claim_names": {"groups": "src1"}})),
            Code::Unsupported,
            true,
        ),
        (
            claims(json!({"groups": "platform"})),
            Code::Unsupported,
            true,
        ),
    ];
    for (arguments, code, asks) in rows {
        let token = world.token(arguments.clone());
        let secret = String::from_utf8(token.as_ref().unwrap().expose().to_vec()).unwrap();
        let decision = world.ask(token).await;
        assert_eq!(
            (decision.code(), decision.status),
            (code, 200),
            "{arguments}"
        );
        let part = secret.split('.').nth(1).unwrap();
        assert!(!format!("{decision:?}").contains(part), "{decision:?}");
        if !asks {
            assert_eq!(world.reads(), 0, "{arguments}");
        }
    }
    assert_eq!(world.reads(), 1);
    for text in ["x", "a.b.c", "a.b.c.d.e"] {
        let token = Token::parse(text).unwrap();
        assert_eq!(world.ask(token).await.code(), Code::InvalidRequest);
    }
}

#[tokio::test]
async fn a_token_is_needed_unless_groups_are_sent_and_count() {
    let sent = || Question {
        groups: vec!["platform".into()],
        ..question()
    };
    for (policy, code) in [
        (CallerGroups::Accept, Code::Allowed),
        (CallerGroups::Ignore, Code::InvalidRequest),
        (CallerGroups::Refuse, Code::InvalidRequest),
    ] {
        let world = World::with(OidcWorld::default(), |sys| sys.caller_groups = policy);
        let without = world.ask(None).await;
        assert_eq!(without.code(), Code::InvalidRequest);
        assert!(
            without.text().contains("`oidc_issuer`"),
            "{}",
            without.text()
        );
        assert_eq!(world.engine.check(&sent()).await.code(), code, "{policy:?}");
        assert_eq!(world.reads(), 0);
    }
}

#[tokio::test]
async fn a_new_key_is_found_and_an_unknown_one_asked_for_once_a_minute() {
    let world = World::new(OidcWorld::default());
    assert_eq!(
        world.ask(world.token(json!({}))).await.code(),
        Code::Allowed
    );
    world
        .provider
        .patch(&json!({"key_id": "second", "rotated": true}))
        .unwrap();
    let rotated = || world.token(json!({"claims": {"exp": SystemClock.wall().0.as_secs() + 9000}}));
    // Too early: the keys were read a moment ago.
    assert_eq!(world.ask(rotated()).await.code(), Code::InvalidRequest);
    assert_eq!(world.reads(), 1);
    world.clock.pass(61);
    let asked = (0..20).map(|n| {
        let question = Question {
            token: rotated(),
            resource: format!("group:{n}"),
            ..question()
        };
        let engine = &world.engine;
        async move { engine.check(&question).await }
    });
    let decisions: Vec<Decision> = join_all(asked).await;
    assert!(
        decisions
            .iter()
            .all(|decision| decision.code() == Code::Denied),
        "{decisions:?}"
    );
    assert_eq!(world.reads(), 2, "one reader for all");
    // A flood of tokens with made-up keys does not become a flood at the provider.
    for _ in 0..10 {
        let made_up = world.token(json!({"kind": "path_key_id"}));
        assert_eq!(world.ask(made_up).await.code(), Code::InvalidRequest);
    }
    assert_eq!(world.reads(), 2);
}

#[tokio::test]
async fn kept_keys_outlive_an_outage_of_the_provider_for_a_day() {
    let world = World::new(OidcWorld::default());
    let long = || json!({"claims": {"exp": SystemClock.wall().0.as_secs() + 300_000}});
    assert_eq!(world.ask(world.token(long())).await.code(), Code::Allowed);
    let fresh = |n: u32| Question {
        token: world.token(long()),
        resource: format!("group:{n}"),
        freshness: Freshness {
            fresh: true,
            max_age: None,
        },
        ..question()
    };
    world.engine.check(&fresh(0)).await;
    assert_eq!(world.reads(), 1, "a fresh check reads no keys");
    world.provider.fault(FaultRule::on(
        "/",
        Fault::Status {
            status: 500,
            headers: std::collections::BTreeMap::new(),
            body: None,
        },
    ));
    world.clock.pass(3601);
    assert_eq!(world.engine.check(&fresh(1)).await.code(), Code::Denied);
    let failing = world.provider.requests().len();
    assert_eq!(world.engine.check(&fresh(2)).await.code(), Code::Denied);
    assert_eq!(
        world.provider.requests().len(),
        failing,
        "it is not asked at every check"
    );
    world.clock.pass(24 * 3600);
    assert_eq!(
        world.engine.check(&fresh(3)).await.code(),
        Code::UpstreamError
    );
    world.provider.clear_faults();
    assert_eq!(world.engine.check(&fresh(4)).await.code(), Code::Denied);
}

#[tokio::test]
async fn what_a_provider_may_not_say() {
    let rows = [
        (
            OidcWorld {
                issuer: Some("https://evil.example".into()),
                ..OidcWorld::default()
            },
            "another issuer",
        ),
        (
            OidcWorld {
                jwks_uri: Some("http://localhost:1/keys".into()),
                ..OidcWorld::default()
            },
            "jwks_uri",
        ),
        (
            OidcWorld {
                jwks_uri: Some("file:///etc/passwd".into()),
                ..OidcWorld::default()
            },
            "jwks_uri",
        ),
        (
            OidcWorld {
                jwks: Some(json!({"keys": "none"})),
                ..OidcWorld::default()
            },
            "`keys`",
        ),
        (
            OidcWorld {
                jwks: Some(json!([])),
                ..OidcWorld::default()
            },
            "`keys`",
        ),
        (
            OidcWorld {
                jwks_padding: 600 * 1024,
                ..OidcWorld::default()
            },
            "larger than 512 KiB",
        ),
        (
            OidcWorld {
                jwks_padding: 12 << 20,
                ..OidcWorld::default()
            },
            "10 MiB",
        ),
    ];
    for (provider, says) in rows {
        let world = World::new(provider);
        let token = world.token(json!({"issuer": world.provider.url}));
        let decision = world.ask(token).await;
        assert_eq!(
            decision.code(),
            Code::UpstreamError,
            "{says}: {}",
            decision.text()
        );
        assert!(
            decision.text().contains(says),
            "{says}: {}",
            decision.text()
        );
    }
}

#[tokio::test]
async fn a_redirect_of_a_provider_is_not_followed_and_every_fault_is_no_answer() {
    let status = |status| Fault::Status {
        status,
        headers: std::collections::BTreeMap::new(),
        body: None,
    };
    for path in ["/.well-known", "/keys"] {
        let faults = [
            Fault::Redirect {
                status: 302,
                location: "https://evil.example/".into(),
            },
            Fault::MalformedJson,
            Fault::Close,
            Fault::Endless,
            Fault::Truncated,
            status(404),
            status(500),
        ];
        for fault in faults {
            let world = World::new(OidcWorld::default());
            world.provider.fault(FaultRule::on(path, fault.clone()));
            let decision = world.ask(world.token(json!({}))).await;
            assert_eq!(decision.outcome(), Outcome::Unknown, "{path} {fault:?}");
        }
        let world = World::with(OidcWorld::default(), |sys| {
            sys.timeout = Duration::from_millis(300)
        });
        world.provider.fault(FaultRule::on(path, Fault::Hang));
        let decision = world.ask(world.token(json!({}))).await;
        assert_eq!(decision.code(), Code::UpstreamTimeout, "{path}");
    }
}

#[tokio::test]
async fn a_probe_names_the_provider_and_its_keys() {
    let world = World::new(OidcWorld::default());
    let text = world.engine.probe(None).await[0].text();
    assert_eq!(
        text,
        format!("works; {} publishes 1 keys", world.provider.url)
    );
    let world = World::new(OidcWorld {
        jwks: Some(json!({"keys": []})),
        ..OidcWorld::default()
    });
    let report = &world.engine.probe(None).await[0];
    assert_eq!(report.result.as_ref().unwrap().warnings.len(), 1);
    world
        .provider
        .fault(FaultRule::on("/keys", Fault::MalformedJson));
    assert!(!world.engine.probe(None).await[0].ok());
}
