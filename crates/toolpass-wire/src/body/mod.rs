//! The body of a request: decompressed, told apart by its content type, and read by one strict reader each.

pub mod encoding;
pub mod form;
pub mod kind;
pub mod limits;
pub mod multipart;
