//! What a template takes and refuses, and that no value moves the parts of a resource.

use super::*;
use proptest::prelude::*;

fn fill(
    template: &str,
    values: &[(&'static str, &'static str)],
) -> Result<String, (String, Problem)> {
    let value_of = |name: &str| {
        values
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| Filled::Text(Cow::Borrowed(*value)))
    };
    match Template::parse(template).unwrap().fill(value_of) {
        Ok(resource) => Ok(resource.as_str().into()),
        Err(unfilled) => Err((unfilled.field, unfilled.problem)),
    }
}

#[test]
fn templates_are_filled() {
    for (template, values, resource) in [
        ("repo:{repo}", &[("repo", "acme/x")][..], "repo:acme/x"),
        (
            "repo:{owner}/{name}",
            &[("owner", "acme"), ("name", "x.y")],
            "repo:acme/x.y",
        ),
        (
            "repo:{repo}@{branch}",
            &[("repo", "acme/x"), ("branch", "feat/a:b")],
            "repo:acme/x@feat/a:b",
        ),
        (
            "repo:acme/x@{branch}",
            &[("branch", "release/1")],
            "repo:acme/x@release/1",
        ),
        (
            "repo:{owner}/x@main",
            &[("owner", "acme")],
            "repo:acme/x@main",
        ),
        (
            "s3:arn:aws:s3:::{bucket}/{key:path}",
            &[("bucket", "b"), ("key", "a/b c:d")],
            "s3:arn:aws:s3:::b/a/b c:d",
        ),
        (
            "user:{who:email}",
            &[("who", "o'neil+x@ex.co.uk")],
            "user:o'neil+x@ex.co.uk",
        ),
        (
            "doc:{id:any}",
            &[("id", "a b%c@d#e\\f;..")],
            "doc:a b%c@d#e\\f;..",
        ),
        (
            "ns:{ns}?name={pod}&kind=pod",
            &[("ns", "prod"), ("pod", "a&kind=b?/é;#%")],
            "ns:prod?name=a%26kind%3Db%3F%2F%C3%A9%3B%23%25&kind=pod",
        ),
        ("ns:x?a=pre-{v}-{v}", &[("v", "1")], "ns:x?a=pre-1-1"),
        ("user:{login}", &[("login", "日本")], "user:日本"),
        (
            "nonresource:{path}",
            &[("path", "/metrics")],
            "nonresource:/metrics",
        ),
        (
            "nonresource:{path}?verb=get",
            &[("path", "/metrics")],
            "nonresource:/metrics?verb=get",
        ),
        ("global", &[], "global"),
    ] {
        assert_eq!(fill(template, values), Ok(resource.into()), "{template}");
    }
    let numbered = Template::parse("issue:{owner}/{n}").unwrap();
    let value_of = |name: &str| {
        Some(if name == "n" {
            Filled::Integer(-7)
        } else {
            Filled::Text("acme".into())
        })
    };
    assert_eq!(numbered.fill(value_of).unwrap().as_str(), "issue:acme/-7");
}

#[test]
fn values_that_do_not_fit_are_named_and_not_shown() {
    for (template, value, problem) in [
        ("repo:acme/{x}", "a/b", Problem::Separator),
        ("repo:acme/{x}", "a:b", Problem::Separator),
        ("repo:{x}{y}", "a/b", Problem::Separator),
        ("repo:{x}/y@main", "a/b", Problem::Separator),
        ("repo:y@v{x}", "a/b", Problem::Separator),
        ("repo:{x}", "", Problem::Empty),
        ("repo:{x}", "acme/x@main", Problem::Character),
        ("repo:{x}", "acme/x?a=1", Problem::Character),
        ("repo:{x}", "acme/x#a", Problem::Character),
        ("repo:{x}", "acme/x;a", Problem::Character),
        ("repo:{x}", "acme/x&a", Problem::Character),
        ("repo:{x}", "acme/%2e", Problem::Character),
        ("repo:{x}", "acme\\x", Problem::Character),
        ("repo:{x}", "acme x", Problem::Character),
        ("repo:{x}", "acme\u{a0}x", Problem::Character),
        ("repo:{x}", "acme\nx", Problem::Character),
        ("repo:{x}", "acme\u{200b}x", Problem::Character),
        ("repo:{x}", "acme\u{2028}x", Problem::Character),
        ("repo:{x}", "a/../b", Problem::Segment),
        ("repo:{x}", "..", Problem::Segment),
        ("repo:.{x}", ".", Problem::Segment),
        ("repo:{x}", "a:..:b", Problem::Segment),
        ("p:{x:path}", "a/./b", Problem::Segment),
        ("p:.{x:path}", "/a", Problem::Segment),
        ("p:{x:path}.", "a/", Problem::Segment),
        ("p:./{x:path}.", "a/", Problem::Segment),
        ("p:{x:path}", " a", Problem::Character),
        ("p:{x:path}", "a ", Problem::Character),
        ("p:{x:path}", "a  b", Problem::Character),
        ("p:{x:path}", "a@b", Problem::Character),
        ("u:{x:email}", "not an address", Problem::Email),
        ("u:{x:email}", "a@b@c", Problem::Email),
        ("d:{x:any}", "a\u{0}", Problem::Character),
        ("d:{x:any}", "a?b=1", Problem::Resource),
        ("d:{x:any}?a=1", "y?a=2", Problem::Resource),
        ("d:{x:any}?a=1", "y?a=", Problem::Resource),
        ("d:{x:any}?a=1&b=2", "y?a=3&b=", Problem::Resource),
        ("d:x?q={x}", "a\u{0}", Problem::Character),
        ("d:x?q={x}", "a\u{202e}", Problem::Character),
        ("d:x?q={x:email}", "a", Problem::Email),
    ] {
        assert_eq!(
            fill(template, &[("x", value), ("y", "y")]),
            Err(("x".into(), problem)),
            "{template} {value:?}"
        );
    }
    assert_eq!(
        fill("repo:{owner}/{name}", &[("owner", "acme")]),
        Err(("name".into(), Problem::Missing))
    );
    let long = Template::parse("repo:{x}")
        .unwrap()
        .fill(|_| Some(Filled::Text("s3cret".repeat(200).into())))
        .unwrap_err();
    assert_eq!(long.problem, Problem::Resource);
    assert!(!long.to_string().contains("s3cret"));
}

