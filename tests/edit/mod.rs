//! Everything that edits: each call beside the naive editor, and the rules of docs/spec/editing.md.

mod naive;
mod rules;
