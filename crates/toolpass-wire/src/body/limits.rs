//! How much of a body is read. What is larger is unread, never empty.
//!
//! Separate so that every bound of the body readers stands in one place.

/// The bounds of one request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest body as sent, in bytes.
    pub body_bytes: usize,
    /// The longest body once decompressed, in bytes.
    pub decoded_bytes: usize,
    /// How many times longer one decompression may make it.
    pub decoded_ratio: usize,
    /// The deepest nesting of a JSON body.
    pub json_depth: usize,
    /// The most values a JSON body may hold, keys not counted.
    pub json_values: usize,
    /// The most parts of a multipart body, and the most pairs of a form.
    pub parts: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body_bytes: 8 << 20,
            decoded_bytes: 64 << 20,
            decoded_ratio: 200,
            json_depth: 64,
            json_values: 1_000_000,
            parts: 10_000,
        }
    }
}
