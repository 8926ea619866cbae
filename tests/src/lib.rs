//! Whole-product tests.
