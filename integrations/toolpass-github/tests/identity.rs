//! Every way from an e-mail to a login, on the stand-ins.

mod support;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::json;
use support::{Github, body, status};
use toolpass_core::codes::Code;
use toolpass_github::GITHUB;
use toolpass_integration::fields::{CodeValue, Lookup, LookupAnswer};
use toolpass_standin::faults::{Fault, FaultRule};
use toolpass_standin::github::demo;
use toolpass_standin::identity::{IdentityStandin, IdentityWorld};
use toolpass_standin::server::Transport;
use toolpass_testkit::ask::identify;
use toolpass_testkit::connect;

#[tokio::test]
async fn saml_identities() {
    let entry = |login: Option<&str>, name: &str| json!({"login": login, "name_id": name, "username": name});
    let github = Github::new();
    github.standin.patch(&json!({"organizations": {"acme": {"saml": {"identities": [
        entry(Some("dana"), "Dana@example.com"), entry(Some("dana"), "dana@example.com"), entry(None, "new@example.com"),
        entry(Some("sam"), "two@example.com"), entry(Some("admin"), "two@example.com"),
        json!({"login": "sam", "name_id": "u-17", "scim_username": "sam@example.com"}),
    ]}}}})).unwrap();
    let connection = github.app(&[]);
    assert_eq!(
        github.identify(&connection, "DANA@example.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.identify(&connection, "sam@example.com").await,
        Ok("sam".into())
    );
    assert_eq!(
        github.identify(&connection, "new@example.com").await,
        Err(Code::Unsupported)
    );
    assert_eq!(
        github.identify(&connection, "two@example.com").await,
        Err(Code::UserAmbiguous)
    );
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(
        github.identify(&connection, "o'neil@example.com").await,
        Err(Code::InvalidRequest)
    );

    // The whole list was read once, whoever asks.
    github.standin.clear_requests();
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(github.count("POST", "/graphql"), 1);
}

#[tokio::test]
async fn a_filter_that_is_ignored_finds_nobody_else() {
    let github = Github::new();
    github
        .standin
        .patch(&json!({"organizations": {"acme": {"saml": {"ignore_filter": true}}}}))
        .unwrap();
    let connection = github.app(&[]);
    assert_eq!(
        github.identify(&connection, "sam@example.com").await,
        Ok("sam".into())
    );
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
}

#[tokio::test]
async fn a_long_list_of_identities_is_read_page_by_page() {
    let github = Github::new();
    let mut people: Vec<_> = (0..250)
        .map(|n| json!({"login": "sam", "name_id": format!("p{n}@example.com")}))
        .collect();
    people.push(json!({"login": "dana", "name_id": "u-1", "scim_username": "dana@example.com"}));
    github.standin.patch(&json!({"organizations": {"acme": {"saml": {"identities": people, "ignore_filter": true}}}})).unwrap();
    assert_eq!(
        github.identify(&github.app(&[]), "dana@example.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.count("POST", "/graphql"),
        4,
        "one filtered, three pages"
    );
}

#[tokio::test]
async fn a_filtered_page_that_is_cut_decides_nothing() {
    let github = Github::new();
    let mut people = vec![json!({"login": "sam", "name_id": "dana@example.com"}); 5];
    people.push(json!({"login": "dana", "name_id": "dana@example.com"}));
    github.standin.patch(&json!({"organizations": {"acme": {"saml": {"identities": people, "ignore_filter": true}}}})).unwrap();
    assert_eq!(
        github.identify(&github.app(&[]), "dana@example.com").await,
        Err(Code::UserAmbiguous)
    );
}

#[tokio::test]
async fn saml_without_a_provider_is_not_set_up() {
    let github = Github::new();
    github
        .standin
        .patch(&json!({"organizations": {"acme": {"saml": null}}}))
        .unwrap();
    assert_eq!(
        github.identify(&github.app(&[]), "dana@example.com").await,
        Err(Code::NotConfigured)
    );
    for (kind, by_app) in [
        ("FORBIDDEN", Code::CredentialRejected),
        ("RATE_LIMITED", Code::UpstreamRateLimited),
        ("SOMETHING", Code::UpstreamError),
    ] {
        github.standin.reset();
        let errors =
            json!({"data": {"organization": null}, "errors": [{"type": kind, "message": "no"}]})
                .to_string();
        github
            .standin
            .fault(FaultRule::on("/graphql", body(&errors)));
        assert_eq!(
            github.identify(&github.app(&[]), "dana@example.com").await,
            Err(by_app),
            "{kind}"
        );
    }
}

#[tokio::test]
async fn logins_made_by_a_template() {
    let github = Github::new();
    let connection = github.app(&[
        ("identity_mode", "template"),
        ("email_domains", "example.com, corp.example"),
    ]);
    assert_eq!(
        github.identify(&connection, "Dana@Example.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.identify(&connection, "root@attacker.example").await,
        Err(Code::Unsupported)
    );
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(
        github.identify(&connection, "first.last@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(
        github.identify(&connection, "acme@example.com").await,
        Err(Code::UserNotFound),
        "an organization is nobody"
    );
}

#[tokio::test]
async fn a_template_takes_the_account_it_asked_for() {
    let github = Github::new();
    let connection = github.app(&[
        ("identity_mode", "template"),
        ("email_domains", "example.com"),
    ]);
    let other = json!({"login": "sam", "type": "User"}).to_string();
    github
        .standin
        .fault(FaultRule::on("/users/dana", body(&other)));
    assert_eq!(
        github.identify(&connection, "dana@example.com").await,
        Err(Code::Unsupported)
    );
}

#[tokio::test]
async fn logins_from_a_file() {
    let path = std::env::temp_dir().join(format!("toolpass-github-map-{}", std::process::id()));
    std::fs::write(&path, "Dana@example.com dana\nsam@example.com=sam\n").unwrap();
    let github = Github::new();
    let keys = [
        ("identity_mode", "map_file"),
        ("user_map_file", path.to_str().unwrap()),
    ];
    let connection = github.app(&keys);
    assert_eq!(
        github.identify(&connection, "dana@EXAMPLE.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
    assert!(github.standin.requests().is_empty(), "no upstream call");

    std::fs::write(&path, "dana@example.com\n").unwrap();
    assert_eq!(
        github.identify(&connection, "sam@example.com").await,
        Ok("sam".into()),
        "what was read stays"
    );
    assert_eq!(
        github.identify(&github.app(&keys), "sam@example.com").await,
        Err(Code::UpstreamError),
        "a first read that fails"
    );
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test]
async fn logins_from_a_service() {
    let world = IdentityWorld {
        token: Some("who-token".into()),
        logins: [
            ("dana@example.com".to_owned(), "dana".to_owned()),
            ("odd@example.com".to_owned(), "not a login".to_owned()),
        ]
        .into(),
    };
    let mut service = IdentityStandin::start(world, &Transport::Plain).unwrap();
    let github = Github::new();
    let address = format!("{}/who", service.url);
    let keys = [
        ("identity_url", address.as_str()),
        ("identity_token", "who-token"),
    ];
    let connection = github.app(&keys);
    assert_eq!(
        github.identify(&connection, "dana@example.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(
        github.identify(&connection, "odd@example.com").await,
        Err(Code::Unsupported)
    );
    assert_eq!(
        github
            .identify(&github.app(&keys[..1]), "dana@example.com")
            .await,
        Err(Code::Unsupported),
        "no token"
    );
    for fault in [
        body("{\"login\": \"dana\"}"),
        body("dana"),
        status(500, &[], "no"),
        status(403, &[], "no"),
        Fault::Redirect {
            status: 302,
            location: "/x".into(),
        },
    ] {
        service.clear_faults();
        service.fault(FaultRule::on("/who", fault));
        assert_eq!(
            github.identify(&connection, "dana@example.com").await,
            Err(Code::Unsupported)
        );
    }
    service.stop();
    assert_eq!(
        github.identify(&connection, "dana@example.com").await,
        Err(Code::Unsupported),
        "not there"
    );
}

#[tokio::test]
async fn logins_from_the_application() {
    struct People;
    impl Lookup for People {
        fn lookup<'a>(&'a self, text: &'a str) -> BoxFuture<'a, LookupAnswer> {
            let answer = match text {
                "dana@example.com" => LookupAnswer::Text("dana".into()),
                "empty@example.com" => LookupAnswer::Text(String::new()),
                "raises@example.com" => LookupAnswer::Failed,
                _ => LookupAnswer::Nothing,
            };
            async move {
                if text == "slow@example.com" {
                    std::future::pending().await
                } else {
                    answer
                }
            }
            .boxed()
        }
    }
    let github = Github::new();
    let keys = github.keys(&[("token", demo::ENGINE_TOKEN)]);
    let keys: Vec<(&str, &str)> = keys
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    let settings = connect::settings_in_code(
        &GITHUB,
        &keys,
        [("identity", CodeValue::Lookup(Arc::new(People)))],
    )
    .unwrap();
    let connection = connect::connection(&GITHUB, settings, None).unwrap();
    assert_eq!(
        github.identify(&connection, "dana@example.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.identify(&connection, "nobody@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(
        github.identify(&connection, "empty@example.com").await,
        Err(Code::Unsupported)
    );
    assert_eq!(
        github.identify(&connection, "raises@example.com").await,
        Err(Code::Unsupported)
    );
    assert_eq!(
        identify(
            connection.as_ref(),
            "slow@example.com",
            Duration::from_millis(50)
        )
        .await,
        Err(Code::UpstreamTimeout)
    );
}

#[tokio::test]
async fn identities_of_the_enterprise() {
    let github = Github::new();
    let connection = github.app(&[
        ("identity_mode", "enterprise_saml"),
        ("enterprise", "acme-corp"),
    ]);
    let people = json!({"nodes": [{"user": {"login": "dana"}, "samlIdentity": null, "scimIdentity": {"username": "dana@example.com"}}],
        "pageInfo": {"hasNextPage": false, "endCursor": null}});
    for provider in ["samlIdentityProvider", "oidcProvider"] {
        let answer = json!({"data": {"enterprise": {"ownerInfo": {provider: {"externalIdentities": people}}}}});
        github.standin.reset();
        github
            .standin
            .fault(FaultRule::on("/graphql", body(&answer.to_string())));
        assert_eq!(
            github.identify(&connection, "dana@example.com").await,
            Ok("dana".into()),
            "{provider}"
        );
    }
    let hidden = json!({"data": {"enterprise": {"ownerInfo": null}}}).to_string();
    github.standin.reset();
    github
        .standin
        .fault(FaultRule::on("/graphql", body(&hidden)));
    assert_eq!(
        github.identify(&connection, "dana@example.com").await,
        Err(Code::NotConfigured)
    );
}

#[tokio::test]
async fn verified_emails_of_members() {
    let github = Github::new();
    let connection = github.app(&[("identity_mode", "verified_email")]);
    let members = json!({"nodes": [{"login": "dana", "organizationVerifiedDomainEmails": ["dana@example.com", "d@example.com"]},
        {"login": "sam", "organizationVerifiedDomainEmails": []}], "pageInfo": {"hasNextPage": false, "endCursor": "c"}});
    let answer = json!({"data": {"organization": {"membersWithRole": members}}}).to_string();
    github
        .standin
        .fault(FaultRule::on("/graphql", body(&answer)));
    assert_eq!(
        github.identify(&connection, "D@example.com").await,
        Ok("dana".into())
    );
    assert_eq!(
        github.identify(&connection, "sam@example.com").await,
        Err(Code::UserNotFound)
    );
    assert_eq!(
        github.count("POST", "/graphql"),
        1,
        "one list for everybody"
    );
}

#[tokio::test]
async fn a_list_without_end_denies_nobody() {
    let github = Github::new();
    let connection = github.app(&[("identity_mode", "verified_email")]);
    let members = json!({"nodes": [{"login": "dana", "organizationVerifiedDomainEmails": ["dana@example.com"]}],
        "pageInfo": {"hasNextPage": true, "endCursor": "again"}});
    let answer = json!({"data": {"organization": {"membersWithRole": members}}}).to_string();
    github
        .standin
        .fault(FaultRule::on("/graphql", body(&answer)));
    assert_eq!(
        github.identify(&connection, "sam@example.com").await,
        Err(Code::Unsupported)
    );
    assert_eq!(
        github.identify(&connection, "dana@example.com").await,
        Ok("dana".into())
    );
    assert_eq!(github.count("POST", "/graphql"), 50);
}
