//! Documents as clients write them, and as somebody would who wants a mutation to look like a query.

use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use proptest::{bool, collection, sample};

use super::*;

fn text(text: &str) -> Json {
    Json::String(text.into())
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(
        members
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect(),
    )
}

fn names(query: &str) -> (OperationKind, Vec<String>) {
    let operation = read(query, None, &Json::Null).unwrap_or_else(|why| panic!("{query}: {why}"));
    (
        operation.kind,
        operation
            .fields
            .into_iter()
            .map(|field| field.name)
            .collect(),
    )
}

fn refusal(query: &str) -> String {
    match read(query, None, &Json::Null) {
        Ok(operation) => panic!("{query}: read as {operation:?}"),
        Err(why) => why.to_string(),
    }
}

#[test]
fn every_field_a_server_runs_is_listed() {
    use OperationKind::{Mutation, Query, Subscription};
    for (query, kind, fields) in [
        ("{ viewer { login } }", Query, vec!["viewer"]),
        (
            "query { viewer { login } rateLimit { cost } }",
            Query,
            vec!["viewer", "rateLimit"],
        ),
        (
            "query Q($x: ID!) { node(id: $x) { id } }",
            Query,
            vec!["node"],
        ),
        (
            "mutation { createIssue(input: {}) { id } }",
            Mutation,
            vec!["createIssue"],
        ),
        ("subscription S { events }", Subscription, vec!["events"]),
        // An alias is not a name.
        (
            "mutation { viewer: deleteIssue(input: {}) { id } }",
            Mutation,
            vec!["deleteIssue"],
        ),
        // Byte order mark, commas, comments and strings hide nothing and show nothing.
        (
            "\u{feff},,# query\n mutation,{deleteRef(a:1)}",
            Mutation,
            vec!["deleteRef"],
        ),
        (
            "query { search(q: \"mutation { a }\") # mutation { b }\n }",
            Query,
            vec!["search"],
        ),
        (
            "query { search(q: \"\"\"} mutation { \\\"\"\" a \"\"\") }",
            Query,
            vec!["search"],
        ),
        ("{ a # }\r mutation\n }", Query, vec!["a", "mutation"]),
        // Keywords are names where a name stands.
        (
            "{ query mutation fragment on: true null }",
            Query,
            vec!["query", "mutation", "fragment", "true", "null"],
        ),
        // Fragments, inline ones, of any type, with directives.
        (
            "mutation { ...F } fragment F on Mutation { a ...G } fragment G on Mutation { b }",
            Mutation,
            vec!["a", "b"],
        ),
        (
            "mutation { ... { a } ... on Other { b } ... @skip(if: true) { c } }",
            Mutation,
            vec!["a", "b", "c"],
        ),
        (
            "mutation { a @skip(if: true) b @include(if: false) }",
            Mutation,
            vec!["a", "b"],
        ),
        (
            "{ ...F ...F } fragment F on Query { a }",
            Query,
            vec!["a", "a"],
        ),
        (
            "{ a } fragment Unused on Mutation { deleteIssue }",
            Query,
            vec!["a"],
        ),
        ("{ __typename a }", Query, vec!["__typename", "a"]),
    ] {
        let fields: Vec<String> = fields.into_iter().map(String::from).collect();
        assert_eq!(names(query), (kind, fields), "{query}");
    }
}

