//! What every integration owes, on the stand-in cluster.

mod support;

use serde_json::json;
use support::{REVIEWS, connection, standin};
use toolpass_standin::kubernetes::demo;
use toolpass_testkit::ask::Ask;
use toolpass_testkit::behaviour::{Subject, owes};

#[tokio::test(flavor = "multi_thread")]
async fn with_a_token() {
    let mut standin = standin();
    let subject = Subject {
        standin: &mut standin,
        connect: &|standin| connection(standin, &[]),
        allowed: Ask {
            user: "dana@example.com",
            action: "raw:patch:deployments.apps",
            resource: "namespace:shop-staging?name=shop-web",
        },
        reads: &[REVIEWS],
        take_away: &|standin| {
            let binding =
                "/apis/rbac.authorization.k8s.io/v1/namespaces/shop-staging/rolebindings/deploy";
            standin.patch(&json!({"objects": {binding: null}})).unwrap();
        },
        revoke: &|standin| {
            standin
                .command("revoke", &json!({"token": demo::ENGINE_TOKEN}))
                .unwrap();
        },
        secrets: &[demo::ENGINE_TOKEN],
    };
    owes(subject)
        .await
        .unwrap_or_else(|problems| panic!("{problems}"));
}
