//! Tests of editing: each function compared with the naive editor, and the rules of docs/spec/editing.md.

mod naive;
mod rules;
