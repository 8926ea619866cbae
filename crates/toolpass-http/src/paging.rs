//! Lists that come in pages: reading `Link`, and judging where it may lead.
//!
//! Separate because a lost page is a lost fact: a grant not seen, or a rule that denies not seen. So a header that cannot
//! be read, an address outside the base and more than 50 pages are errors, never the end of the list.
//! Source: RFC 8288 §3 and appendix B.

use http::{HeaderMap, header};

use crate::budget::Context;
use crate::error::{Error, Kind};
use crate::request::Request;
use crate::response::Response;
use crate::url::Url;

/// At most this many pages are read of one list.
pub const MAX_PAGES: usize = 50;

/// One link of a `Link` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The reference between `<` and `>`, as it stands.
    pub target: String,
    /// The relation types, in lower case.
    pub relations: Vec<String>,
    /// Whether the link is about another page than the one asked for.
    pub has_anchor: bool,
}

/// The header is not what RFC 8288 describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer's `Link` header cannot be read")]
pub struct InvalidLink;

/// What a reader of pages wants after one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The next page, when there is one.
    More,
    /// Nothing: what was looked for is found.
    Stop,
}

/// Send `first`, then what `next` makes of each answer, until it makes nothing.
/// Errors: a request's own; `upstream_error` after 50 pages.
pub async fn paginate<F>(ctx: &Context, first: Request, mut next: F) -> Result<(), Error>
where
    F: FnMut(&Response) -> Result<Option<Request>, Error>,
{
    let mut request = first;
    for _ in 0..MAX_PAGES {
        let response = request.send(ctx).await?;
        match next(&response)? {
            Some(following) => request = following,
            None => return Ok(()),
        }
    }
    Err(Error::malformed(format!(
        "the list has more than {MAX_PAGES} pages, so it cannot be read whole"
    )))
}

/// As [`paginate`], following `rel="next"` with the method, headers and marks of `first`.
/// Errors: as [`paginate`]; a header that cannot be read, or that leads out of the base.
pub async fn paginate_links<F>(ctx: &Context, first: Request, mut page: F) -> Result<(), Error>
where
    F: FnMut(&Response) -> Result<Flow, Error>,
{
    let template = first.clone();
    paginate(ctx, first, |response| match page(response)? {
        Flow::More => Ok(response.link_next()?.map(|url| template.clone().to(url))),
        Flow::Stop => Ok(None),
    })
    .await
}

/// Where the next page is; none when the headers name no next page.
/// Errors: a header that cannot be read, several next pages, one outside `base`.
pub fn next_page(headers: &HeaderMap, asked: &Url, base: &Url) -> Result<Option<Url>, Error> {
    let unreadable = |InvalidLink| Error::malformed(InvalidLink.to_string());
    let mut next: Option<String> = None;
    for value in headers.get_all(header::LINK) {
        let text = value.to_str().map_err(|_| unreadable(InvalidLink))?;
        for link in parse_link(text).map_err(unreadable)? {
            if !link.relations.iter().any(|relation| relation == "next") {
                continue;
            }
            if link.has_anchor || next.as_ref().is_some_and(|known| *known != link.target) {
                return Err(Error::malformed(
                    "the answer's `Link` header names several next pages",
                ));
            }
            next = Some(link.target);
        }
    }
    next.map(|target| within(base, asked, &target)).transpose()
}

/// Resolve a reference found in the answer to `asked`, and accept it only within `base`: same scheme, host and port, a
/// path equal to the base's or below it, no userinfo, no dot segment, no encoded slash and no backslash. An encoded slash
/// that was in the path asked for may come back in the very same path.
/// Errors: `upstream_error`, naming scheme, host and path.
pub fn within(base: &Url, asked: &Url, reference: &str) -> Result<Url, Error> {
    let refused = |what: String| {
        Error::new(
            Kind::Request,
            format!("the answer leads to {what}, outside of {base}"),
        )
    };
    let url = asked
        .join(reference)
        .map_err(|why| refused(format!("an address that cannot be asked ({why})")))?;
    let folder = base.path().trim_end_matches('/');
    let below = url
        .path()
        .strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let walks = url.path() != asked.path() && walks(url.path());
    if !url.same_origin(base) || !below || walks {
        return Err(refused(url.to_string()));
    }
    Ok(url)
}

/// Read one value of a `Link` header.
/// Errors: [`InvalidLink`].
pub fn parse_link(value: &str) -> Result<Vec<Link>, InvalidLink> {
    let mut links = Vec::new();
    let mut rest = value.trim_start_matches(is_separator);
    while !rest.is_empty() {
        let (target, parameters) = rest
            .strip_prefix('<')
            .and_then(|rest| rest.split_once('>'))
            .ok_or(InvalidLink)?;
        if target.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '"')) {
            return Err(InvalidLink);
        }
        let (link, after) = parse_parameters(target, parameters)?;
        links.push(link);
        rest = after;
    }
    Ok(links)
}

