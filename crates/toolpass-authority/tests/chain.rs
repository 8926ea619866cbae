//! Chains as they are made, and every way to tamper with one.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use ring::signature::Ed25519KeyPair;
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject as _;
use serde_json::{Map, Value, json};
use toolpass_authority::claims::{Agent, Taint};
use toolpass_authority::invalid::{Invalid, Rule};
use toolpass_authority::key::{PublicKey, SigningKey};
use toolpass_authority::proof::{Carried, Possession, Seen, prove};
use toolpass_authority::receipt::Receipt;
use toolpass_authority::revoked::Revoked;
use toolpass_authority::roots::{InvalidRoots, Root, Roots};
use toolpass_authority::seal::{self, Beginning, Hop, Sealed, Unsealed};
use toolpass_authority::verify::{Verified, Verifier, inspect, verify};

/// What an attacker does to claims.
type Change<'a> = &'a dyn Fn(&mut Value);

const NOW: u64 = 1_800_000_000;
const ISSUER: &str = "https://agents.example.com";
const US: &str = "https://billing.example.com";

/// An issuer and three agents, each with a key.
struct World {
    issuer: Key,
    triage: Key,
    billing: Key,
    refunds: Key,
    revoked: Revoked,
}

/// A key, and the same key in the hands of somebody who signs anything with it.
struct Key {
    own: SigningKey,
    raw: Ed25519KeyPair,
}

impl Key {
    fn new() -> Key {
        let (own, pem) = SigningKey::generate().unwrap();
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem.expose()).unwrap();
        let raw = Ed25519KeyPair::from_pkcs8(der.secret_pkcs8_der()).unwrap();
        Key { own, raw }
    }

    fn x(&self) -> String {
        self.own.public().x()
    }
}

impl World {
    fn new() -> World {
        World {
            issuer: Key::new(),
            triage: Key::new(),
            billing: Key::new(),
            refunds: Key::new(),
            revoked: Revoked::default(),
        }
    }

    fn roots(&self) -> Roots {
        Roots::new(vec![Root {
            issuer: ISSUER.into(),
            kid: "2026-11".into(),
            key: self.issuer.own.public(),
        }])
        .unwrap()
    }

    fn root(&self) -> Sealed {
        seal::root(&self.issuer.own, beginning(), hop("triage", &self.triage)).unwrap()
    }

    fn pair(&self) -> Sealed {
        let hop = hop("billing", &self.billing);
        seal::child(&self.root().chain, &self.triage.own, hop).unwrap()
    }

    fn three(&self) -> Sealed {
        let hop = hop("refunds", &self.refunds);
        seal::child(&self.pair().chain, &self.billing.own, hop).unwrap()
    }

    fn verify(&self, chain: &str) -> Result<Verified<Value>, Invalid> {
        self.verify_at(chain, NOW + 10, US)
    }

    fn verify_at(&self, chain: &str, now: u64, audience: &str) -> Result<Verified<Value>, Invalid> {
        let roots = self.roots();
        let verifier = Verifier {
            roots: &roots,
            audience,
            now,
            revoked: &self.revoked,
        };
        verify(chain, &verifier, Possession::Bearer, known)
    }

    fn prove_and_verify(
        &self,
        chain: &str,
        proof: &str,
        request: Carried<'_>,
        seen: &Seen,
    ) -> Result<Verified<Value>, Invalid> {
        let roots = self.roots();
        let verifier = Verifier {
            roots: &roots,
            audience: US,
            now: NOW + 10,
            revoked: &self.revoked,
        };
        let possession = Possession::Proof {
            text: proof,
            request,
            seen,
        };
        verify(chain, &verifier, possession, known)
    }
}

/// The only caveat these verifiers know.
fn known(caveat: &Map<String, Value>) -> Option<Value> {
    caveat
        .keys()
        .all(|key| key == "tools")
        .then(|| Value::Object(caveat.clone()))
}

fn beginning() -> Beginning {
    Beginning {
        issuer: ISSUER.into(),
        kid: "2026-11".into(),
        subject: "dana@example.com".into(),
        session: "s-1".into(),
        groups: Some(vec!["support".into()]),
        depth_left: 10,
    }
}

