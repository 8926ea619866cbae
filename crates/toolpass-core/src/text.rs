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
    !c.is_ascii() && c.general_category() == GeneralCategory::Format
}

/// Private use, surrogate or unassigned: means nothing, so many vendors fold it away.
pub fn is_unassigned(c: char) -> bool {
    !c.is_ascii()
        && matches!(
            c.general_category(),
            GeneralCategory::PrivateUse | GeneralCategory::Surrogate | GeneralCategory::Unassigned
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_letter_of_ascii_is_looked_up_in_vain() {
        for c in '\0'..='\u{7f}' {
            assert_ne!(c.general_category(), GeneralCategory::Format);
            assert_ne!(c.general_category(), GeneralCategory::Unassigned);
            assert!(!is_format(c) && !is_unassigned(c));
        }
        assert!(is_format('\u{ad}') && is_format('\u{200b}'));
        assert!(is_unassigned('\u{e000}') && is_unassigned('\u{378}'));
    }
}
