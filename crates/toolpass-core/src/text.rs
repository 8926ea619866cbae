//! Character classes of outside text: what is invisible, what is a control, what is not assigned.
//!
//! One home for the classes, because users, groups, resources, template values and reasons all refuse or strip them.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// A control character (Cc), or one of the two separators that end a line for many readers (U+2028, U+2029).
pub fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A format character (Cf): zero-width, bidirectional and the like, which no person sees.
pub fn is_format(c: char) -> bool {
    c.general_category() == GeneralCategory::Format
}

/// Private use, surrogate or unassigned: means nothing, so many vendors fold it away.
pub fn is_unassigned(c: char) -> bool {
    matches!(
        c.general_category(),
        GeneralCategory::PrivateUse | GeneralCategory::Surrogate | GeneralCategory::Unassigned
    )
}
