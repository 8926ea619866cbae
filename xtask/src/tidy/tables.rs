//! The columns of the tables that are written as macro calls: `actions! {`, `routes! {`, `unrouted! {`.
//!
//! rustfmt leaves them alone, so they are aligned here, chapter by chapter: a chapter is a run of rows without a comment or
//! an empty line between them. A row is one line that ends with `;`. What is no such row is left as it is.

use super::{Problem, Source};

/// Say where a table is not aligned.
pub(super) fn problems(source: &Source) -> Vec<Problem> {
    if !source.path.ends_with(".rs") {
        return Vec::new();
    }
    let aligned = aligned(&source.text);
    let differing = source
        .text
        .lines()
        .zip(aligned.lines())
        .position(|(is, should)| is != should);
    differing
        .map(|index| {
            Problem::new(
                source,
                index + 1,
                "columns are not aligned: `cargo xtask tidy --fix`",
            )
        })
        .into_iter()
        .collect()
}

/// The text with its tables aligned.
pub(super) fn aligned(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chapter: Vec<Vec<&str>> = Vec::new();
    let mut table: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let indent = indent(content);
        if let Some(outer) = table
            && let Some(row) = row(content.trim_start())
            && indent.len() > outer.len()
        {
            chapter.push(std::iter::once(indent).chain(row).collect());
            continue;
        }
        write_chapter(&mut result, &mut chapter);
        if TABLES.iter().any(|open| content.ends_with(open))
            && !content.trim_start().starts_with("//")
        {
            table = Some(indent);
        } else if table == Some(indent) && content.trim_start().starts_with('}') {
            table = None;
        }
        result.push_str(line);
    }
    write_chapter(&mut result, &mut chapter);
    result
}

/// Write the rows collected so far, each column as wide as its widest cell.
fn write_chapter(result: &mut String, chapter: &mut Vec<Vec<&str>>) {
    let width = |column: usize| {
        let cells = chapter.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..=COLUMNS).map(width).collect();
    for row in chapter.iter() {
        let (indent, cells) = row
            .split_first()
            .map_or(("", row.as_slice()), |(indent, cells)| (*indent, cells));
        let mut line = indent.to_owned();
        for (index, cell) in cells.iter().enumerate() {
            let filled = line.trim_end().len() > indent.len();
            if filled {
                line.push_str("  ");
            }
            line.push_str(cell);
            let wanted = widths.get(index + 1).copied().unwrap_or(0);
            let missing = wanted.saturating_sub(cell.chars().count());
            line.extend(std::iter::repeat_n(' ', missing));
        }
        result.push_str(line.trim_end());
        result.push_str(";\n");
    }
    chapter.clear();
}

/// The cells of a row without its `;`, or nothing when the line is no row.
fn row(content: &str) -> Option<Vec<&str>> {
    if content.starts_with("//") {
        return None;
    }
    let content = content.strip_suffix(';')?;
    let mut cells = Vec::new();
    let (mut start, mut depth, mut quoted, mut escaped) = (None, 0_i32, false, false);
    for (index, char) in content.char_indices() {
        if char.is_whitespace() && !quoted && depth == 0 {
            if let Some(start) = start.take() {
                cells.push(content.get(start..index)?);
            }
            continue;
        }
        start.get_or_insert(index);
        match char {
            '"' if !escaped => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            ';' if !quoted && depth == 0 => return None,
            _ => {}
        }
        escaped = quoted && char == '\\' && !escaped;
    }
    if let Some(start) = start {
        cells.push(content.get(start..)?);
    }
    (cells.len() > 1 && !quoted && depth == 0).then_some(cells)
}

fn indent(line: &str) -> &str {
    let length = line.len() - line.trim_start().len();
    line.get(..length).unwrap_or_default()
}

const TABLES: &[&str] = &["actions! {", "routes! {", "unrouted! {"];

/// Cells that are columns; what follows them in a row is a list.
const COLUMNS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    // Opened in another way here, so that these tables are not taken for some of the project's.
    const CROOKED: &str = r#"
let rows = ROUTES {
    // Contents: page, read 2026-11-30
    PUT "/repos/{owner}/{repo}/contents/{path+}" RepoPush "repo:{owner}/{repo}{at}" sends_out reads(branch, base);
    GET   "/a b"  -     -;

    POST "/x" PrCreate "repo:{x}" sends_out;
};
let other = "a  b";
"#;

    const STRAIGHT: &str = r#"
let rows = ROUTES {
    // Contents: page, read 2026-11-30
    PUT  "/repos/{owner}/{repo}/contents/{path+}"  RepoPush  "repo:{owner}/{repo}{at}"  sends_out  reads(branch, base);
    GET  "/a b"                                    -         -;

    POST  "/x"  PrCreate  "repo:{x}"  sends_out;
};
let other = "a  b";
"#;

    fn table(text: &str) -> String {
        text.replace("ROUTES {", "routes! {")
    }

    #[test]
    fn rows_are_aligned_by_chapter_and_nothing_else_is_touched() {
        assert_eq!(aligned(&table(CROOKED)), table(STRAIGHT));
        assert_eq!(aligned(&table(STRAIGHT)), table(STRAIGHT));
    }

    #[test]
    fn a_crooked_table_is_a_problem_where_it_is_crooked() {
        let source = Source {
            path: "a.rs".to_owned(),
            text: table(CROOKED),
        };
        let lines: Vec<usize> = problems(&source)
            .iter()
            .map(|problem| problem.line)
            .collect();
        assert_eq!(lines, [4]);
    }

    #[test]
    fn rows() {
        assert_eq!(
            row(r#"A "a \" b" c(d, e);"#),
            Some(vec!["A", r#""a \" b""#, "c(d, e)"])
        );
        assert_eq!(row("// A b;"), None);
        assert_eq!(row("A b"), None);
        assert_eq!(row("A \"b;"), None);
    }
}