fn parse_parameters<'a>(target: &str, parameters: &'a str) -> Result<(Link, &'a str), InvalidLink> {
    let mut link = Link {
        target: target.into(),
        relations: Vec::new(),
        has_anchor: false,
    };
    let mut has_relation = false;
    let mut rest = parameters.trim_start();
    while let Some(after) = rest.strip_prefix(';') {
        let after = after.trim_start();
        let end = after
            .find(|c: char| matches!(c, '=' | ';' | ',') || c.is_whitespace())
            .unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        if !name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
        {
            return Err(InvalidLink);
        }
        let after = after.trim_start();
        let (value, after) = match after.strip_prefix('=') {
            None => (String::new(), after),
            Some(_) if name.is_empty() => return Err(InvalidLink),
            Some(after) => parse_value(after.trim_start())?,
        };
        match name.to_ascii_lowercase().as_str() {
            // The first one counts (RFC 8288 §3.3).
            "rel" if !has_relation => {
                has_relation = true;
                link.relations = value
                    .split_ascii_whitespace()
                    .map(str::to_ascii_lowercase)
                    .collect();
            }
            "anchor" => link.has_anchor = true,
            _ => {}
        }
        rest = after.trim_start();
    }
    match rest.strip_prefix(',') {
        Some(after) => Ok((link, after.trim_start_matches(is_separator))),
        None if rest.is_empty() => Ok((link, rest)),
        None => Err(InvalidLink),
    }
}

/// A quoted string or a bare value, and what follows it.
fn parse_value(text: &str) -> Result<(String, &str), InvalidLink> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text
            .find(|c: char| matches!(c, ';' | ',') || c.is_whitespace())
            .unwrap_or(text.len());
        let (value, after) = text.split_at(end);
        return if value.contains(['"', '<', '>']) {
            Err(InvalidLink)
        } else {
            Ok((value.into(), after))
        };
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Ok((value, quoted.get(at + 1..).unwrap_or_default())),
            '\\' => value.push(characters.next().ok_or(InvalidLink)?.1),
            _ => value.push(c),
        }
    }
    Err(InvalidLink)
}

fn is_separator(c: char) -> bool {
    matches!(c, ',' | ' ' | '\t')
}

