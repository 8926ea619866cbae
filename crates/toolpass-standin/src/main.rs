//! `toolpass-standin`: a stand-in as a process, for test suites that are not written in Rust.
//!
//! ```text
//! toolpass-standin --help
//! toolpass-standin github   [--tls] [--name HOST]... [--ghes] [--world FILE.json]
//! toolpass-standin echo     [--tls] [--name HOST]...
//! toolpass-standin identity [--tls] [--world FILE.json]
//! toolpass-standin jira     [--tls] [--name HOST]... [--world FILE.json]
//! toolpass-standin kubernetes [--tls] [--name HOST]... [--world FILE.json]
//! toolpass-standin linear   [--tls] [--name HOST]... [--world FILE.json]
//! toolpass-standin oidc     [--tls] [--name HOST]... [--world FILE.json]
//! toolpass-standin slack    [--tls] [--name HOST]... [--world FILE.json]
//! ```
//!
//! Prints one line of JSON about itself on standard output and serves until standard input closes, so it never outlives who started
//! it. Certificates and keys are files in a directory of their own, removed at the end.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use toolpass_standin::Error;
use toolpass_standin::echo::EchoStandin;
use toolpass_standin::github::{
    ApiStyle, GithubStandin, Options, demo, world::GithubWorld, world::STRANGER_KEY,
};
use toolpass_standin::identity::{IdentityStandin, IdentityWorld};
use toolpass_standin::jira::{self, JiraStandin, world::JiraWorld};
use toolpass_standin::kubernetes::{self, KubernetesStandin, world::KubernetesWorld};
use toolpass_standin::linear::world::LinearWorld;
use toolpass_standin::linear::{self, LinearStandin};
use toolpass_standin::message::set;
use toolpass_standin::oidc::{OidcStandin, OidcWorld};
use toolpass_standin::server::{Running, Transport};
use toolpass_standin::slack::world::SlackWorld;
use toolpass_standin::slack::{self, SlackStandin};
use toolpass_standin::tls::Authority;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments
        .iter()
        .any(|word| matches!(word.as_str(), "--help" | "-h"))
    {
        // Whoever closed standard output wants no help.
        let _ = io::stdout().write_all(USAGE.as_bytes());
        return ExitCode::SUCCESS;
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            // Nothing is left to tell when standard error is closed.
            let _ = writeln!(io::stderr(), "toolpass-standin: {text}");
            ExitCode::from(2)
        }
    }
}

struct Flags {
    system: String,
    tls: bool,
    names: Vec<String>,
    style: ApiStyle,
    world: Option<PathBuf>,
}

