//! Files, commits and refs: text files per branch, commits by name only.
//!
//! There is no git behind it: a write gives the branch a new commit id, and a commit's tree is the branch it is the tip of.
//! Source: docs.github.com/rest/repos/contents, /rest/commits, /rest/git.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::auth::message;
use super::call::{Answer, Call, invalid, not_found, text};
use super::render::{self, join};
use super::world::repository::{Branch, Repository};
use crate::message::{Reply, set};
use crate::server::random_hex;

/// The chapters' endpoints.
pub(super) fn route(call: &mut Call<'_>, method: &str, names: &[&str]) -> Option<Answer> {
    match (method, names) {
        ("GET", ["repos", owner, repo, "contents", path @ ..]) => {
            Some(read(call, owner, repo, &path.join("/")))
        }
        ("PUT", ["repos", owner, repo, "contents", path @ ..]) => {
            Some(write(call, owner, repo, &path.join("/")))
        }
        ("DELETE", ["repos", owner, repo, "contents", path @ ..]) => {
            Some(remove(call, owner, repo, &path.join("/")))
        }
        ("GET", ["repos", owner, repo, "readme"]) => Some(read(call, owner, repo, "README.md")),
        ("GET", ["repos", owner, repo, "commits"]) => Some(commits(call, owner, repo)),
        ("GET", ["repos", owner, repo, "commits", sha]) => Some(commit(call, owner, repo, sha)),
        ("GET", ["repos", owner, repo, "git", "ref", name @ ..]) => {
            Some(reference(call, owner, repo, &name.join("/")))
        }
        ("GET", ["repos", owner, repo, "git", "refs", name @ ..]) if !name.is_empty() => {
            Some(reference(call, owner, repo, &name.join("/")))
        }
        ("POST", ["repos", owner, repo, "git", "refs"]) => {
            Some(create_reference(call, owner, repo))
        }
        ("PATCH", ["repos", owner, repo, "git", "refs", name @ ..]) => {
            Some(move_reference(call, owner, repo, &name.join("/")))
        }
        ("DELETE", ["repos", owner, repo, "git", "refs", name @ ..]) => {
            Some(delete_reference(call, owner, repo, &name.join("/")))
        }
        ("GET", ["repos", owner, repo, "git", "blobs", sha]) => Some(blob(call, owner, repo, sha)),
        ("GET", ["repos", owner, repo, "git", "commits", sha]) => {
            Some(git_commit(call, owner, repo, sha))
        }
        ("POST", ["repos", owner, repo, "merges"]) => Some(merge_branches(call, owner, repo)),
        ("POST", ["repos", owner, repo, "branches", branch, "rename"]) => {
            Some(rename(call, owner, repo, branch))
        }
        _ => None,
    }
}

/// A commit as the repository endpoints show it.
pub(super) fn commit_body(call: &Call<'_>, full_name: &str, sha: &str, text: &str) -> Value {
    let author = render::user(
        call.world,
        &call.links,
        full_name.split('/').next().unwrap_or_default(),
    );
    let url = format!("{}/repos/{full_name}/commits/{sha}", call.links.api);
    json!({
        "url": url, "sha": sha, "node_id": format!("C_{sha}"), "html_url": format!("{}/{full_name}/commit/{sha}", call.links.web),
        "comments_url": format!("{url}/comments"), "author": author, "committer": author, "parents": [],
        "commit": git_commit_body(call, full_name, sha, text),
    })
}

/// The SHA-1 of some bytes as 40 hexadecimal digits: what git calls things by.
pub(super) fn sha1_hex(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, bytes);
    digest
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn read(call: &Call<'_>, owner: &str, repo: &str, path: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    call.caller.need("contents", super::auth::Level::Read)?;
    let wanted = call.request.query_value("ref");
    let (branch, item) =
        at(record, wanted.as_deref()).ok_or_else(|| message(404, "No commit found for the ref"))?;
    if let Some(content) = item.files.get(path) {
        return Ok(Reply::json(
            200,
            &file_body(call, &name, branch, path, Some(content)),
        ));
    }
    let entries = folder(call, &name, branch, item, path);
    if entries.is_empty() && !path.is_empty() {
        Err(not_found())
    } else {
        Ok(Reply::json(200, &json!(entries)))
    }
}