/// Whether a path holds what some server may read as a step up or as another separator.
fn walks(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let dots = |segment: &str| matches!(segment.replace("%2e", ".").as_str(), "." | "..");
    path.contains("%2f") || path.contains("%5c") || path.contains('\\') || path.split('/').any(dots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links() {
        let check = |value: &str, expected: Result<&[(&str, &str)], InvalidLink>| {
            let found = parse_link(value);
            let found: Result<Vec<_>, _> = found.map(|links| {
                links
                    .into_iter()
                    .map(|link| (link.target, link.relations.join(" ")))
                    .collect()
            });
            let expected = expected.map(|list| {
                list.iter()
                    .map(|(t, r)| (t.to_string(), r.to_string()))
                    .collect()
            });
            assert_eq!(found, expected, "{value}");
        };
        check("", Ok(&[]));
        check(" , ", Ok(&[]));
        check(
            r#"<https://h/i?labels=a,b&page=2>; rel="next""#,
            Ok(&[("https://h/i?labels=a,b&page=2", "next")]),
        );
        check("</a>; rel=next", Ok(&[("/a", "next")]));
        check(r#"</a>; REL="NEXT""#, Ok(&[("/a", "next")]));
        check(r#"</a>; rel="prev next""#, Ok(&[("/a", "prev next")]));
        check(
            r#"</a>; title="x; y, <z>"; rel="next", </b>;rel=last"#,
            Ok(&[("/a", "next"), ("/b", "last")]),
        );
        check(
            r#"</a>; title="q\"; rel=\"last"; rel="next""#,
            Ok(&[("/a", "next")]),
        );
        check(
            r#"</a> ; rel = "next" , ,</b> ; rel=last"#,
            Ok(&[("/a", "next"), ("/b", "last")]),
        );
        check(r#"</a>; rel="next"; rel="last""#, Ok(&[("/a", "next")]));
        check("</a>; crossorigin; rel=next;", Ok(&[("/a", "next")]));
        check("<>; rel=next", Ok(&[("", "next")]));
        check("</a>", Ok(&[("/a", "")]));
        for bad in [
            "x",
            "/a; rel=next",
            "</a; rel=next",
            r#"</a>; rel="next"#,
            r#"</a>; rel="next" x"#,
            "</a>x; rel=next",
            "</a>; =next",
            r#"</a>; rel=ne"xt"#,
            "</a b>; rel=next",
            r#"</a>; rel="next\"#,
            "</a> </b>",
        ] {
            check(bad, Err(InvalidLink));
        }
    }

    #[test]
    fn next_pages() {
        let base = Url::parse("https://h/api/v4").unwrap();
        let asked = Url::parse("https://h/api/v4/items?page=1").unwrap();
        let check = |values: &[&str], expected: Result<Option<&str>, &str>| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::LINK, value.parse().unwrap());
            }
            let found = next_page(&headers, &asked, &base)
                .map(|url| url.map(|url| url.path_and_query()))
                .map_err(|e| e.to_string());
            match (&found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found.as_deref(), expected, "{values:?}"),
                (Err(found), Err(expected)) => {
                    assert!(found.contains(expected), "{values:?}: {found}")
                }
                _ => panic!("{values:?}: {found:?}"),
            }
        };
        check(&[], Ok(None));
        check(&["</x>; rel=last"], Ok(None));
        check(
            &["</x>; rel=last", "<?page=2>; rel=next"],
            Ok(Some("/api/v4/items?page=2")),
        );
        check(
            &["<?page=2>; rel=next, <?page=2>; rel=next"],
            Ok(Some("/api/v4/items?page=2")),
        );
        check(
            &["<?page=2>; rel=next, <?page=3>; rel=next"],
            Err("several next pages"),
        );
        check(
            &["<?page=2>; rel=next; anchor=\"/y\""],
            Err("several next pages"),
        );
        check(&["garbage"], Err("cannot be read"));
        check(
            &["<https://evil.example/api/v4/items?secret=1>; rel=next"],
            Err("https://evil.example/api/v4/items, outside of https://h/api/v4"),
        );
    }

    #[test]
    fn only_what_lies_within_the_base() {
        let base = Url::parse("https://gitlab.example.com/api/v4").unwrap();
        let asked =
            Url::parse("https://gitlab.example.com/api/v4/projects/a%2Fb/members?page=1").unwrap();
        let check = |reference: &str, expected: bool| {
            assert_eq!(
                within(&base, &asked, reference).is_ok(),
                expected,
                "{reference}"
            );
        };
        check("?page=2", true);
        check(
            "https://gitlab.example.com/api/v4/projects/a%2Fb/members?page=2",
            true,
        );
        check("HTTPS://GITLAB.example.com:443/api/v4/x", true);
        check("/api/v4", true);
        check("/api/v4/x?y=%2F..%2F", true);
        for bad in [
            "http://gitlab.example.com/api/v4/x",
            "https://gitlab.example.com:8443/api/v4/x",
            "https://evil.example/api/v4/x",
            "//evil.example/api/v4/x",
            "/api/v4x",
            "/api/v5/x",
            "/",
            "/api/v4/../../oauth/token",
            "/api/v4/%2e%2e/%2E%2e/oauth",
            "/api/v4/.%2e/x",
            "/api/v4/./x",
            "/api/v4/..%2f..%2foauth",
            r"/api/v4/..\..\oauth",
            "/api/v4/x%5cy",
            "../x",
            "https://u:p@gitlab.example.com/api/v4/x",
            "https://gitlab.example.com@evil.example/api/v4/x",
            "javascript:x",
            "/api/v4/projects/c%2Fd/members",
        ] {
            check(bad, false);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_header_is_read_or_refused(value in r#"[<>;, ="\\a-c/?*\t]{0,40}"#) {
            let _ = parse_link(&value);
        }

        #[test]
        fn what_is_written_is_read(target in "[a-z/?&=,;:%]{0,20}", title in r#"[a-z;,<> =]{0,12}"#, before in "[a-z]{1,5}") {
            let value = format!(r#"<{target}>; title="{title}"; rel="{before} next", <x>; rel=last"#);
            let links = parse_link(&value).unwrap();
            proptest::prop_assert_eq!(links.len(), 2);
            proptest::prop_assert_eq!(&links[0].target, &target);
            proptest::prop_assert_eq!(&links[0].relations, &vec![before, "next".to_owned()]);
        }

        #[test]
        fn nothing_accepted_leaves_the_base(reference in r#"[a-z./%2eEfF:@?#\\]{0,30}"#) {
            let base = Url::parse("https://h/api/v4").unwrap();
            let asked = Url::parse("https://h/api/v4/items").unwrap();
            if let Ok(url) = within(&base, &asked, &reference) {
                proptest::prop_assert!(url.same_origin(&base));
                proptest::prop_assert!(url.path() == "/api/v4" || url.path().starts_with("/api/v4/"));
                let decoded = percent_encoding::percent_decode_str(url.path()).decode_utf8_lossy().into_owned();
                proptest::prop_assert!(!decoded.split(['/', '\\']).any(|segment| segment == ".." || segment == "."));
            }
        }
    }
}
