//! Whole-product tests, and what they hold the documents against: the pages of the reference that are made from tables.

pub mod reference;
