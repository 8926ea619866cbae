//! How much of a tool's result is looked at: a bound on items and on bytes of text.
//!
//! A body may return an iterator without end, or a value that reaches the same part along a million ways. What cannot be
//! looked at in full is not handed out.

/// Values of one result, each counted once.
pub const MAX_ITEMS: usize = 1_000_000;

/// Bytes of text of one result.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// What is left of both bounds.
#[derive(Debug)]
pub struct Budget {
    items: usize,
    bytes: usize,
}

/// The result is larger than what is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the result holds more than {MAX_ITEMS} values or {MAX_BYTES} bytes of text")]
pub struct TooLarge;

impl Budget {
    /// All of it, for one result.
    pub fn of_result() -> Budget {
        Budget {
            items: MAX_ITEMS,
            bytes: MAX_BYTES,
        }
    }

    /// Spend one value of `bytes` of text.
    /// Errors: [`TooLarge`] when that is more than is left.
    pub fn take(&mut self, bytes: usize) -> Result<(), TooLarge> {
        self.items = self.items.checked_sub(1).ok_or(TooLarge)?;
        self.bytes = self.bytes.checked_sub(bytes).ok_or(TooLarge)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_bound_ends_it() {
        let mut many = Budget::of_result();
        assert!((0..MAX_ITEMS).all(|_| many.take(1).is_ok()));
        assert_eq!(many.take(0), Err(TooLarge));
        let mut large = Budget::of_result();
        assert_eq!(large.take(MAX_BYTES), Ok(()));
        assert_eq!(large.take(1), Err(TooLarge));
    }
}