#[test]
fn declarations_that_are_refused() {
    let field = |text: &str| TemplateError::Field(text.into());
    for (template, why) in [
        ("repo:{}", field("")),
        ("repo:{0}", field("0")),
        ("repo:{a.b}", field("a.b")),
        ("repo:{a[0]}", field("a[0]")),
        ("repo:{a!r}", field("a!r")),
        ("repo:{ a }", field(" a ")),
        ("repo:{:id}", field(":id")),
        ("repo:{a:>10}", TemplateError::Kind(">10".into())),
        ("repo:{a:}", TemplateError::Kind("".into())),
        ("repo:{a:Id}", TemplateError::Kind("Id".into())),
        ("repo:{a:id:path}", TemplateError::Kind("id:path".into())),
        ("repo:{a", TemplateError::Braces),
        ("repo:a}", TemplateError::Braces),
        ("repo:{{a}}", field("{a")),
        ("{a}", TemplateError::Place("a".into())),
        ("{kind}:x", TemplateError::Place("kind".into())),
        ("re{kind}:x", TemplateError::Place("kind".into())),
        ("ns:x?{k}=1", TemplateError::Place("k".into())),
        ("ns:x?{k}", TemplateError::Place("k".into())),
        ("ns:x?a=1&b{k}=2", TemplateError::Place("k".into())),
        ("", TemplateError::Resource(InvalidResource::Empty)),
        ("Repo:{a}", TemplateError::Resource(InvalidResource::Type)),
        (
            "ns:{a}?a=1&a=2",
            TemplateError::Resource(InvalidResource::KeyTwice),
        ),
        (
            "ns:{a}\n",
            TemplateError::Resource(InvalidResource::Control),
        ),
    ] {
        assert_eq!(Template::parse(template), Err(why), "{template:?}");
    }
}

#[test]
fn fields_are_listed_once_in_order() {
    let template = Template::parse("t:{b}/{a:path}?x={b}&y={c:any}").unwrap();
    assert_eq!(template.fields(), ["b", "a", "c"]);
    assert_eq!(template.kind(), "t");
}

/// Characters that mean something to a resource, a URL or a path, and some that fold onto them.
const HOSTILE: &str = "[a?#&;%\\\\@:/. =+{}\u{0}\u{200b}\u{2028}\u{a0}\u{ff0f}\u{ff20}\u{ff1f}\u{2025}é2eEfF\"'<>|~^`$!*\\[\\](),\t\n-]{0,12}";

proptest! {
    #[test]
    fn no_value_moves_the_parts_of_a_resource(owner in HOSTILE, name in HOSTILE, branch in HOSTILE, q in HOSTILE) {
        let template = Template::parse("repo:{owner}/{name}@{branch}?a={q}&b=1").unwrap();
        let value_of = |field: &str| Some(Filled::Text(Cow::Borrowed(match field {
            "owner" => owner.as_str(), "name" => &name, "branch" => &branch, _ => &q,
        })));
        if let Ok(resource) = template.fill(value_of) {
            prop_assert_eq!(resource.kind(), "repo");
            let (id, suffix) = resource.id().rsplit_once('@').unwrap();
            prop_assert_eq!(suffix, &branch);
            prop_assert_eq!(id.split('/').collect::<Vec<_>>(), [&owner, &name]);
            prop_assert_eq!(resource.id().matches('@').count(), 1);
            let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
            prop_assert_eq!(resource.query(), [pair("a", &q), pair("b", "1")]);
        }
    }

    #[test]
    fn no_value_of_any_kind_changes_type_or_query_keys(value in HOSTILE, kind in "id|path|email|any", rest in "|/y|@main|\\?k=1|\\?k=1&l=2") {
        let template = Template::parse(&format!("doc:{{v:{kind}}}{rest}")).unwrap();
        let own = Resource::parse(&format!("doc:x{rest}")).unwrap();
        if let Ok(resource) = template.fill(|_| Some(Filled::Text(Cow::Borrowed(value.as_str())))) {
            prop_assert_eq!(resource.kind(), "doc");
            prop_assert_eq!(resource.query(), own.query());
        }
    }

    #[test]
    fn a_filled_id_has_no_dot_segment(value in "[a./:]{0,6}", template in "p:\\{v\\}|p:\\{v:path\\}|p:\\.\\{v:path\\}|p:a/\\{v:path\\}\\.|p:\\{v\\}\\{v\\}") {
        let template = Template::parse(&template).unwrap();
        if let Ok(resource) = template.fill(|_| Some(Filled::Text(Cow::Borrowed(value.as_str())))) {
            prop_assert!(!resource.id().split('/').any(|segment| matches!(segment, "." | "..")), "{}", resource);
        }
    }

    #[test]
    fn never_panics(template in "[a-z]{0,3}:?[{}a-z:@?&=/]{0,20}|\\PC{0,20}", value in HOSTILE) {
        if let Ok(template) = Template::parse(&template) {
            let _ = template.fill(|_| Some(Filled::Text(Cow::Borrowed(value.as_str()))));
        }
    }
}
