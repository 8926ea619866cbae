//! The pages of `docs/` that are made from tables: codes, keys, and for each integration its keys, actions and routes.
//!
//! Separate from the tables because only here do all of them meet. A row of a table becomes a row of a page and nothing else
//! is said here about it. What a page says is compared with the tree by `cargo xtask gen --check`.

mod codes;
mod configuration;
mod http;
mod integration;
mod page;

/// Every generated page: its path from the root of the clone, and its text.
pub fn pages() -> Vec<(String, String)> {
    let mut pages = vec![
        (
            "docs/reference/decision-codes.md".to_owned(),
            codes::decisions(),
        ),
        (
            "docs/reference/refusal-codes.md".to_owned(),
            codes::refusals(),
        ),
        (
            "docs/reference/configuration.md".to_owned(),
            configuration::page(),
        ),
        ("docs/reference/http.md".to_owned(), http::page()),
        (
            "docs/integrations/README.md".to_owned(),
            integration::index(),
        ),
    ];
    for product in toolpass_registry::all() {
        let name = product.name();
        pages.push((
            format!("docs/integrations/{name}.md"),
            integration::page(*product),
        ));
        if let Some(table) = product.routes() {
            pages.push((
                format!("docs/integrations/{name}.routes.md"),
                integration::routes(name, table),
            ));
        }
    }
    pages
}