fn hop(name: &str, holder: &Key) -> Hop {
    Hop {
        audience: vec![US.into(), "https://other.example.com".into()],
        now: NOW,
        lifetime: 300,
        holder: holder.own.public().thumbprint(),
        agent: Agent {
            id: format!("agent-{name}"),
            name: name.into(),
        },
        taint: Taint::default(),
        caveats: vec![object(json!({"tools": [name]}))],
    }
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn broken(hop: usize, rule: Rule) -> Invalid {
    Invalid {
        hop: Some(hop),
        rule,
    }
}

fn whole(rule: Rule) -> Invalid {
    Invalid { hop: None, rule }
}

/// The claims of one hop, changed, and signed again by whoever is given under the name of whoever is given.
fn resigned(text: &str, kid: &str, key: &Key, change: impl Fn(&mut Value)) -> String {
    let mut parts = text.split('.');
    let mut header = part(parts.next().unwrap());
    let mut claims = part(parts.next().unwrap());
    header["kid"] = kid.into();
    change(&mut claims);
    sign(
        &written(&header.to_string()),
        &written(&claims.to_string()),
        key,
    )
}

fn sign(header: &str, claims: &str, key: &Key) -> String {
    let signed = format!("{header}.{claims}");
    let signature = URL_SAFE_NO_PAD.encode(key.raw.sign(signed.as_bytes()));
    format!("{signed}.{signature}")
}

fn part(text: &str) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap()
}

