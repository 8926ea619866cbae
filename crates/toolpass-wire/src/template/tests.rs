//! Templates and what they are held against.

use super::*;

fn path(text: &'static str) -> Result<PathTemplate, InvalidTemplate> {
    PathTemplate::parse(&Text::Borrowed(text))
}

fn fill(template: &'static str, fields: &[(&str, &str)]) -> Result<String, String> {
    let template = ResourceTemplate::parse(&Text::Borrowed(template)).unwrap();
    template
        .fill(|name| {
            fields
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| *value)
        })
        .map_err(|why| why.to_string())
}

#[test]
fn paths_that_are_no_templates() {
    for (text, why) in [
        ("repos", InvalidTemplate::NoSlash),
        ("/a//b", InvalidTemplate::Empty),
        ("/a/", InvalidTemplate::Empty),
        ("/{a}.json", InvalidTemplate::Partial),
        ("/x{a}", InvalidTemplate::Partial),
        ("/{{a}}", InvalidTemplate::Partial),
        ("/{a", InvalidTemplate::Partial),
        ("/{}", InvalidTemplate::Name),
        ("/{9}", InvalidTemplate::Name),
        ("/{a-b}", InvalidTemplate::Name),
        ("/{a%+}", InvalidTemplate::Name),
        ("/{a}/{a}", InvalidTemplate::Twice),
        ("/{a+}/b", InvalidTemplate::Tail),
        ("/**/b", InvalidTemplate::Tail),
        ("/a*", InvalidTemplate::Literal),
        ("/%61", InvalidTemplate::Literal),
    ] {
        assert_eq!(path(text), Err(why), "{text}");
    }
}

#[test]
fn shapes_forget_names() {
    assert_eq!(
        path("/repos/{owner}/{r%}/contents/{path+}")
            .unwrap()
            .shape(false),
        "/repos/{}/{}/contents/{+}"
    );
    assert_eq!(
        path("/A/**").unwrap().shape(true),
        path("/a/{x+%}").unwrap().shape(true)
    );
    assert_eq!(path("/").unwrap().shape(false), "");
}

#[test]
fn matching_and_capturing() {
    let compare = |template, raw: &str, fold| {
        path(template)
            .unwrap()
            .compare((&PathSegments::read(raw).unwrap()).into(), fold)
    };
    let contents = "/repos/{owner}/contents/{path+}";
    assert_eq!(
        compare(contents, "/repos/acme/contents/a/b.txt", false),
        Ok(())
    );
    assert_eq!(
        compare(contents, "/repos/acme/contents", false),
        Err(Mismatch::Short)
    );
    assert_eq!(
        compare(contents, "/repos//contents/a", false),
        Err(Mismatch::Empty)
    );
    assert_eq!(
        compare(contents, "/Repos/acme/contents/a", false),
        Err(Mismatch::Literal("repos".into()))
    );
    assert_eq!(compare(contents, "/Repos/acme/contents/a", true), Ok(()));
    assert_eq!(
        compare(contents, "/r%65pos/acme/contents/a/", false),
        Ok(())
    );
    assert_eq!(compare("/a", "/a/b", false), Err(Mismatch::Long));
    assert_eq!(compare("/", "/", false), Ok(()));
    assert_eq!(compare("/**", "/", false), Err(Mismatch::Short));

    let segments = PathSegments::read("/v1/repos/acme/contents/a/b%20c").unwrap();
    let captured = path(contents)
        .unwrap()
        .captures(Path::from(&segments).skip(1));
    assert_eq!(
        captured,
        vec![
            ("owner".into(), "acme".to_string()),
            ("path".into(), "a/b c".to_string())
        ]
    );
}

#[test]
fn a_slash_stands_only_where_the_template_says() {
    for (template, raw, allowed) in [
        (
            "/projects/{id%}/files/{path+}",
            "/projects/acme%2Fweb/files/a",
            true,
        ),
        (
            "/projects/{id%}/files/{path+}",
            "/projects/acme/files/a%2Fb",
            false,
        ),
        (
            "/projects/{id%}/files/{path+%}",
            "/projects/acme/files/a%2Fb/c",
            true,
        ),
        ("/projects/{id}", "/projects/x%2Fy", false),
        ("/projects/**", "/projects/x%2Fy", false),
    ] {
        let segments = PathSegments::read(raw).unwrap();
        assert_eq!(
            path(template).unwrap().allows_slashes((&segments).into()),
            allowed,
            "{template} {raw}"
        );
    }
}

#[test]
fn resources_that_are_no_templates() {
    let parse = |text: &'static str| ResourceTemplate::parse(&Text::Borrowed(text)).map(|_| ());
    for (text, why) in [
        ("repo:{a", InvalidTemplate::Brace),
        ("repo:a}", InvalidTemplate::Brace),
        ("repo:{}", InvalidTemplate::Name),
        ("repo:{a.b}", InvalidTemplate::Name),
        ("re{po}:x", InvalidTemplate::Kind),
        ("{kind}:{id}", InvalidTemplate::Kind),
        ("", InvalidTemplate::Kind),
        ("Repo:x", InvalidTemplate::Kind),
    ] {
        assert_eq!(parse(text), Err(why), "{text}");
    }
    assert_eq!(parse("global"), Ok(()));
}

#[test]
fn filling() {
    let at = |value| [("owner", "acme"), ("repo", "shop"), ("at", value)];
    assert_eq!(
        fill("repo:{owner}/{repo}{at}", &at("@main")),
        Ok("repo:acme/shop@main".into())
    );
    assert_eq!(
        fill("repo:{owner}/{repo}{at}", &at("")),
        Ok("repo:acme/shop".into())
    );
    assert_eq!(
        fill("{target}", &[("target", "org:acme")]),
        Ok("org:acme".into())
    );
    assert_eq!(
        fill("ns:{n}?verb={v}", &[("n", "a"), ("v", "b&c=d")]),
        Ok("ns:a?verb=b%26c%3Dd".into())
    );
}

#[test]
fn a_value_never_changes_which_resource_it_is() {
    let why = fill("repo:{owner}/{repo}", &[("owner", "acme")]).unwrap_err();
    assert!(why.contains("`repo`"), "{why}");
    assert!(
        fill("repo:{owner}/x", &[("owner", "acme?branch=main")])
            .unwrap_err()
            .contains("`owner`")
    );
    assert!(fill("repo:{owner}/x", &[("owner", "a\nb")]).is_err());
    assert!(fill("{target}", &[("target", "")]).is_err());
    assert!(fill("repo:{owner}/x", &[("owner", &"a".repeat(2000))]).is_err());
}
