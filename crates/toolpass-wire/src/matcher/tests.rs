//! The matcher against rows of the largest tables, and against the slow matcher on random ones.

use proptest::prelude::*;

use super::*;
use crate::path::PathSegments;
use crate::template::PathTemplate;

fn row(method: &'static str, path: &'static str) -> Route {
    Route::new(method, path, None, None)
}

fn table(rows: &[(&'static str, &'static str)]) -> RouteTable {
    let routes = rows
        .iter()
        .map(|(method, path)| row(method, path))
        .collect();
    RouteTable::build(Rows {
        routes,
        ..Rows::default()
    })
    .unwrap()
}

fn found(table: &RouteTable, method: &str, raw: &str) -> Option<String> {
    let path = PathSegments::read(raw).unwrap();
    table
        .find(method, &path)
        .map(|found| format!("{} {}", found.route.method, found.route.path))
}

#[test]
fn specificity() {
    let github = table(&[
        ("GET", "/repos/{owner}/{repo}"),
        ("GET", "/repos/{owner}/{repo}/{rest+}"),
        ("*", "/repos/{owner}/{repo}/hooks/{rest+}"),
        ("PUT", "/repos/{owner}/{repo}/contents/{path+}"),
        ("GET", "/orgs/{org}/{rest+}"),
        ("*", "/orgs/{org}/{rest+}"),
        ("GET", "/orgs/{org}/teams/{slug}"),
        ("DELETE", "/orgs/{org}/teams/{slug}"),
        ("*", "/orgs/{org}/teams/{slug}/{rest+}"),
        ("POST", "/orgs/{org}/repos"),
        ("GET", "/user"),
    ]);
    for (method, path, expected) in [
        ("GET", "/repos/o/r", "GET /repos/{owner}/{repo}"),
        ("HEAD", "/repos/o/r", "GET /repos/{owner}/{repo}"),
        (
            "GET",
            "/repos/o/r/hooks",
            "GET /repos/{owner}/{repo}/{rest+}",
        ),
        (
            "GET",
            "/repos/o/r/hooks/1",
            "* /repos/{owner}/{repo}/hooks/{rest+}",
        ),
        (
            "PURGE",
            "/repos/o/r/hooks/1",
            "* /repos/{owner}/{repo}/hooks/{rest+}",
        ),
        // A read falls through a row that is routed for writes only.
        (
            "GET",
            "/repos/o/r/contents/a/b",
            "GET /repos/{owner}/{repo}/{rest+}",
        ),
        (
            "PUT",
            "/repos/o/r/contents/a/b",
            "PUT /repos/{owner}/{repo}/contents/{path+}",
        ),
        ("GET", "/orgs/o/members", "GET /orgs/{org}/{rest+}"),
        ("DELETE", "/orgs/o/members/bob", "* /orgs/{org}/{rest+}"),
        (
            "DELETE",
            "/orgs/o/teams/t",
            "DELETE /orgs/{org}/teams/{slug}",
        ),
        (
            "PUT",
            "/orgs/o/teams/t/memberships/bob",
            "* /orgs/{org}/teams/{slug}/{rest+}",
        ),
        (
            "GET",
            "/orgs/o/teams/t/members",
            "* /orgs/{org}/teams/{slug}/{rest+}",
        ),
        // Encoding a literal cannot send the request to a weaker row, one slash at the end changes nothing.
        (
            "GET",
            "/repos/o/r/%68ooks/1",
            "* /repos/{owner}/{repo}/hooks/{rest+}",
        ),
        ("GET", "/user/", "GET /user"),
    ] {
        assert_eq!(
            found(&github, method, path).as_deref(),
            Some(expected),
            "{method} {path}"
        );
    }
    for (method, path) in [
        ("POST", "/repos/o/r/some-new-thing"),
        ("GET", "/repos/o"),
        ("GET", "/repos//r"),
        ("GET", "/repos/o/r//x"),
        ("GET", "//user"),
        ("GET", "/USER"),
        ("get", "/user"),
        ("GET", "/"),
    ] {
        assert_eq!(found(&github, method, path), None, "{method} {path}");
    }
}

