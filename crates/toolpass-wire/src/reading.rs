//! What an extractor gets to see of a request.

/// A request under a row, through accessors that answer [`crate::field::Field`].
pub struct Reading<'r> {
    path: &'r [(crate::table::Text, String)],
}

impl Reading<'_> {
    /// A decoded path variable; empty when the template has none of that name.
    pub fn path(&self, name: &str) -> &str {
        self.path.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}
