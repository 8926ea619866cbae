//! The numbers of the Rust half, each beside its floor: the least that any implementation of the same thing would do.
#![expect(clippy::expect_used, reason = "a bench that cannot start must say so")]

use std::collections::HashMap;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use toolpass_benches::{call, question, request};

fn route_match(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("route match, GitHub's table");
    let (table, path) = (
        request::github().expect("a table"),
        request::path().expect("a path"),
    );
    assert!(
        request::find(table, &path).is_some(),
        "the path falls under a row"
    );
    group.bench_function("ours", |bencher| {
        bencher.iter(|| request::find(table, black_box(&path)))
    });
    let exact: HashMap<(&str, &str), usize> = HashMap::from([(("GET", request::PATH), 1)]);
    group.bench_function("floor: one look-up of the whole path", |bencher| {
        bencher.iter(|| exact.get(&("GET", black_box(request::PATH))).copied());
    });
    group.finish();
}

fn read_request(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reading a GET");
    group.bench_function("ours", |bencher| bencher.iter(request::read));
    group.bench_function("floor: parsing its address", |bencher| {
        bencher.iter(|| {
            black_box("https://api.github.com/repos/acme/shop/pulls/17/files?per_page=100")
                .parse::<http::Uri>()
        });
    });
    group.finish();
}

fn cached_check(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cached check");
    let (engine, question) = (question::engine().expect("an engine"), question::question());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(engine.check(&question));
    assert!(engine.try_cached(&question).is_some(), "the answer is kept");
    group.bench_function("ours", |bencher| {
        bencher.iter(|| engine.try_cached(black_box(&question)))
    });
    let kept: HashMap<String, bool> = HashMap::from([(question.resource.clone(), true)]);
    group.bench_function("floor: one look-up", |bencher| {
        bencher.iter(|| kept.get(black_box(question.resource.as_str())).copied());
    });
    group.finish();
}

fn guarded_call(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("guarded call, without a face");
    for (name, declared) in [
        ("nothing declared", false),
        ("effect, scope and authorizer", true),
    ] {
        let bench = call::Bench::new(declared).expect("a tool");
        assert!(bench.call().is_some(), "the call runs");
        group.bench_function(name, |bencher| bencher.iter(|| bench.call()));
    }
    group.bench_function("floor: a plain call", |bencher| {
        bencher.iter(|| black_box(plain)("acme/gitops-shop"))
    });
    group.finish();
}

fn plain(repo: &str) -> usize {
    repo.len()
}

criterion_group!(
    numbers,
    route_match,
    read_request,
    cached_check,
    guarded_call
);
criterion_main!(numbers);