fn write(call: &mut Call<'_>, owner: &str, repo: &str, path: &str) -> Answer {
    let body = call.request.json();
    let author = call.author();
    let (name, record) = call.writable(owner, repo, "contents")?;
    let message_text = text(&body, "message")
        .ok_or_else(|| invalid("Invalid request.\n\n\"message\" wasn't supplied."))?;
    let encoded = text(&body, "content")
        .ok_or_else(|| invalid("Invalid request.\n\n\"content\" wasn't supplied."))?;
    let packed: String = encoded.split_whitespace().collect();
    let bytes = STANDARD
        .decode(packed)
        .map_err(|_| invalid("content is not valid Base64"))?;
    let content = String::from_utf8_lossy(&bytes).into_owned();
    let branch = text(&body, "branch").unwrap_or_else(|| record.default_branch.clone());
    let item = record
        .branches
        .get_mut(&branch)
        .ok_or_else(|| message(404, &format!("Branch {branch} not found")))?;
    let status = match item.files.get(path) {
        None => 201,
        Some(old) if text(&body, "sha").as_deref() == Some(blob_sha(old).as_str()) => 200,
        Some(_) => {
            return Err(message(
                409,
                &format!("{path} does not match the given sha"),
            ));
        }
    };
    item.files.insert(path.to_owned(), content.clone());
    item.sha = new_sha()?;
    let sha = item.sha.clone();
    let file = file_body(call, &name, &branch, path, None);
    let file = join(
        file,
        json!({"sha": blob_sha(&content), "size": content.len()}),
    );
    let commit = join(
        git_commit_body(call, &name, &sha, &message_text),
        json!({"author": person(&author)}),
    );
    Ok(Reply::json(
        status,
        &json!({"content": file, "commit": commit}),
    ))
}

fn remove(call: &mut Call<'_>, owner: &str, repo: &str, path: &str) -> Answer {
    let body = call.request.json();
    let member = |name: &str| text(&body, name).or_else(|| call.request.query_value(name));
    let (branch, message_text, given) = (
        member("branch"),
        member("message").unwrap_or_default(),
        member("sha"),
    );
    let (name, record) = call.writable(owner, repo, "contents")?;
    let branch = branch.unwrap_or_else(|| record.default_branch.clone());
    let item = record
        .branches
        .get_mut(&branch)
        .ok_or_else(|| message(404, &format!("Branch {branch} not found")))?;
    let old = item.files.get(path).ok_or_else(not_found)?;
    if given.as_deref() != Some(blob_sha(old).as_str()) {
        return Err(message(
            409,
            &format!("{path} does not match the given sha"),
        ));
    }
    item.files.remove(path);
    item.sha = new_sha()?;
    let sha = item.sha.clone();
    Ok(Reply::json(
        200,
        &json!({"content": null, "commit": git_commit_body(call, &name, &sha, &message_text)}),
    ))
}

fn commits(call: &Call<'_>, owner: &str, repo: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let (_, item) = at(record, call.request.query_value("sha").as_deref()).ok_or_else(not_found)?;
    Ok(call.page(vec![commit_body(call, &name, &item.sha, "a commit")]))
}

fn commit(call: &Call<'_>, owner: &str, repo: &str, sha: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let (_, item) = at(record, Some(sha)).ok_or_else(|| invalid("No commit found for the sha"))?;
    let body = join(
        commit_body(call, &name, &item.sha, "a commit"),
        json!({"files": [], "stats": {"additions": 0, "deletions": 0, "total": 0}}),
    );
    Ok(Reply::json(200, &body))
}

fn git_commit(call: &Call<'_>, owner: &str, repo: &str, sha: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let (_, item) = at(record, Some(sha)).ok_or_else(not_found)?;
    Ok(Reply::json(
        200,
        &git_commit_body(call, &name, &item.sha, "a commit"),
    ))
}

fn blob(call: &Call<'_>, owner: &str, repo: &str, sha: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let mut all = record
        .branches
        .values()
        .flat_map(|branch| branch.files.values());
    let content = all
        .find(|content| blob_sha(content) == sha)
        .ok_or_else(not_found)?;
    let body = json!({
        "sha": sha, "node_id": format!("B_{sha}"), "size": content.len(), "content": STANDARD.encode(content), "encoding": "base64",
        "url": format!("{}/repos/{name}/git/blobs/{sha}", call.links.api),
    });
    Ok(Reply::json(200, &body))
}

