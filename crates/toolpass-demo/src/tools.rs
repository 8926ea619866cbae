//! The four tools: plain functions over the systems' own interfaces. None says who may do what.
//!
//! They log in as the agent, which may do everything. Whether the person may is found out at each request, and by nothing here.

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use http::{Method, Request};
use serde_json::{Value, json};
use toolpass::Effect;
use toolpass::context::Context;
use toolpass::tool::{Arguments, BodyError, BodyResult, Tool};

use crate::systems::{Api, jira, linear, slack};
use crate::world::{DEPLOYMENT, IMAGE, PROJECT, REPOSITORY};

/// How the tools reach the systems.
#[derive(Clone)]
pub(crate) struct Shop {
    /// GitHub's REST interface.
    pub(crate) github: Api,
    /// Jira's, version 3.
    pub(crate) jira: Api,
    /// The API server of the cluster.
    pub(crate) kubernetes: Api,
    /// Linear's GraphQL.
    pub(crate) linear: Api,
    /// Slack's Web API.
    pub(crate) slack: Api,
}

/// All four.
pub(crate) fn all(shop: &Shop) -> Vec<Tool> {
    vec![
        open_pr(shop.clone()),
        report_bug(shop.clone()),
        ship(shop.clone()),
        status(shop.clone()),
    ]
}

/// `open_pr(repo, branch, title, issue)`: a pull request, and everybody is told.
pub(crate) fn open_pr(shop: Shop) -> Tool {
    Tool::named("open_pr")
        .takes("repo")
        .takes("branch")
        .takes("title")
        .takes("issue")
        .effect(Effect::Write)
        .runs(move |context, given| {
            let shop = shop.clone();
            async move { opened(&shop, &context, &given).await }
        })
}

/// The body of `open_pr` after somebody edited it: what it opens is merged.
pub(crate) async fn opened_and_merged(
    shop: &Shop,
    context: &Context,
    given: &Arguments,
) -> BodyResult {
    let said = opened(shop, context, given).await?;
    let number = said.as_str().and_then(|text| text.rsplit(' ').next());
    let path = format!(
        "/repos/{}/pulls/{}/merge",
        given.text("repo"),
        number.unwrap_or("?")
    );
    let body = json!({"merge_method": "squash"});
    let github = &shop.github;
    github
        .send(context, Method::PUT, &path, Some((JSON, &body)))
        .await
}

async fn opened(shop: &Shop, context: &Context, given: &Arguments) -> BodyResult {
    let (repo, issue) = (given.text("repo"), given.text("issue"));
    // The agent's own errand: what the branch is to be merged into.
    let path = format!("/repos/{repo}");
    let found = shop.github.get(&context.as_agent(), &path).await?;
    let body = json!({
        "title": given.text("title"),
        "head": given.text("branch"),
        "base": text_at(&found, "/default_branch"),
    });
    let pulls = format!("/repos/{repo}/pulls");
    let made = shop.github.post(context, &pulls, &body).await?;
    let number = text_at(&made, "/number");
    let said = format!("Pull request {number} of {repo} is open.");
    let comments = format!("/rest/api/3/issue/{issue}/comment");
    let body = json!({"body": jira::document(&said)});
    shop.jira.post(context, &comments, &body).await?;
    move_to(shop, context, issue, "In Review").await?;
    post(shop, context, slack::SHOP_DEV, &format!("{issue}: {said}")).await?;
    Ok(Value::String(format!("opened pull request {number}")))
}

/// Move an issue to a state, by the way that its workflow has.
async fn move_to(
    shop: &Shop,
    context: &Context,
    issue: &str,
    state: &str,
) -> Result<(), BodyError> {
    let path = format!("/rest/api/3/issue/{issue}/transitions");
    let ways = shop.jira.get(context, &path).await?;
    let ways = ways.pointer("/transitions").and_then(Value::as_array);
    let leads = |way: &&Value| text_at(way, "/to/name") == state;
    let way = ways.into_iter().flatten().find(leads);
    let nowhere = || BodyError::new("NoTransition", format!("{issue} cannot go to {state}"));
    let way = way.ok_or_else(nowhere)?;
    let body = json!({"transition": {"id": text_at(way, "/id")}});
    shop.jira.post(context, &path, &body).await.map(drop)
}

/// `ship(service, version, env)`: another image, and the release is announced.
pub(crate) fn ship(shop: Shop) -> Tool {
    Tool::named("ship")
        .takes("service")
        .takes("version")
        .takes("env")
        .effect(Effect::Write)
        .runs(move |context, given| {
            let shop = shop.clone();
            async move { shipped(&shop, &context, &given).await }
        })
}

async fn shipped(shop: &Shop, context: &Context, given: &Arguments) -> BodyResult {
    let (service, env) = (given.text("service"), given.text("env"));
    let path = deployment(env, service);
    let before = image(&shop.kubernetes.get(context, &path).await?);
    let after = format!("{IMAGE}:{}", given.text("version"));
    let containers = json!([{"name": "web", "image": after}]);
    let patch = json!({"spec": {"template": {"spec": {"containers": containers}}}});
    let kubernetes = &shop.kubernetes;
    kubernetes
        .send(context, Method::PATCH, &path, Some((STRATEGIC, &patch)))
        .await?;
    let said = format!("{service} on {env}: {before} is now {after}");
    post(shop, context, slack::RELEASES, &said).await?;
    Ok(Value::String(said))
}

