//! Act 6, revocation: Dana leaves the team, and how long her rights outlive that.

use std::time::Duration;

use serde_json::json;
use toolpass::Effect;
use toolpass::context::Context;
use toolpass::tool::{Arguments, BodyResult, Tool};
use toolpass::toolkit::Options;

use crate::agent::Agent;
use crate::error::Error;
use crate::house::{DECISIONS_KEPT_SECONDS, House};
use crate::script::revocation as script;
use crate::show::Show;
use crate::systems::github::TEAM;
use crate::tools::Shop;
use crate::world::{DANA, ORGANIZATION};

/// Show it.
pub(super) async fn play(house: &House, show: &mut Show<'_>) -> Result<(), Error> {
    let shop = house.shop()?;
    let tools = vec![label(shop.clone()), delete_branch(shop)];
    let agent = Agent::new(house, DANA, tools, Options::default())?;
    show.title("When a right is taken away");
    show.text(&format!(
        "The server may reuse an answer for {DECISIONS_KEPT_SECONDS} seconds here; its own default is 30. What is destructive is always asked fresh."
    ));
    show.row(agent.call(script::BEFORE).await?);

    show.text("Dana leaves the team. What is destructive is refused at once:");
    let github = &house.system("github")?.running;
    let members = json!({DANA.login: null});
    let team = json!({"organizations": {ORGANIZATION: {"teams": {TEAM: {"members": members}}}}});
    github.patch(&team)?;
    show.row(agent.call(script::DESTRUCTIVE).await?);

    show.text(&format!(
        "And the same call as before, {DECISIONS_KEPT_SECONDS} seconds later:"
    ));
    tokio::time::sleep(Duration::from_secs(DECISIONS_KEPT_SECONDS)).await;
    show.row(agent.call(script::AFTER).await?);
    agent.finish().await;
    let labels = github.count("POST", "/repos/acme/shop/issues/1/labels");
    let deleted = github
        .requests()
        .iter()
        .filter(|entry| entry.method == "DELETE")
        .count();
    show.fact(
        "GitHub was asked for one label, and to delete nothing",
        (labels, deleted) == (1, 0),
    );
    Ok(())
}

/// `label(issue, name)`: a label on an issue of the repository.
fn label(shop: Shop) -> Tool {
    Tool::named("label")
        .takes("issue")
        .takes("name")
        .effect(Effect::Write)
        .runs(move |context, given| {
            let shop = shop.clone();
            async move { labelled(&shop, &context, &given).await }
        })
}

async fn labelled(shop: &Shop, context: &Context, given: &Arguments) -> BodyResult {
    let path = format!("/repos/acme/shop/issues/{}/labels", given.text("issue"));
    let body = json!({"labels": [given.text("name")]});
    shop.github.post(context, &path, &body).await
}

/// `delete_branch(branch)`: gone for good.
fn delete_branch(shop: Shop) -> Tool {
    Tool::named("delete_branch")
        .takes("branch")
        .effect(Effect::Destructive)
        .runs(move |context, given| {
            let shop = shop.clone();
            async move { deleted(&shop, &context, &given).await }
        })
}

async fn deleted(shop: &Shop, context: &Context, given: &Arguments) -> BodyResult {
    let path = format!("/repos/acme/shop/git/refs/heads/{}", given.text("branch"));
    shop.github
        .send(context, http::Method::DELETE, &path, None)
        .await
}