fn reference(call: &Call<'_>, owner: &str, repo: &str, path: &str) -> Answer {
    let (name, record) = call.repository(owner, repo)?;
    let branch = path.strip_prefix("heads/").ok_or_else(not_found)?;
    let item = record.branches.get(branch).ok_or_else(not_found)?;
    Ok(Reply::json(
        200,
        &reference_body(call, &name, branch, &item.sha),
    ))
}

fn create_reference(call: &mut Call<'_>, owner: &str, repo: &str) -> Answer {
    let body = call.request.json();
    let (name, record) = call.writable(owner, repo, "contents")?;
    let (Some(full), Some(sha)) = (text(&body, "ref"), text(&body, "sha")) else {
        return Err(invalid(
            "Invalid request.\n\n\"ref\" and \"sha\" are required.",
        ));
    };
    let Some(branch) = full.strip_prefix("refs/heads/") else {
        // Tags are taken and not kept.
        let object = json!({"type": "commit", "sha": sha, "url": format!("{}/repos/{name}/git/commits/{sha}", call.links.api)});
        let url = format!("{}/repos/{name}/git/{full}", call.links.api);
        return Ok(Reply::json(
            201,
            &json!({"ref": full, "node_id": "REF_tag", "url": url, "object": object}),
        ));
    };
    if record.branches.contains_key(branch) {
        return Err(invalid("Reference already exists"));
    }
    let files = record
        .branches
        .values()
        .find(|item| item.sha == sha)
        .map(|item| item.files.clone());
    let files = files.ok_or_else(|| invalid("Object does not exist"))?;
    record.branches.insert(
        branch.to_owned(),
        Branch {
            sha: sha.clone(),
            files,
            protection: None,
        },
    );
    Ok(Reply::json(201, &reference_body(call, &name, branch, &sha)))
}

fn move_reference(call: &mut Call<'_>, owner: &str, repo: &str, path: &str) -> Answer {
    let body = call.request.json();
    let (name, record) = call.writable(owner, repo, "contents")?;
    let branch = path
        .strip_prefix("heads/")
        .ok_or_else(|| invalid("Reference does not exist"))?;
    let item = record
        .branches
        .get_mut(branch)
        .ok_or_else(|| invalid("Reference does not exist"))?;
    item.sha = text(&body, "sha")
        .ok_or_else(|| invalid("Invalid request.\n\n\"sha\" wasn't supplied."))?;
    let sha = item.sha.clone();
    Ok(Reply::json(200, &reference_body(call, &name, branch, &sha)))
}

fn delete_reference(call: &mut Call<'_>, owner: &str, repo: &str, path: &str) -> Answer {
    let (_, record) = call.writable(owner, repo, "contents")?;
    let branch = path
        .strip_prefix("heads/")
        .ok_or_else(|| invalid("Reference does not exist"))?;
    record
        .branches
        .remove(branch)
        .ok_or_else(|| invalid("Reference does not exist"))?;
    Ok(Reply::empty(204))
}

fn merge_branches(call: &mut Call<'_>, owner: &str, repo: &str) -> Answer {
    let body = call.request.json();
    let (name, record) = call.writable(owner, repo, "contents")?;
    let base = text(&body, "base")
        .ok_or_else(|| invalid("Invalid request.\n\n\"base\" wasn't supplied."))?;
    let item = record
        .branches
        .get_mut(&base)
        .ok_or_else(|| message(404, "Base does not exist"))?;
    item.sha = new_sha()?;
    let sha = item.sha.clone();
    Ok(Reply::json(201, &commit_body(call, &name, &sha, "a merge")))
}

fn rename(call: &mut Call<'_>, owner: &str, repo: &str, branch: &str) -> Answer {
    let body = call.request.json();
    let (name, record) = call.writable(owner, repo, "contents")?;
    let new_name = text(&body, "new_name")
        .ok_or_else(|| invalid("Invalid request.\n\n\"new_name\" wasn't supplied."))?;
    let item = record
        .branches
        .remove(branch)
        .ok_or_else(|| message(404, "Branch not found"))?;
    if record.default_branch == branch {
        record.default_branch.clone_from(&new_name);
    }
    let sha = item.sha.clone();
    record.branches.insert(new_name.clone(), item);
    let body = json!({"name": new_name, "commit": commit_body(call, &name, &sha, "a commit"), "protected": false});
    Ok(Reply::json(201, &body))
}

