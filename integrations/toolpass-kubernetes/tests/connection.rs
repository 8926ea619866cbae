//! A connection on the stand-in cluster: who may what in the demo's world, credential, look-ups, probe.

mod support;

use serde_json::json;
use support::{REVIEWS, SECONDS, connection, decide, standin};
use toolpass_core::codes::Code;
use toolpass_core::question::Facts;
use toolpass_kubernetes::pointer::{ROLE_OF_BINDING, pointer};
use toolpass_testkit::ask::{context, facts, identify};

#[tokio::test]
async fn the_demo_comes_out_as_told() {
    let standin = standin();
    let connection = connection(&standin, &[]);
    for (user, action, namespace, expected) in [
        (
            "dana",
            "raw:patch:deployments.apps",
            "shop-staging",
            Code::Allowed,
        ),
        (
            "dana",
            "raw:get:deployments.apps",
            "shop-prod",
            Code::Allowed,
        ),
        (
            "dana",
            "raw:patch:deployments.apps",
            "shop-prod",
            Code::Denied,
        ),
        (
            "sam",
            "raw:get:deployments.apps",
            "shop-staging",
            Code::Allowed,
        ),
        (
            "sam",
            "raw:patch:deployments.apps",
            "shop-staging",
            Code::Denied,
        ),
        (
            "mallory",
            "raw:get:deployments.apps",
            "shop-staging",
            Code::Denied,
        ),
        ("dana", "raw:get:secrets", "shop-staging", Code::Denied),
    ] {
        let resource = format!("namespace:{namespace}?name=shop-web");
        let decision = decide(&connection, user, action, &resource, Facts::new()).await;
        assert_eq!(
            decision.code(),
            expected,
            "{user} {action} {namespace}: {}",
            decision.reason()
        );
    }
    assert_eq!(standin.requests().len(), 7, "one review a question");
}

#[tokio::test]
async fn a_wrong_token_is_no_answer() {
    let standin = standin();
    let wrong = connection(&standin, &[("credential", "somebody-elses")]);
    let decision = decide(
        &wrong,
        "dana",
        "raw:get:pods",
        "namespace:shop-prod",
        Facts::new(),
    )
    .await;
    assert_eq!(decision.code(), Code::CredentialRejected);
    assert!(!decision.text().contains("somebody-elses"));

    // A token that may not ask.
    let binding = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/engine";
    standin.patch(&json!({"objects": {binding: null}})).unwrap();
    let decision = decide(
        &connection(&standin, &[]),
        "dana",
        "raw:get:pods",
        "namespace:shop-prod",
        Facts::new(),
    )
    .await;
    assert_eq!(decision.code(), Code::CredentialRejected);
    assert!(
        decision.text().contains("subjectaccessreviews"),
        "{}",
        decision.text()
    );
}

#[tokio::test]
async fn an_authorizer_that_fails_is_no_answer() {
    let standin = standin();
    standin
        .patch(&json!({"authorizer_error": "webhook unreachable"}))
        .unwrap();
    let decision = decide(
        &connection(&standin, &[]),
        "dana",
        "raw:get:pods",
        "namespace:shop-prod",
        Facts::new(),
    )
    .await;
    assert_eq!(decision.code(), Code::Unsupported);
}

#[tokio::test]
async fn a_review_says_who_and_what() {
    let standin = standin();
    let connection = connection(&standin, &[]);
    let said = facts(&[("label_selector", "app=web")]);
    decide(
        &connection,
        "Dana",
        "raw:list:pods",
        "namespace:shop-prod",
        said,
    )
    .await;
    let sent: serde_json::Value = serde_json::from_str(&standin.requests()[0].body).unwrap();
    assert_eq!(
        sent["spec"],
        json!({
            "user": "oidc:dana@example.com",
            "groups": ["system:authenticated"],
            "resourceAttributes": {
                "namespace": "shop-prod", "verb": "list", "resource": "pods",
                "labelSelector": {"rawSelector": "app=web"},
            },
        })
    );
    assert_eq!(standin.count("POST", REVIEWS), 1);
}

#[tokio::test]
async fn names_of_the_clusters_own_are_never_asked_about() {
    let standin = standin();
    let plain = connection(&standin, &[("username_template", "{local}")]);
    assert_eq!(
        identify(plain.as_ref(), "system:admin@example.com", SECONDS).await,
        Err(Code::InvalidRequest)
    );
    assert_eq!(standin.requests().len(), 0);
}

#[tokio::test]
async fn a_binding_leads_to_its_role() {
    let standin = standin();
    let connection = connection(&standin, &[]);
    let resolve = |name: &'static str| {
        let connection = connection.clone();
        async move {
            let pointer = pointer(
                ROLE_OF_BINDING,
                "rolebindings",
                "v1",
                Some("shop-prod"),
                name,
            );
            let found = connection
                .resolve(&context(SECONDS), &pointer)
                .await
                .unwrap();
            found.map(|resource| resource.as_str().to_owned())
        }
    };
    let expected =
        "namespace:shop-prod?resource=clusterroles.rbac.authorization.k8s.io&name=shop-view";
    assert_eq!(resolve("view").await.as_deref(), Some(expected));
    assert_eq!(resolve("nothing").await, None);
}

#[tokio::test]
async fn dana_may_hand_out_what_she_holds_and_no_more() {
    let standin = standin();
    let connection = connection(&standin, &[]);
    let said = facts(&[("unless_role_held", "v1")]);
    let bind = "raw:bind:clusterroles.rbac.authorization.k8s.io";
    for (role, expected) in [
        ("shop-view", Code::Allowed),
        ("cluster-admin", Code::Denied),
        ("nothing", Code::Denied),
    ] {
        let resource = format!("namespace:shop-staging?name={role}");
        let decision = decide(&connection, "dana", bind, &resource, said.clone()).await;
        assert_eq!(decision.code(), expected, "{role}: {}", decision.reason());
    }
}

#[tokio::test]
async fn the_probe_says_what_is_too_much() {
    let standin = standin();
    let found = connection(&standin, &[])
        .probe(&context(SECONDS))
        .await
        .unwrap();
    assert_eq!(found.warnings, Vec::<String>::new());
    let admin = connection(&standin, &[("credential", "kubernetes-agent-token")]);
    let found = admin.probe(&context(SECONDS)).await.unwrap();
    assert!(
        found
            .warnings
            .iter()
            .any(|text| text.contains("may also * *")),
        "{found:?}"
    );
    let wrong = connection(&standin, &[("credential", "somebody-elses")]);
    let failure = wrong.probe(&context(SECONDS)).await.unwrap_err();
    assert_eq!(failure.code(), Code::CredentialRejected);
}