#[test]
fn what_cannot_be_read_one_way_is_refused() {
    for (query, why) in [
        ("", "cannot be read"),
        ("# only a comment", "cannot be read"),
        ("query", "cannot be read"),
        ("{ a", "cannot be read"),
        ("{ a }}", "cannot be read"),
        ("{ }", "cannot be read"),
        ("{ a(x: \"unclosed) }", "cannot be read"),
        ("{ a(x: \"\\ud800\") }", "cannot be read"),
        ("{ a ? }", "cannot be read"),
        ("{ a(x: $b) }", "`b` is not declared"),
        (
            "query($a: Int = $b, $b: Int) { x(a: $a) }",
            "cannot be read",
        ),
        ("query($a: Int, $a: Int) { x(a: $a) }", "declared twice"),
        ("{ a(x: 1, x: 2) }", "`x` is given twice"),
        ("query($v: Int) { a(x: $v, x: $v) }", "`x` is given twice"),
        ("{ a(x: {y: 1, y: 2}) }", "`y` is given twice"),
        ("{ ...F }", "`F` is not defined"),
        ("{ ...F } fragment F on Q { ...F }", "spreads itself"),
        (
            "{ ...F } fragment F on Q { a { ...G } } fragment G on Q { b { ...F } }",
            "spreads itself",
        ),
        (
            "{ ...F } fragment F on Q { a } fragment F on Q { b }",
            "defined twice",
        ),
        ("query A { a } query B { b }", "several operations"),
        ("{ a } mutation B { b }", "several operations"),
        ("query A { a } mutation A { b }", "several operations"),
        ("fragment F on Q { a }", "no operation"),
        ("type Query { a: Int } { a }", "only operations"),
        ("{ a } extend type Query { b: Int }", "only operations"),
    ] {
        let said = refusal(query);
        assert!(said.contains(why), "{query}: {said}");
    }
}

#[test]
fn the_named_operation_runs() {
    let document = "query A { a } mutation B { b } { c }";
    let fields = |name| {
        read(document, Some(name), &Json::Null).map(|operation| operation.fields[0].name.clone())
    };
    assert_eq!(fields("A"), Ok("a".into()));
    assert_eq!(fields("B"), Ok("b".into()));
    assert!(
        fields("C")
            .unwrap_err()
            .as_str()
            .contains("no GraphQL operation")
    );
    assert!(
        fields("")
            .unwrap_err()
            .as_str()
            .contains("several operations")
    );
    assert!(read("query A { a } mutation A { b }", Some("A"), &Json::Null).is_err());
    assert!(read("{ a }", Some("A"), &Json::Null).is_err());
    assert!(read("{ a }", Some(""), &Json::Null).is_ok());
}

#[test]
fn variables_and_their_defaults_are_filled_in() {
    let query = r#"mutation M($repo: ID!, $title: String = "none", $body: String, $kind: Kind = APPROVE, $ids: [ID] = [1, null]) {
        create(input: {repositoryId: $repo, title: $title, body: $body, ids: [$repo, $body], deep: {kind: $kind}}, ids: $ids, b: $body)
    }"#;
    let argument = |variables: Json, name: &str| {
        read(query, None, &variables).unwrap().fields[0]
            .argument(name)
            .cloned()
    };
    let input = |title: &str, body: Option<Json>| {
        let ids = Json::Array(vec![text("R_1"), body.clone().unwrap_or(Json::Null)]);
        let mut members = vec![
            ("repositoryId".to_string(), text("R_1")),
            ("title".into(), text(title)),
        ];
        members.extend(body.map(|body| ("body".into(), body)));
        members.push(("ids".into(), ids));
        members.push(("deep".into(), object([("kind", text("APPROVE"))])));
        Some(Json::Object(members))
    };
    let repo = || ("repo", text("R_1"));
    assert_eq!(argument(object([repo()]), "input"), input("none", None));
    assert_eq!(
        argument(object([repo(), ("title", text("t"))]), "input"),
        input("t", None)
    );
    // A null that is sent is a value; the default does not take its place.
    assert_eq!(
        argument(object([repo(), ("body", Json::Null)]), "input"),
        input("none", Some(Json::Null))
    );
    assert_eq!(argument(object([repo()]), "b"), None);
    assert_eq!(
        argument(object([repo()]), "ids"),
        Some(Json::Array(vec![Json::Number("1".into()), Json::Null]))
    );
    // What the document does not declare is not used.
    assert_eq!(argument(object([repo(), ("other", text("x"))]), "b"), None);
    assert!(read(query, None, &text("{}")).is_err());
    assert!(read(query, None, &Json::Array(vec![])).is_err());
}