fn run(arguments: &[String]) -> Result<(), String> {
    let flags = parse(arguments)?;
    let directory = Directory::new().map_err(|error| error.to_string())?;
    let (running, mut about) = start(&flags, &directory.0)?;
    set(&mut about, "port", json!(running.port));
    set(&mut about, "url", json!(running.url));
    set(&mut about, "base_path", json!(running.base_path));
    set(
        &mut about,
        "api_url",
        json!(format!("{}{}", running.url, running.base_path)),
    );
    set(&mut about, "control_token", json!(running.control_token));
    set(&mut about, "ca_file", Value::Null);
    if let Some(pem) = &running.ca_pem {
        set(&mut about, "ca_file", json!(directory.file("ca.pem", pem)?));
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{about}")
        .and_then(|()| out.flush())
        .map_err(|error| error.to_string())?;
    wait_for_end();
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Flags, String> {
    let mut rest = arguments.iter();
    let system = rest.next().cloned().unwrap_or_default();
    if !SYSTEMS.contains(&system.as_str()) {
        let known = SYSTEMS.join(", ");
        return Err(format!("expected one of {known}; --help says more"));
    }
    let mut flags = Flags {
        system,
        tls: false,
        names: Vec::new(),
        style: ApiStyle::DotCom,
        world: None,
    };
    while let Some(flag) = rest.next() {
        match flag.as_str() {
            "--ghes" => flags.style = ApiStyle::Enterprise,
            "--name" => flags
                .names
                .push(rest.next().ok_or("--name needs a host name")?.clone()),
            "--tls" => flags.tls = true,
            "--world" => {
                flags.world = Some(PathBuf::from(rest.next().ok_or("--world needs a file")?))
            }
            other => {
                return Err(format!(
                    "unknown flag `{other}`: expected --ghes, --name HOST, --tls, --world FILE.json"
                ));
            }
        }
    }
    Ok(flags)
}

fn start(flags: &Flags, directory: &Path) -> Result<(Running, Value), String> {
    let transport = if flags.tls {
        Transport::Tls {
            authority: Authority::new().map_err(text)?,
            extra_names: flags.names.clone(),
        }
    } else {
        Transport::Plain
    };
    match flags.system.as_str() {
        "github" => {
            let world: GithubWorld = read(flags.world.as_deref())?.unwrap_or_else(demo::world);
            let about = describe(&world, directory)?;
            let running = GithubStandin::start(
                world,
                &Options {
                    transport,
                    style: flags.style,
                },
            )
            .map_err(text)?;
            Ok((running, about))
        }
        "identity" => {
            let world: IdentityWorld = read(flags.world.as_deref())?.unwrap_or_default();
            Ok((
                IdentityStandin::start(world, &transport).map_err(text)?,
                json!({}),
            ))
        }
        "jira" => {
            let world: JiraWorld = read(flags.world.as_deref())?.unwrap_or_else(jira::demo::world);
            let about = json!({
                "username": jira::demo::BOT,
                "engine_token": jira::demo::ENGINE_TOKEN,
                "engine_token_file": write(directory, "engine-token", jira::demo::ENGINE_TOKEN)?,
                "wrong_token_file": write(directory, "wrong-token", "jira-wrong-token")?,
                "token": jira::demo::AGENT_TOKEN,
                "cloud_id": world.cloud_id,
            });
            let running = JiraStandin::start(world, &transport).map_err(text)?;
            Ok((running, about))
        }
        "kubernetes" => {
            let world: KubernetesWorld =
                read(flags.world.as_deref())?.unwrap_or_else(kubernetes::demo::world);
            let token = |wanted: &'static str| world.tokens.contains_key(wanted).then_some(wanted);
            let about = json!({
                "token": token(kubernetes::demo::AGENT_TOKEN),
                "engine_token": token(kubernetes::demo::ENGINE_TOKEN),
                "username_template": kubernetes::demo::USERNAME_TEMPLATE,
            });
            let running = KubernetesStandin::start(world, &transport).map_err(text)?;
            Ok((running, about))
        }
        "linear" => {
            let world: LinearWorld =
                read(flags.world.as_deref())?.unwrap_or_else(linear::demo::world);
            let about = describe_linear(&world);
            Ok((
                LinearStandin::start(world, &transport).map_err(text)?,
                about,
            ))
        }
        "oidc" => {
            let world: OidcWorld = read(flags.world.as_deref())?.unwrap_or_default();
            Ok((
                OidcStandin::start(world, &transport).map_err(text)?,
                json!({}),
            ))
        }
        "slack" => {
            let world: SlackWorld =
                read(flags.world.as_deref())?.unwrap_or_else(slack::demo::world);
            let about = describe_slack(&world);
            Ok((SlackStandin::start(world, &transport).map_err(text)?, about))
        }
        _ => Ok((EchoStandin::start(&transport).map_err(text)?, json!({}))),
    }
}

fn describe(world: &GithubWorld, directory: &Path) -> Result<Value, String> {
    let first = world.organizations.iter().next();
    let installation = first
        .and_then(|(_, organization)| organization.installation.as_ref())
        .map(|found| found.id);
    let token = |wanted: &str| {
        world
            .tokens
            .contains_key(wanted)
            .then(|| wanted.to_owned())
            .or_else(|| world.tokens.keys().next().cloned())
    };
    Ok(json!({
        "app_id": world.app.id.to_string(),
        "client_id": world.app.client_id,
        "private_key_file": write(directory, "app.pem", &world.app.key)?,
        "wrong_private_key_file": write(directory, "stranger.pem", STRANGER_KEY)?,
        "organization": first.map(|(login, _)| login),
        "installation_id": installation.map(|id| id.to_string()),
        "token": token(demo::AGENT_TOKEN),
        "engine_token": token(demo::ENGINE_TOKEN),
    }))
}

fn describe_linear(world: &LinearWorld) -> Value {
    let token = |wanted: &'static str| world.tokens.contains_key(wanted).then_some(wanted);
    let teams: BTreeMap<&str, &str> = world
        .teams
        .iter()
        .map(|(id, team)| (team.key.as_str(), id.as_str()))
        .collect();
    json!({
        "token": token(linear::demo::AGENT_KEY),
        "engine_token": token(linear::demo::ENGINE_KEY),
        "teams": teams,
    })
}

fn describe_slack(world: &SlackWorld) -> Value {
    let token = |wanted: &'static str| world.tokens.contains_key(wanted).then_some(wanted);
    let channels = world.channels.iter();
    let channels: BTreeMap<&str, &str> = channels
        .map(|(id, channel)| (channel.name.as_str(), id.as_str()))
        .collect();
    json!({
        "team_id": world.team.id,
        "token": token(slack::demo::AGENT_TOKEN),
        "engine_token": token(slack::demo::ENGINE_TOKEN),
        "channels": channels,
    })
}

fn read<T: serde::de::DeserializeOwned>(file: Option<&Path>) -> Result<Option<T>, String> {
    let Some(file) = file else { return Ok(None) };
    let bytes = fs::read(file).map_err(|error| format!("--world `{}`: {error}", file.display()))?;
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| format!("--world `{}`: {error}", file.display()))
}

/// Serve until standard input ends or cannot be read.
fn wait_for_end() {
    let mut buffer = [0_u8; 256];
    let mut input = io::stdin().lock();
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// A directory of this run, readable by its owner, removed at the end.
struct Directory(PathBuf);

impl Directory {
    fn new() -> io::Result<Directory> {
        let path = std::env::temp_dir().join(format!("toolpass-standin-{}", std::process::id()));
        if path.exists() {
            // Left by an earlier process of the same number that was killed.
            fs::remove_dir_all(&path)?;
        }
        fs::create_dir(&path)?;
        Ok(Directory(path))
    }

    fn file(&self, name: &str, content: &str) -> Result<PathBuf, String> {
        write(&self.0, name, content)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What cannot be removed stays in the temporary directory; it opens nothing any more.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn write(directory: &Path, name: &str, content: &str) -> Result<PathBuf, String> {
    let path = directory.join(name);
    fs::write(&path, content).map_err(|error| format!("`{}`: {error}", path.display()))?;
    Ok(path)
}

fn text(error: Error) -> String {
    error.to_string()
}

const SYSTEMS: &[&str] = &[
    "echo",
    "github",
    "identity",
    "jira",
    "kubernetes",
    "linear",
    "oidc",
    "slack",
];
const USAGE: &str = "\
usage: toolpass-standin SYSTEM [FLAGS]

Plays a system on loopback, for tests and examples. Prints one line of JSON about itself (where it is, credentials, the
token of its control paths) and serves until standard input closes.

systems
  github     an API of GitHub: --ghes --name --tls --world
  echo       says what arrived: --name --tls
  identity   a provider of identities: --tls --world
  jira       a site of Jira Cloud, API versions 2 and 3: --name --tls --world
  kubernetes a cluster: --name --tls --world
  linear     a workspace of Linear, its API at /graphql: --name --tls --world
  oidc       a provider of ID tokens: --name --tls --world
  slack      a workspace of Slack, its Web API under /api: --name --tls --world

flags
  --ghes             plays a GitHub Enterprise Server, API under /api/v3; what a connection with `url:` needs
  --name HOST        a further name in its certificate; may be repeated
  --tls              speaks TLS, with a certificate authority of its own: `ca_file` of the line
  --world FILE.json  what there is in it, instead of the demo's
";
