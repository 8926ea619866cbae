//! What stands in a request beside its path.
