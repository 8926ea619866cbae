//! The two pages of codes.

use toolpass_core::codes::{Code, RefusalCode, RefusalKind, refusal_of};

use super::page::{code, start, table};

/// What a check answers.
pub(super) fn decisions() -> String {
    let about = "What a check answers. The outcome is computed from the code. A call or request that rests on the answer is refused with the code in \
                 the last column; see [refusal codes](refusal-codes.md).";
    let mut page = start("Decision codes", about);
    let rows: Vec<Vec<String>> = Code::ALL
        .iter()
        .map(|each| {
            let refusal = refusal_of(*each).map(|refusal| code(refusal.as_str()));
            vec![
                code(each.as_str()),
                each.outcome().as_str().to_owned(),
                each.help().to_owned(),
                refusal.unwrap_or_else(|| "goes on".to_owned()),
            ]
        })
        .collect();
    table(
        &mut page,
        "",
        &["code", "outcome", "when", "refusal"],
        &rows,
    );
    page
}

/// What a call or a request is refused with.
pub(super) fn refusals() -> String {
    let about = "What a call or one of its requests is refused with: `ToolRefused.code`, and `code` in the audit event. The kind says what sort of no \
                 it is. *May not*: it was decided. *Not known*: it could not be found out; trying again may help. *Not set up*: an operator must act.\n\n\
                 Some codes belong to handoffs, which are not there yet; they are kept so that none changes its meaning.";
    let mut page = start("Refusal codes", about);
    let rows: Vec<Vec<String>> = RefusalCode::ALL
        .iter()
        .map(|each| {
            vec![
                code(each.as_str()),
                kind(each.kind()).to_owned(),
                each.help().to_owned(),
            ]
        })
        .collect();
    table(&mut page, "", &["code", "kind", "when"], &rows);
    page
}

fn kind(kind: RefusalKind) -> &'static str {
    match kind {
        RefusalKind::MayNot => "may not",
        RefusalKind::NotKnown => "not known",
        RefusalKind::NotSetUp => "not set up",
    }
}
