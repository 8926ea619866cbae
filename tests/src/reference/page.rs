//! Markdown of tables: cells that cannot break out of their row.

/// A page that says it is generated.
pub(super) fn start(title: &str, about: &str) -> String {
    format!(
        "# {title}\n\n<!-- Made by `cargo xtask gen`; change the table it is made from. -->\n\n{about}\n"
    )
}

/// Add a table with a heading above it; nothing when there are no rows.
pub(super) fn table(page: &mut String, heading: &str, columns: &[&str], rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    if !heading.is_empty() {
        page.push_str(&format!("\n## {heading}\n"));
    }
    page.push_str(&format!(
        "\n| {} |\n|{}\n",
        columns.join(" | "),
        "---|".repeat(columns.len())
    ));
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .map(|cell| cell.replace('|', "\\|").replace('\n', " "))
            .collect();
        page.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}

/// A word as code; nothing stays nothing.
pub(super) fn code(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("`{text}`")
    }
}