#[test]
fn the_order_of_rows_and_the_names_of_variables_do_not_matter() {
    let one = table(&[
        ("GET", "/{a}/b/{c}"),
        ("GET", "/{z}/{y}/d"),
        ("*", "/{m}/b/{n}"),
        ("GET", "/{a}/{b}/{c+}"),
        ("GET", "/{a+}"),
    ]);
    let two = table(&[
        ("GET", "/{r+}"),
        ("GET", "/{q}/{q2}/{q3+}"),
        ("*", "/{k}/b/{l}"),
        ("GET", "/{b}/{a}/d"),
        ("GET", "/{x}/b/{y}"),
    ]);
    for (path, shape) in [
        ("/x/b/d", "/{}/b/{}"),
        ("/x/c/d", "/{}/{}/d"),
        ("/x/c/e", "/{}/{}/{+}"),
        ("/x/c", "/{+}"),
    ] {
        for table in [&one, &two] {
            let segments = PathSegments::read(path).unwrap();
            let found = table.find("GET", &segments).unwrap();
            assert_eq!(found.route.method, "GET");
            assert_eq!(
                PathTemplate::parse(&found.route.path).unwrap().shape(false),
                shape,
                "{path}"
            );
        }
    }
    assert_eq!(one.version().len(), 16);
    assert_ne!(one.version(), two.version());
    assert_eq!(
        table(&[("GET", "/a"), ("PUT", "/b")]).version(),
        table(&[("PUT", "/b"), ("GET", "/a")]).version()
    );
}

#[test]
fn case_is_folded_only_where_the_vendor_does() {
    let rows = |fold| Rows {
        routes: vec![row("GET", "/Subscriptions/{id}"), row("GET", "/{any+}")],
        quirks: Quirks {
            literals_fold_case: fold,
            ..Quirks::default()
        },
        ..Rows::default()
    };
    let exact = RouteTable::build(rows(false)).unwrap();
    let folding = RouteTable::build(rows(true)).unwrap();
    assert_eq!(
        found(&exact, "GET", "/SUBSCRIPTIONS/x").as_deref(),
        Some("GET /{any+}")
    );
    assert_eq!(
        found(&folding, "GET", "/SUBSCRIPTIONS/x").as_deref(),
        Some("GET /Subscriptions/{id}")
    );
}

#[test]
fn a_row_of_its_own_for_head_wins_over_gets() {
    let table = table(&[("GET", "/{key+}"), ("HEAD", "/{key+}"), ("*", "/{key+}")]);
    assert_eq!(found(&table, "HEAD", "/a").as_deref(), Some("HEAD /{key+}"));
    assert_eq!(found(&table, "GET", "/a").as_deref(), Some("GET /{key+}"));
    assert_eq!(found(&table, "PUT", "/a").as_deref(), Some("* /{key+}"));
}

#[test]
fn rows_that_make_no_table() {
    let build = |routes: Vec<Route>| {
        RouteTable::build(Rows {
            routes,
            ..Rows::default()
        })
        .map(|_| ())
        .unwrap_err()
        .to_string()
    };
    let acting = |path: &'static str, resource: Option<&'static str>| {
        Route::new("PUT", path, Some("a.b".into()), resource.map(Into::into))
    };
    for (routes, words) in [
        (
            vec![row("GET", "/a/{x}"), row("GET", "/a/{y}")],
            "have one shape",
        ),
        (
            vec![row("GET", "/a/{x+}"), row("GET", "/a/**")],
            "have one shape",
        ),
        (vec![row("get", "/a")], "upper-case"),
        (vec![row("", "/a")], "upper-case"),
        (vec![row("GET", "/a/{x}.json")], "whole segment"),
        (vec![acting("/a/{x}", Some("re{x}:a"))], "type"),
        (vec![acting("/a/{x}", Some("repo:{y}"))], "`y`"),
        (vec![acting("/a/{x}", None)], "expected a resource"),
        (
            vec![Route::new(
                "PUT",
                "/a",
                Some("a b".into()),
                Some("repo:x".into()),
            )],
            "no action name",
        ),
    ] {
        let why = build(routes);
        assert!(why.contains(words), "{why}");
    }
    let prefixed = Rows {
        prefixes: vec!["/{v}".into()],
        ..Rows::default()
    };
    assert!(matches!(
        RouteTable::build(prefixed),
        Err(TableError::Prefix { .. })
    ));
    assert!(
        RouteTable::build(Rows {
            routes: vec![row("GET", "/a/{x}"), row("*", "/a/{y}")],
            ..Rows::default()
        })
        .is_ok()
    );
}