/// `report_bug(title, details)`: an issue for the developers and one for support, and the channel is told.
pub(crate) fn report_bug(shop: Shop) -> Tool {
    Tool::named("report_bug")
        .takes("title")
        .takes("details")
        .effect(Effect::Write)
        .runs(move |context, given| {
            let shop = shop.clone();
            async move { reported(&shop, &context, &given).await }
        })
}

async fn reported(shop: &Shop, context: &Context, given: &Arguments) -> BodyResult {
    let (title, details) = (given.text("title"), given.text("details"));
    let input = json!({"teamId": linear::TEAM_ID, "title": title, "description": details});
    let body = json!({"query": CREATE_ISSUE, "variables": {"input": input}});
    let made = shop.linear.post(context, "", &body).await?;
    let linear = text_at(&made, "/data/issueCreate/issue/identifier");
    let fields = json!({
        "project": {"key": PROJECT},
        "issuetype": {"name": "Bug"},
        "summary": title,
        "description": jira::document(details),
    });
    let body = json!({"fields": fields});
    let made = shop.jira.post(context, "/rest/api/3/issue", &body).await?;
    let jira = text_at(&made, "/key");
    let said = format!("New bug {jira} ({linear}): {title}");
    post(shop, context, slack::SHOP_DEV, &said).await?;
    Ok(Value::String(format!("reported as {jira} and {linear}")))
}

/// `status(issue)`: the issue, what is under review, and what runs where. It only reads.
pub(crate) fn status(shop: Shop) -> Tool {
    Tool::named("status")
        .takes("issue")
        .effect(Effect::Read)
        .untrusted_output()
        .runs(move |context, given| {
            let shop = shop.clone();
            async move { looked_up(&shop, &context, &given).await }
        })
}

async fn looked_up(shop: &Shop, context: &Context, given: &Arguments) -> BodyResult {
    let issue = given.text("issue");
    let path = format!("/rest/api/3/issue/{issue}");
    let found = shop.jira.get(context, &path).await?;
    let path = format!("/repos/{REPOSITORY}/pulls?state=open");
    let pulls = shop.github.get(context, &path).await?;
    let mut lines = vec![format!(
        "{issue} is {}: {}",
        text_at(&found, "/fields/status/name"),
        text_at(&found, "/fields/summary")
    )];
    lines.push(format!(
        "{} pull requests are open",
        pulls.as_array().map_or(0, Vec::len)
    ));
    for env in ["staging", "prod"] {
        let path = deployment(env, DEPLOYMENT);
        let runs = image(&shop.kubernetes.get(context, &path).await?);
        let version = runs.rsplit(':').next().unwrap_or_default();
        lines.push(format!("{env} runs {version}"));
    }
    Ok(Value::String(lines.join("\n")))
}

/// Post to a channel.
async fn post(shop: &Shop, context: &Context, channel: &str, text: &str) -> Result<(), BodyError> {
    let body = json!({"channel": channel, "text": text});
    let answer = shop.slack.post(context, "/chat.postMessage", &body).await?;
    if answer.pointer("/ok") == Some(&Value::Bool(true)) {
        return Ok(());
    }
    let why = text_at(&answer, "/error");
    Err(BodyError::new(
        "SlackError",
        format!("Slack did not take the message: {why}"),
    ))
}

fn deployment(env: &str, service: &str) -> String {
    format!("/apis/apps/v1/namespaces/shop-{env}/deployments/{service}")
}

fn image(deployment: &Value) -> String {
    text_at(deployment, "/spec/template/spec/containers/0/image")
}

/// What stands at a place of an answer, as text; a question mark for nothing.
fn text_at(answer: &Value, pointer: &str) -> String {
    match answer.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "?".to_owned(),
    }
}

impl Api {
    pub(crate) async fn get(&self, context: &Context, path: &str) -> BodyResult {
        self.send(context, Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, context: &Context, path: &str, body: &Value) -> BodyResult {
        self.send(context, Method::POST, path, Some((JSON, body)))
            .await
    }

    /// Send a request, and read the JSON it is answered with.
    pub(crate) async fn send(
        &self,
        context: &Context,
        method: Method,
        path: &str,
        body: Option<(&str, &Value)>,
    ) -> BodyResult {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header(AUTHORIZATION, &self.authorization)
            .header(USER_AGENT, "shop");
        let mut bytes = Bytes::new();
        if let Some((kind, body)) = body {
            request = request.header(CONTENT_TYPE, kind);
            bytes = body.to_string().into();
        }
        let request = request.body(bytes);
        let request =
            request.map_err(|error| BodyError::new("InvalidRequest", error.to_string()))?;
        let answer = context.send(request).await?;
        if !answer.status().is_success() {
            let status = answer.status();
            return Err(BodyError::new(
                "HttpStatus",
                format!("the system answered {status}"),
            ));
        }
        if answer.body().is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(answer.body())
            .map_err(|_| BodyError::new("NoJson", "the system did not answer with JSON"))
    }
}

const JSON: &str = "application/json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const CREATE_ISSUE: &str = "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier } } }";