#[test]
fn values_are_read_as_a_server_reads_them() {
    let query = r#"{ f(a: -12, b: 1.5e3, c: true, d: null, e: ENUM, s: "q\"\u0041\u{42}\n", t: """
        one
          two
    """, l: [], o: {}) }"#;
    let field = read(query, None, &Json::Null).unwrap().fields.remove(0);
    assert_eq!(
        field.arguments,
        vec![
            ("a".into(), Json::Number("-12".into())),
            ("b".into(), Json::Number("1.5e3".into())),
            ("c".into(), Json::Bool(true)),
            ("d".into(), Json::Null),
            ("e".into(), text("ENUM")),
            ("s".into(), text("q\"AB\n")),
            ("t".into(), text("one\n  two")),
            ("l".into(), Json::Array(vec![])),
            ("o".into(), Json::Object(vec![])),
        ]
    );
}

#[test]
fn what_is_selected_below_is_kept() {
    let query = "{ organization(login: \"acme\") { ...A x: auditLog(first: 1) { nodes { id } } } } fragment A on Organization { name ... { login } }";
    let field = read(query, None, &Json::Null).unwrap().fields.remove(0);
    let below: Vec<_> = field
        .selections
        .iter()
        .map(|below| (below.name.as_str(), below.alias.as_deref()))
        .collect();
    assert_eq!(
        below,
        vec![("name", None), ("login", None), ("auditLog", Some("x"))]
    );
    assert_eq!(
        field.selections[2].argument("first"),
        Some(&Json::Number("1".into()))
    );
    assert_eq!(field.selections[2].selections[0].selections[0].name, "id");
}

#[test]
fn depth_and_size_have_limits() {
    let nested = |depth: usize| format!("{}{}", "{a".repeat(depth), "}".repeat(depth));
    assert!(read(&nested(32), None, &Json::Null).is_ok());
    assert!(refusal(&nested(33)).contains("deeper"));
    refusal(&nested(5_000));
    refusal(&"{a(b:[".repeat(5_000));

    let listed = |depth: usize| format!("{{ a(x: {}{}) }}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&listed(31), None, &Json::Null).is_ok());
    assert!(refusal(&listed(33)).contains("deeper"));
    refusal(&listed(4_000));

    let wide = |fields: usize| format!("{{{}}}", "a, # c\n ".repeat(fields));
    assert!(read(&wide(9_998), None, &Json::Null).is_ok());
    assert!(refusal(&wide(9_999)).contains("tokens"));
}

#[test]
fn fragments_cannot_multiply_without_end() {
    let mut query = String::from("{ ...F0 }");
    for level in 0..25 {
        query.push_str(&format!(
            " fragment F{level} on Q {{ ...F{next} ...F{next} }}",
            next = level + 1
        ));
    }
    query.push_str(" fragment F25 on Q { a }");
    assert!(refusal(&query).contains("more than"));
    let mut chain = String::from("{ ...F0 }");
    for level in 0..100 {
        chain.push_str(&format!(" fragment F{level} on Q {{ ...F{} }}", level + 1));
    }
    chain.push_str(" fragment F100 on Q { a }");
    assert!(refusal(&chain).contains("deeper"));
}

#[test]
fn the_envelope() {
    let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
    let body = |extra: (&str, Json)| object([("query", text("{ a }")), extra]);
    for allowed in [
        body(("operationName", Json::Null)),
        body(("variables", object([]))),
        body(("extensions", object([("clientLibrary", text("x"))]))),
        body(("id", Json::Null)),
        body(("unknown", text("x"))),
    ] {
        assert!(read_request(&[], Some(&allowed)).is_ok(), "{allowed:?}");
        assert!(read_request(&[pair("api_version", "1")], Some(&allowed)).is_ok());
        assert!(read_request(&[pair("query", "{ a }")], Some(&allowed)).is_err());
        assert!(read_request(&[pair("variables", "{}")], Some(&allowed)).is_err());
    }
    for refused in [
        body(("operationName", Json::Bool(true))),
        body(("variables", text("{}"))),
        body(("extensions", object([("persistedQuery", object([]))]))),
        body(("extensions", text("x"))),
        body(("id", text("abc"))),
        body(("documentId", text("abc"))),
        body(("doc_id", Json::Number("1".into()))),
        object([("query", text("  "))]),
        object([("query", Json::Null)]),
        object([]),
        text("{ a }"),
        Json::Array(vec![body(("operationName", Json::Null))]),
    ] {
        assert!(read_request(&[], Some(&refused)).is_err(), "{refused:?}");
    }
    let by_url = |pairs: &[(String, String)]| {
        read_request(pairs, None).map(|operation| operation.fields[0].clone())
    };
    let query = pair("query", "query($x: ID) { node(id: $x) }");
    let node = by_url(&[
        query.clone(),
        pair("variables", r#"{"x":"1"}"#),
        pair("operationName", ""),
    ])
    .unwrap();
    assert_eq!(node.argument("id"), Some(&text("1")));
    assert!(by_url(&[query.clone(), query.clone()]).is_err());
    assert!(by_url(&[query.clone(), pair("variables", "{")]).is_err());
    assert!(by_url(&[query, pair("extensions", r#"{"persistedQuery":{}}"#)]).is_err());
    assert!(by_url(&[]).is_err());
}

/// What a document is made of, whole and broken.
const TOKENS: &[&str] = &[
    "query",
    "mutation",
    "subscription",
    "fragment",
    "on",
    "type",
    "extend",
    "schema",
    "input",
    "enum",
    "A",
    "B",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ":",
    ",",
    "=",
    "!",
    "@",
    "$",
    "&",
    "|",
    "...",
    ".",
    "..",
    "\"",
    "\"\"\"",
    "\"x\"",
    "\"\"\"x\"\"\"",
    "\\",
    "\\u",
    "\\u{",
    "d800",
    "1",
    "-",
    "0",
    "01",
    "1.",
    "1e",
    "true",
    "null",
    " ",
    "\n",
    "#",
    "\u{feff}",
    "é",
    "\0",
];

/// What a document may hold anywhere between two tokens.
const IGNORED: &[&str] = &[
    "# } mutation {\n",
    "#\"\r",
    ",",
    " ",
    "\t",
    "\n",
    "\u{feff}",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The parser is somebody else's: whatever it is given, we answer.
    #[test]
    fn no_document_panics(tokens in collection::vec(sample::select(TOKENS), 0..40), spaced in bool::ANY) {
        let document = tokens.join(if spaced { " " } else { "" });
        let _ = read(&document, None, &Json::Null);
        let _ = read(&document, Some("A"), &Json::Object(vec![("A".into(), Json::Null)]));
    }

    #[test]
    fn no_text_panics(document in "\\PC{0,60}") {
        let _ = read(&document, None, &Json::Null);
    }

    /// However a mutation is wrapped, it is told.
    #[test]
    fn a_wrapped_mutation_is_told(
        noise in collection::vec(sample::select(IGNORED), 0..6),
        inline in 0_usize..4,
        spread in 0_usize..4,
        alias in sample::select(&["", "viewer: ", "query: "][..]),
        directive in sample::select(&["", " @skip(if: true)", " @include(if: false)"][..]),
    ) {
        let noise = noise.concat();
        let mut inside = format!("{alias}deleteIssue(input: {{}}){directive}{{ id }}");
        for _ in 0..inline {
            inside = format!("...{directive}{{{noise}{inside}{noise}}}");
        }
        let mut document = format!("{noise}query Q {{ viewer {{ login }} }}{noise}mutation M{directive}{{ ...F0 }}");
        for level in 0..spread {
            document.push_str(&format!("{noise}fragment F{level} on Mutation {{ ...F{} }}", level + 1));
        }
        document.push_str(&format!(" fragment F{spread} on Mutation {{{noise}{inside}{noise}}}"));
        let operation = read(&document, Some("M"), &Json::Null).unwrap();
        prop_assert_eq!(operation.kind, OperationKind::Mutation);
        prop_assert_eq!(&operation.fields[0].name, "deleteIssue");
        prop_assert!(read(&document, None, &Json::Null).is_err());
    }
}