#[test]
fn labels_of_the_host_fill_resources_too() {
    let rows = || Rows {
        routes: vec![Route::new(
            "GET",
            "/{key+}",
            Some("s3.get".into()),
            Some("object:{bucket}/{key}".into()),
        )],
        ..Rows::default()
    };
    assert!(matches!(
        RouteTable::build(rows()),
        Err(TableError::Field { .. })
    ));
    assert!(RouteTable::build_with_labels(rows(), &["bucket"]).is_ok());
}

#[test]
fn every_row_says_why_it_lost() {
    let table = table(&[("GET", "/a/{x}"), ("PUT", "/a/b"), ("GET", "/{rest+}")]);
    let path = PathSegments::read("/a/b").unwrap();
    let candidates = table.candidates("GET", &path);
    let said: Vec<_> = candidates
        .iter()
        .map(|c| (c.route.path.as_ref(), c.path.is_ok(), c.takes_method))
        .collect();
    assert_eq!(
        said,
        vec![
            ("/a/b", true, false),
            ("/a/{x}", true, true),
            ("/{rest+}", true, true)
        ]
    );
}

#[test]
fn what_is_left_out_is_found_by_method_first() {
    let left_out = |method: &'static str, reason: &'static str| Unrouted {
        method: method.into(),
        path: "/user/{rest+}".into(),
        reason: reason.into(),
    };
    let rows = Rows {
        unrouted: vec![left_out("*", "any"), left_out("PUT", "put")],
        ..Rows::default()
    };
    let table = RouteTable::build(rows).unwrap();
    let path = PathSegments::read("/user/keys").unwrap();
    assert_eq!(
        table.left_out("PUT", &path).map(|row| row.reason.as_ref()),
        Some("put")
    );
    assert_eq!(
        table.left_out("POST", &path).map(|row| row.reason.as_ref()),
        Some("any")
    );
    assert!(
        table
            .left_out("PUT", &PathSegments::read("/user").unwrap())
            .is_none()
    );
}

prop_compose! {
    fn random_path()(segments in prop::collection::vec("a|b|c|A", 0..5), tail in "|/\\{t\\+\\}|/\\*\\*", variables in prop::collection::vec(any::<bool>(), 5)) -> String {
        let parts = segments.iter().enumerate().map(|(index, literal)| {
            if variables[index] { format!("/{{v{index}}}") } else { format!("/{literal}") }
        });
        let path: String = parts.collect();
        if path.is_empty() && tail.is_empty() { "/".into() } else { path + &tail }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn agrees_with_the_slow_matcher(
        rows in prop::collection::vec(("GET|HEAD|PUT|\\*", random_path()), 1..24),
        method in "GET|HEAD|PUT|POST",
        path in prop::collection::vec("a|b|c|A|d|", 0..6),
        fold in any::<bool>(),
    ) {
        let mut seen = std::collections::BTreeSet::new();
        let mut routes: Vec<Route> = rows.into_iter().map(|(method, path)| Route::new(method, path, None, None)).collect();
        routes.retain(|route| seen.insert((route.method.clone(), PathTemplate::parse(&route.path).unwrap().shape(fold))));
        let rows = Rows { routes, quirks: Quirks { literals_fold_case: fold, ..Quirks::default() }, ..Rows::default() };
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let expected = slow::find(&rows, &method, &path).map(|index| rows.routes[index].clone());
        let raw = format!("/{}{}", path.join("/"), if path.last() == Some(&"") { "/" } else { "" });
        let segments = PathSegments::read(&raw).unwrap();
        let table = RouteTable::build(rows).unwrap();
        let found = table.find(&method, &segments).map(|found| found.route);
        let named = |route: &Route| (route.method.clone(), route.path.clone());
        prop_assert_eq!(found.map(named), expected.as_ref().map(named), "{} {}", method, raw);
    }
}
