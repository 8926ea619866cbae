//! `toolpass catalog`: the integrations, and the keys and actions of one.

use crate::support::{known, run, same};

#[test]
fn the_integrations_by_name() {
    let shown = run(&["catalog"]);
    let rows = shown.strip_prefix("exit 0\n--- stdout\n").unwrap();
    let rows: Vec<Vec<&str>> = rows
        .lines()
        .map(|row| row.split_whitespace().collect())
        .collect();
    assert!(rows.is_sorted_by(|a, b| a[0] < b[0]), "{shown}");
    assert_eq!(rows.len(), toolpass_registry::all().len());
    assert!(rows.contains(&vec!["fake", "3", "actions"]), "{shown}");
    assert!(rows.contains(&vec!["github", "13", "actions"]), "{shown}");
    let json = run(&["catalog", "-json"]);
    assert!(
        json.contains(r#"{"integration":"github","actions":13}"#),
        "{json}"
    );
}

#[test]
fn github() {
    same(
        &run(&["catalog", "github"]),
        r#"
exit 0
--- stdout
github

keys
  organization         the organization this connection answers for (required)
  url                  base address of a GitHub Enterprise Server or a ghe.com subdomain; github.com without it
  app_id               client id or numeric id of the GitHub App; needs `credential`
  installation_id      the App's installation; looked up by the organization without it
  credential           private key of the GitHub App: PEM, RSA (secret)
  token                fine-grained, classic or installation token, instead of an App (secret)
  identity_mode        how an e-mail becomes a login (saml | enterprise_saml | verified_email | template | map_file | http | callable)
  enterprise           slug of the enterprise whose identities are asked in mode `enterprise_saml`
  login_template       login made of `{email}`, `{local}` and `{domain}` (default {local})
  email_domains        domains whose users mode `template` answers for, comma-separated
  user_map_file        file of `email login` lines for mode `map_file`
  identity_url         service asked by mode `http`: answers a JSON string, the login
  identity_allow_http  whether `identity_url` may be plain http to another machine (true | false; default false)
  identity_token       sent to `identity_url` as a bearer token (secret)
  identity             callable from an e-mail to a login or nothing (in code only)
  collaborator_404     what a missing permission record means: the repository may be invisible, or the user no collaborator (unknown | deny; default unknown)

keys of every connection
  id                       the connection's name: lower-case letters, digits and `-`, at most 64 (required)
  integration              the product (required)
  ca_file                  a PEM file of the certificates to trust
  ca_mode                  whether `ca_file` replaces the system's certificates or is added to them (replace | add; default replace)
  caller_groups            what to do with groups the caller sends (accept | ignore | refuse; default accept)
  decision_cache_seconds   as at the top, for this connection
  deny_cache_seconds       how long a deny may be reused; as `decision_cache_seconds` when absent
  identity_cache_seconds   as at the top, for this connection
  max_concurrency          how many checks may ask the system at once, 1 to 1000 (default 32)
  no_proxy                 hosts asked without the proxy, separated by commas
  not_found_cache_seconds  how long an unknown user stays unknown: whole seconds or a duration up to 1h
  private                  `true`: what is read through it is private data (default false)
  proxy_credential         the password for the proxy (secret)
  proxy_url                the proxy for every host of this connection
  proxy_username           the user name for the proxy
  strict_reads             `true`: reads that no route names are refused (default false)
  timeout                  the budget of one check, more than 0 and at most 5m (default 8s)
  tls_server_name          the name sent to and verified for the connection's own host

actions
  repo.read        read   read repo
  repo.triage      write  manage issues and pull requests of repo
  repo.push        write  push to repo
  repo.maintain    write  maintain repo
  repo.admin       write  administer repo
  issue.create     write  open an issue on repo
  pr.create        write  open a pull request on repo
  pr.merge         write  merge a pull request of repo
  org.member       read   see what members see of org
  org.admin        write  administer org
  org.repo.create  write  create a repository in org
  team.member      read   see what members see of team
  team.maintainer  write  maintain team
"#,
    );
}

#[test]
fn a_search_looks_at_keys_and_actions() {
    same(
        &run(&["catalog", "-search", "WRITE"]),
        r#"
exit 0
--- stdout
fake:thing.write  write  write to thing
"#,
    );
    same(
        &run(&["catalog", "-search", "admin", "fake"]),
        r#"
exit 0
--- stdout
fake

keys
  admins  e-mails of the administrators, who are users too

actions
  thing.admin  destructive  administer thing
"#,
    );
    same(
        &run(&["catalog", "-search", "admin", "-json", "fake"]),
        r#"
exit 0
--- stdout
{"integration":"fake","keys":[{"name":"admins","help":"e-mails of the administrators, who are users too","required":false,"secret":false,"code_only":false}],"common_keys":[],"actions":[{"action":"thing.admin","effect":"destructive","resources":["thing"],"description":"administer thing"}]}
"#,
    );
    same(
        &run(&["catalog", "-search", "no such word"]),
        r#"
exit 1
--- stderr
toolpass catalog: -search: nothing contains `no such word`
"#,
    );
}

#[test]
fn an_unknown_integration_is_told_the_known() {
    same(
        &run(&["catalog", "githup"]),
        &format!(
            "exit 1\n--- stderr\ntoolpass catalog: there is no integration `githup`; there are {}\n",
            known(", ")
        ),
    );
}
