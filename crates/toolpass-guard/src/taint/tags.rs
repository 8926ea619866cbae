//! A text as it reads once its HTML tags are gone: `wire <b>all</b> the mo<i></i>ney` says "wire all the money".
//!
//! Separate from [`super::escapes`], which undoes characters: a tag stands for nothing, or for a blank where it breaks a line.
//! One pass; a tag ends at the next `>`, quotes or not, so that no unclosed quote hides what follows.
//! SOURCE: WHATWG HTML 13.2.5 (where a tag begins), 15.3 (which elements break a line), read 2026-11-30.

/// The text without tags and comments; `None` when there are none.
pub(super) fn without(text: &str) -> Option<String> {
    // Where the last of each ends: looked for once, as a hostile text has many that never do.
    let (end, comments_end) = (text.rfind('>')?, text.rfind("-->"));
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    let mut found = false;
    while let Some((open, after)) = next_open(text, at).filter(|(open, _)| *open < end) {
        at = open + 1;
        let may_be_comment = comments_end.is_some_and(|last| open < last);
        let Some((inside, length)) = tag(after, may_be_comment) else {
            continue;
        };
        out.push_str(text.get(kept..open).unwrap_or_default());
        if breaks_a_line(inside) {
            out.push(' ');
        }
        found = true;
        at += length;
        kept = at;
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    found.then_some(out)
}

fn next_open(text: &str, at: usize) -> Option<(usize, &str)> {
    let rest = text.get(at..)?;
    let open = rest.find('<')?;
    Some((at + open, rest.get(open + 1..)?))
}

/// The tag or comment that begins after a `<`, and how long it is with its end.
fn tag(after: &str, may_be_comment: bool) -> Option<(&str, usize)> {
    let (open, close) = ("!--", "-->");
    if let Some(comment) = after.strip_prefix(open) {
        let end = may_be_comment.then(|| comment.find(close))??;
        return Some(("", open.len() + end + close.len()));
    }
    let name = after.strip_prefix('/').unwrap_or(after);
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '!' | '?'));
    let end = begins.then(|| after.find('>'))??;
    Some((after.get(..end)?, end + 1))
}

fn breaks_a_line(inside: &str) -> bool {
    let name = inside.strip_prefix('/').unwrap_or(inside);
    let name = name
        .split(|c: char| c.is_ascii_whitespace() || c == '/')
        .next()
        .unwrap_or_default();
    BLOCKS.iter().any(|block| block.eq_ignore_ascii_case(name))
}

/// Elements that stand on lines of their own. Everything else, known or not, goes on in its line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "legend",
    "li",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "optgroup",
    "option",
    "p",
    "plaintext",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
    "xmp",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_gone_and_words_are_not() {
        for (text, expected) in [
            ("wire <b>all</b> the mo<i></i>ney", "wire all the money"),
            (
                "wire<br>all<BR/>the<p class=\"x\">money</p>",
                "wire all the money ",
            ),
            ("wi<!-- a > b -->re <x-y z='1'>all</x-y >", "wire all"),
            ("a <a title=\">\">link</a>", "a \">link"),
            ("1 < 2 <b>and</b> 3 > 2", "1 < 2 and 3 > 2"),
            ("<?xml version=\"1.0\"?><!DOCTYPE html>text", "text"),
        ] {
            assert_eq!(without(text).as_deref(), Some(expected), "{text}");
        }
        for plain in [
            "",
            "plain",
            "1 < 2 and 3 > 2",
            "a <b without an end",
            "<3",
            "< b >",
            "<!-- open",
        ] {
            assert_eq!(without(plain), None, "{plain}");
        }
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        for part in ["<", "<a", "<!--", "<a \"", "<!-- >", "< >", "<>"] {
            let _ = without(&part.repeat(200_000));
        }
    }

    proptest::proptest! {
        /// Nothing but tags is lost, whatever the text.
        #[test]
        fn what_stands_outside_tags_stays(text in "[<>/!a-c \"-]{0,40}") {
            if let Some(rest) = without(&text) {
                proptest::prop_assert!(rest.len() < text.len() + 1);
                let mut letters = text.chars();
                let kept = |c: char| c == ' ' || letters.any(|from| from == c);
                proptest::prop_assert!(rest.chars().all(kept), "{rest}");
            }
        }
    }
}