fn written(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

fn parts(chain: &str) -> Vec<&str> {
    chain.split('~').collect()
}

#[test]
fn a_chain_of_three_holds_and_says_who_may_what() {
    let world = World::new();
    let sealed = world.three();
    let verified = world.verify(&sealed.chain).unwrap();
    let agents: Vec<&str> = verified
        .hops
        .iter()
        .map(|hop| hop.agent.name.as_str())
        .collect();
    assert_eq!(agents, ["triage", "billing", "refunds"]);
    let caveats: Vec<&Value> = verified.hops.iter().flat_map(|hop| &hop.caveats).collect();
    assert_eq!(
        caveats,
        [
            &json!({"tools": ["triage"]}),
            &json!({"tools": ["billing"]}),
            &json!({"tools": ["refunds"]})
        ]
    );
    assert_eq!(verified.subject, "dana@example.com");
    assert_eq!(verified.session, "s-1");
    assert_eq!(
        verified.groups.as_deref(),
        Some(&["support".to_owned()][..])
    );
    assert_eq!((verified.depth_left, verified.expires), (8, NOW + 300));
    assert_eq!(verified.hops[2].id, sealed.id);
    assert_eq!(inspect(&sealed.chain).unwrap().len(), 3);
}

#[test]
fn hops_dropped_reordered_or_swapped_are_noticed() {
    let world = World::new();
    let (one, two) = (world.three().chain, world.three().chain);
    let (a, b) = (parts(&one), parts(&two));
    let cases = [
        // The middle one is gone: its child was made for another parent, and by another holder.
        (vec![a[0], a[2]], broken(1, Rule::Holder)),
        (vec![a[1], a[2]], broken(0, Rule::Root)),
        (vec![a[2]], broken(0, Rule::Root)),
        (vec![a[1], a[0], a[2]], broken(0, Rule::Root)),
        (vec![a[0], a[2], a[1]], broken(1, Rule::Holder)),
        // The same keys signed another chain; its hops do not fit into this one.
        (vec![a[0], b[1], b[2]], broken(1, Rule::Parent)),
        (vec![a[0], a[1], b[2]], broken(2, Rule::Parent)),
        (vec![a[0], a[0]], broken(1, Rule::Header)),
        (vec![a[0], a[1], a[1]], broken(2, Rule::Holder)),
    ];
    for (hops, expected) in cases {
        assert_eq!(world.verify(&hops.join("~")).unwrap_err(), expected);
    }
    // What is cut off at the end gives back what its holder had anyway, to the holder.
    assert_eq!(world.verify(&a[..2].join("~")).unwrap().hops.len(), 2);
}

#[test]
fn a_hop_that_widens_is_refused_whoever_signed_it() {
    let world = World::new();
    let chain = world.pair().chain;
    let hops = parts(&chain);
    let child = |change: &dyn Fn(&mut Value)| {
        let text = resigned(hops[1], &world.triage.x(), &world.triage, change);
        world.verify(&format!("{}~{text}", hops[0])).unwrap_err()
    };
    let cases: [(Change<'_>, Rule); 17] = [
        (&|c| c["sub"] = "admin@example.com".into(), Rule::Subject),
        (&|c| c["sub"] = "Dana@example.com".into(), Rule::Subject),
        (&|c| c["sid"] = "s-2".into(), Rule::Subject),
        (
            &|c| c["aud"] = json!([US, "https://evil.example.com"]),
            Rule::Audience,
        ),
        (&|c| c["aud"] = json!([]), Rule::Audience),
        (&|c| c["exp"] = (NOW + 301).into(), Rule::Lifetime),
        (&|c| c["iat"] = (NOW - 1).into(), Rule::Lifetime),
        (&|c| c["exp"] = (NOW - 1).into(), Rule::Lifetime),
        (&|c| c["hop"] = 2.into(), Rule::Depth),
        (&|c| c["hop"] = 0.into(), Rule::Depth),
        (&|c| c["depth_left"] = 10.into(), Rule::Depth),
        (&|c| c["groups"] = json!(["admins"]), Rule::Groups),
        (&|c| c["iss"] = ISSUER.into(), Rule::Holder),
        (&|c| c["prv"] = "AAAA".into(), Rule::Parent),
        (
            &|c| drop(c.as_object_mut().unwrap().remove("prv")),
            Rule::Parent,
        ),
        (&|c| c["admin"] = true.into(), Rule::Claims),
        (
            &|c| c["authorization_details"][0]["tools_except"] = json!([]),
            Rule::Caveat,
        ),
    ];
    for (change, rule) in cases {
        assert_eq!(child(change), broken(1, rule));
    }
}

#[test]
fn a_child_may_not_forget_what_its_parent_saw() {
    let world = World::new();
    let seen = Taint {
        untrusted: true,
        private: true,
    };
    let first = Hop {
        taint: seen,
        ..hop("triage", &world.triage)
    };
    let root = seal::root(&world.issuer.own, beginning(), first).unwrap();
    let clean = hop("billing", &world.billing);
    let child = seal::child(&root.chain, &world.triage.own, clean).unwrap();
    assert_eq!(world.verify(&child.chain).unwrap().taint, seen);
    let hops = parts(&child.chain);
    for flag in ["untrusted", "private"] {
        let text = resigned(hops[1], &world.triage.x(), &world.triage, |claims| {
            claims["taint"][flag] = false.into();
        });
        let refused = world.verify(&format!("{}~{text}", hops[0])).unwrap_err();
        assert_eq!(refused, broken(1, Rule::Taint));
    }
}

#[test]
fn a_root_is_an_issuers_and_short() {
    let world = World::new();
    let text = world.root().chain;
    let root = |kid: &str, key: &Key, change: &dyn Fn(&mut Value)| {
        world
            .verify(&resigned(&text, kid, key, change))
            .unwrap_err()
    };
    let same: &dyn Fn(&mut Value) = &|_| {};
    assert_eq!(root("2026-12", &world.issuer, same), broken(0, Rule::Root));
    assert_eq!(
        root("2026-11", &world.triage, same),
        broken(0, Rule::Signature)
    );
    assert_eq!(
        root(&world.triage.x(), &world.triage, same),
        broken(0, Rule::Root)
    );
    let cases: [(Change<'_>, Rule); 6] = [
        (
            &|c| c["iss"] = "https://evil.example.com".into(),
            Rule::Root,
        ),
        (&|c| c["exp"] = (NOW + 3601).into(), Rule::Lifetime),
        (&|c| c["hop"] = 1.into(), Rule::Depth),
        (&|c| c["depth_left"] = 16.into(), Rule::Depth),
        (&|c| c["prv"] = "AAAA".into(), Rule::Parent),
        (&|c| c["aud"] = json!([]), Rule::Audience),
    ];
    for (change, rule) in cases {
        assert_eq!(root("2026-11", &world.issuer, change), broken(0, rule));
    }
}

#[test]
fn a_header_has_exactly_what_it_has() {
    let world = World::new();
    let text = world.root().chain;
    let claims = text.split('.').nth(1).unwrap();
    let headers = [
        r#"{"alg":"none","typ":"toolpass-authority+jwt","kid":"2026-11"}"#,
        r#"{"alg":"HS256","typ":"toolpass-authority+jwt","kid":"2026-11"}"#,
        r#"{"alg":"EdDSA","typ":"toolpass-proof+jwt","kid":"2026-11"}"#,
        r#"{"alg":"EdDSA","typ":"JWT","kid":"2026-11"}"#,
        r#"{"alg":"EdDSA","typ":"toolpass-authority+jwt"}"#,
        r#"{"alg":"EdDSA","typ":"toolpass-authority+jwt","kid":""}"#,
        r#"{"alg":"EdDSA","typ":"toolpass-authority+jwt","kid":7}"#,
        r#"{"alg":"EdDSA","typ":"toolpass-authority+jwt","kid":"2026-11","crit":["exp"]}"#,
        r#"{"alg":"EdDSA","typ":"toolpass-authority+jwt","kid":"2026-11","jwk":{}}"#,
        r#"{"alg":"EdDSA","typ":"toolpass-authority+jwt","kid":"2026-11","kid":"2026-11"}"#,
        r#"{"alg":"EdDSA","typ":"toolpass-authority+jwt","kid":"2026-11"} {}"#,
        "[]",
        "",
    ];
    for header in headers {
        let forged = sign(&written(header), claims, &world.issuer);
        assert_eq!(
            world.verify(&forged).unwrap_err(),
            broken(0, Rule::Header),
            "{header}"
        );
    }
}

#[test]
fn claims_are_read_strictly() {
    let world = World::new();
    let text = world.root().chain;
    let header = text.split('.').next().unwrap();
    let good = String::from_utf8(
        URL_SAFE_NO_PAD
            .decode(text.split('.').nth(1).unwrap())
            .unwrap(),
    )
    .unwrap();
    let forge = |claims: &str| world.verify(&sign(header, &written(claims), &world.issuer));
    assert!(forge(&good).is_ok());
    let cases = [
        good.replace(
            r#""sub":"dana@example.com""#,
            r#""sub":"dana@example.com","sub":"admin@example.com""#,
        ),
        good.replace(
            r#""untrusted":false"#,
            r#""untrusted":false,"untrusted":true"#,
        ),
        good.replace(r#""sub":"dana@example.com""#, r#""sub":"""#),
        good.replace(
            r#""sub":"dana@example.com""#,
            r#""sub":["dana@example.com"]"#,
        ),
        good.replace(r#""hop":0"#, r#""hop":"0""#),
        good.replace(r#""hop":0"#, r#""hop":0.0"#),
        good.replace(r#""hop":0"#, r#""hop":-0.5"#),
        good.replace(r#""hop":0,"#, ""),
        good.replace(r#""taint":{"#, r#""taint":{"more":true,"#),
        good.replace("toolpass_authority", "payment_initiation"),
        good.replace(r#""jkt":""#, r#""jkt":"A"#),
        format!("{good} {{}}"),
        format!("[{good}]"),
    ];
    for claims in cases {
        assert_ne!(claims, good);
        assert_eq!(
            forge(&claims).unwrap_err(),
            broken(0, Rule::Claims),
            "{claims}"
        );
    }
}

#[test]
fn a_chain_is_for_somebody_for_a_time_and_until_it_is_taken_back() {
    let mut world = World::new();
    let chain = world.three().chain;
    let at = |world: &World, now, audience| world.verify_at(&chain, now, audience).map(|_| ());
    assert_eq!(at(&world, NOW - 30, US), Ok(()));
    assert_eq!(at(&world, NOW - 31, US), Err(broken(0, Rule::Early)));
    assert_eq!(at(&world, NOW + 329, US), Ok(()));
    assert_eq!(at(&world, NOW + 330, US), Err(broken(0, Rule::Expired)));
    let stranger = "https://stranger.example.com";
    assert_eq!(at(&world, NOW, stranger), Err(whole(Rule::NotForUs)));
    assert_eq!(
        at(&world, NOW, "HTTPS://BILLING.example.com"),
        Err(whole(Rule::NotForUs))
    );
    let middle = inspect(&chain).unwrap()[1].id.clone();
    world.revoked.add(middle.clone(), NOW + 300);
    assert_eq!(at(&world, NOW, US), Err(broken(1, Rule::Revoked)));
    world.revoked.forget(NOW + 301);
    assert!(!world.revoked.holds(&middle));
    world.revoked.add("s-1".into(), NOW + 300);
    assert_eq!(at(&world, NOW, US), Err(broken(0, Rule::Revoked)));
}

#[test]
fn a_child_ends_with_its_parent_and_the_chain_with_its_depth() {
    let world = World::new();
    let short = Beginning {
        depth_left: 1,
        ..beginning()
    };
    let root = seal::root(&world.issuer.own, short, hop("triage", &world.triage)).unwrap();
    let long = Hop {
        lifetime: 3600,
        ..hop("billing", &world.billing)
    };
    let child = seal::child(&root.chain, &world.triage.own, long).unwrap();
    assert_eq!(child.expires, NOW + 300);
    let third = hop("refunds", &world.refunds);
    let refused = seal::child(&child.chain, &world.billing.own, third.clone()).unwrap_err();
    assert_eq!(refused, Unsealed::Invalid(broken(2, Rule::Depth)));
    let refused = seal::child(&child.chain, &world.refunds.own, third).unwrap_err();
    assert!(matches!(refused, Unsealed::Invalid(_)));
}

#[test]
fn the_seventeenth_hop_and_too_many_bytes_are_refused() {
    let world = World::new();
    let deep = Beginning {
        depth_left: 15,
        ..beginning()
    };
    let mut chain = seal::root(&world.issuer.own, deep, hop("a0", &world.triage))
        .unwrap()
        .chain;
    for at in 1..16 {
        let hop = hop(&format!("a{at}"), &world.triage);
        chain = seal::child(&chain, &world.triage.own, hop).unwrap().chain;
    }
    assert_eq!(world.verify(&chain).unwrap().hops.len(), 16);
    let last = chain.rsplit('~').next().unwrap();
    let forged = resigned(last, &world.triage.x(), &world.triage, |_| {});
    assert_eq!(
        world.verify(&format!("{chain}~{forged}")).unwrap_err(),
        whole(Rule::Count)
    );
    assert_eq!(world.verify("").unwrap_err(), whole(Rule::Count));
    let padded = format!("{chain}{}", "A".repeat(32 * 1024));
    assert_eq!(world.verify(&padded).unwrap_err(), whole(Rule::Size));
}

#[test]
fn an_agent_that_is_on_the_chain_gets_no_second_hop() {
    let world = World::new();
    let again = hop("triage", &world.refunds);
    let chain = seal::child(&world.pair().chain, &world.billing.own, again)
        .unwrap()
        .chain;
    assert_eq!(world.verify(&chain).unwrap_err(), broken(2, Rule::Cycle));
}

#[test]
fn a_proof_is_about_one_chain_one_request_one_minute_and_once() {
    let world = World::new();
    let chain = world.pair().chain;
    let request = Carried {
        method: "POST",
        url: "https://billing.example.com/tools/refund?trace=1",
        body: b"{}",
    };
    let by = |key: &Key, about: Carried<'_>, at: u64| prove(&chain, &key.own, about, at).unwrap();
    let seen = Seen::default();
    let good = by(&world.billing, request, NOW);
    assert!(
        world
            .prove_and_verify(&chain, &good, request, &seen)
            .is_ok()
    );
    let again = world.prove_and_verify(&chain, &good, request, &seen);
    assert_eq!(again.unwrap_err(), whole(Rule::Replay));
    let elsewhere = Carried {
        url: "https://billing.example.com/tools/pay",
        ..request
    };
    let other_body = Carried {
        body: b"{\"amount\":9}",
        ..request
    };
    let other_method = Carried {
        method: "PUT",
        ..request
    };
    let other_chain = prove(&world.pair().chain, &world.billing.own, request, NOW).unwrap();
    let cases = [
        by(&world.triage, request, NOW),
        by(&world.billing, elsewhere, NOW),
        by(&world.billing, other_body, NOW),
        by(&world.billing, other_method, NOW),
        by(&world.billing, request, NOW - 51),
        by(&world.billing, request, NOW + 71),
        other_chain,
        chain.split('~').next_back().unwrap().into(),
        String::new(),
    ];
    for proof in cases {
        let refused = world.prove_and_verify(&chain, &proof, request, &seen);
        assert_eq!(refused.unwrap_err(), whole(Rule::Proof));
    }
}

#[test]
fn a_receipt_is_its_holders() {
    let world = World::new();
    let receipt = Receipt {
        id: "hop".into(),
        spent: [("destructive".to_owned(), 2)].into(),
        taint: Taint {
            untrusted: true,
            private: false,
        },
    };
    let text = receipt.sign(&world.billing.own);
    let holder = |key: &Key| key.own.public().thumbprint();
    assert_eq!(
        Receipt::verify(&text, &holder(&world.billing)).unwrap(),
        receipt
    );
    assert_eq!(
        Receipt::verify(&text, &holder(&world.triage)).unwrap_err(),
        whole(Rule::Holder)
    );
    let less = resigned(&text, &world.billing.x(), &world.triage, |claims| {
        claims["spent"]["destructive"] = 0.into();
    });
    assert_eq!(
        Receipt::verify(&less, &holder(&world.billing)).unwrap_err(),
        whole(Rule::Signature)
    );
}

#[test]
fn roots_are_public_keys_with_a_name_each() {
    let world = World::new();
    let x = world.issuer.x();
    let key = |more: &str| {
        format!(
            r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","kid":"k","iss":"{ISSUER}","x":"{x}"{more}}}]}}"#
        )
    };
    assert!(Roots::parse(&key("")).is_ok());
    let error = |text: &str| Roots::parse(text).unwrap_err();
    assert_eq!(error(&key(r#","d":"AAAA""#)), InvalidRoots::Private(0));
    assert_eq!(
        error(&key("").replace("Ed25519", "X25519")),
        InvalidRoots::Key(0)
    );
    assert_eq!(error(&key("").replace(ISSUER, "")), InvalidRoots::Key(0));
    assert_eq!(error(&key("").replace(&x, "AAAA")), InvalidRoots::Key(0));
    assert_eq!(error(r#"{"keys":[]}"#), InvalidRoots::Empty);
    assert_eq!(error("[]"), InvalidRoots::Form);
    assert_eq!(error("{"), InvalidRoots::Form);
    let root = |key: PublicKey| Root {
        issuer: ISSUER.into(),
        kid: "k".into(),
        key,
    };
    let twice = vec![
        root(world.issuer.own.public()),
        root(world.triage.own.public()),
    ];
    assert_eq!(Roots::new(twice).unwrap_err(), InvalidRoots::Twice(1));
}

proptest! {
    /// One bit of a chain changed anywhere is noticed.
    #[test]
    fn one_letter_changed_is_noticed(at in any::<prop::sample::Index>(), letter in "[A-Za-z0-9_.~-]") {
        let world = World::new();
        let chain = world.pair().chain;
        let at = at.index(chain.len());
        prop_assume!(chain[at..=at] != letter);
        let tampered = format!("{}{letter}{}", &chain[..at], &chain[at + 1..]);
        prop_assert!(world.verify(&tampered).is_err());
    }

    /// Nothing that is no chain is taken for one, and nothing makes the reader fail otherwise.
    #[test]
    fn any_text_is_refused(text in ".{0,200}") {
        prop_assert!(World::new().verify(&text).is_err());
        let _ = inspect(&text);
    }

    /// Whatever hops are added, only more caveats hold and less time is left.
    #[test]
    fn a_chain_only_shrinks(lifetimes in prop::collection::vec(1..3600_u64, 1..5)) {
        let world = World::new();
        let mut chain = world.root().chain;
        let mut before = world.verify(&chain).unwrap();
        for (at, lifetime) in lifetimes.into_iter().enumerate() {
            let next = Hop { lifetime: lifetime.max(20), ..hop(&format!("a{at}"), &world.triage) };
            chain = seal::child(&chain, &world.triage.own, next).unwrap().chain;
            let after = world.verify(&chain).unwrap();
            prop_assert!(after.expires <= before.expires);
            prop_assert!(after.depth_left < before.depth_left);
            prop_assert_eq!(&after.hops[..before.hops.len()], &before.hops[..]);
            before = after;
        }
    }
}