/// A branch by name, ref or commit; the default branch without one.
fn at<'a>(record: &'a Repository, wanted: Option<&str>) -> Option<(&'a str, &'a Branch)> {
    let wanted = wanted.unwrap_or(&record.default_branch);
    let short = wanted.strip_prefix("refs/heads/").unwrap_or(wanted);
    let mut all = record.branches.iter();
    all.find(|(name, item)| name.as_str() == short || item.sha == wanted)
        .map(|(name, item)| (name.as_str(), item))
}

fn folder(call: &Call<'_>, full_name: &str, branch: &str, item: &Branch, path: &str) -> Vec<Value> {
    let prefix = if path.is_empty() {
        String::new()
    } else {
        format!("{path}/")
    };
    let mut entries: Vec<Value> = Vec::new();
    let mut last = String::new();
    for (file, content) in &item.files {
        let Some(rest) = file.strip_prefix(&prefix) else {
            continue;
        };
        let (first, deeper) = rest
            .split_once('/')
            .map_or((rest, false), |(first, _)| (first, true));
        if first == last {
            continue;
        }
        last = first.to_owned();
        let entry = file_body(call, full_name, branch, &format!("{prefix}{first}"), None);
        let own = if deeper {
            json!({"type": "dir", "size": 0, "sha": sha1_hex(first.as_bytes()), "download_url": null})
        } else {
            json!({"sha": blob_sha(content), "size": content.len()})
        };
        entries.push(join(entry, own));
    }
    entries
}

fn file_body(
    call: &Call<'_>,
    full_name: &str,
    branch: &str,
    path: &str,
    content: Option<&String>,
) -> Value {
    let sha = content.map(|text| blob_sha(text)).unwrap_or_default();
    let url = format!(
        "{}/repos/{full_name}/contents/{path}?ref={branch}",
        call.links.api
    );
    let git_url = format!("{}/repos/{full_name}/git/blobs/{sha}", call.links.api);
    let web = format!("{}/{full_name}/blob/{branch}/{path}", call.links.web);
    let mut body = json!({
        "type": "file", "name": path.rsplit('/').next(), "path": path, "sha": sha, "size": content.map_or(0, String::len), "url": url,
        "git_url": git_url, "html_url": web, "download_url": format!("{}/{full_name}/raw/{branch}/{path}", call.links.web),
        "_links": {"self": url, "git": git_url, "html": web},
    });
    if let Some(content) = content {
        set(&mut body, "encoding", json!("base64"));
        set(
            &mut body,
            "content",
            json!(format!("{}\n", STANDARD.encode(content))),
        );
    }
    body
}

fn git_commit_body(call: &Call<'_>, full_name: &str, sha: &str, text: &str) -> Value {
    let url = format!("{}/repos/{full_name}/git", call.links.api);
    json!({
        "sha": sha, "node_id": format!("C_{sha}"), "url": format!("{url}/commits/{sha}"),
        "html_url": format!("{}/{full_name}/commit/{sha}", call.links.web), "author": person("standin"), "committer": person("standin"),
        "message": text, "tree": {"sha": sha, "url": format!("{url}/trees/{sha}")}, "parents": [], "comment_count": 0,
        "verification": {"verified": false, "reason": "unsigned", "signature": null, "payload": null, "verified_at": null},
    })
}

fn reference_body(call: &Call<'_>, full_name: &str, branch: &str, sha: &str) -> Value {
    let url = format!("{}/repos/{full_name}/git", call.links.api);
    json!({
        "ref": format!("refs/heads/{branch}"), "node_id": format!("REF_{branch}"), "url": format!("{url}/refs/heads/{branch}"),
        "object": {"type": "commit", "sha": sha, "url": format!("{url}/commits/{sha}")},
    })
}

fn person(login: &str) -> Value {
    json!({"name": login, "email": format!("{login}@users.noreply.github.com"), "date": render::TIME})
}

/// What git calls a file with this content.
fn blob_sha(content: &str) -> String {
    sha1_hex(format!("blob {}\0{content}", content.len()).as_bytes())
}

fn new_sha() -> Result<String, Reply> {
    random_hex(20).map_err(|error| message(500, &error.to_string()))
}

#[cfg(test)]
mod tests {
    /// `printf 'hello\n' | git hash-object --stdin`
    #[test]
    fn a_blob_is_called_what_git_calls_it() {
        assert_eq!(
            super::blob_sha("hello\n"),
            "ce013625030ba8dba906f756967f9e9ca394464a"
        );
    }
}
