//! Table: what rustdoc shows of a derived type.
//!
//! In: a model. Out: Markdown: its packet, and a table of its keys.

use std::fmt::Write;

use quote::ToTokens;

use crate::model::{Body, Field, Model, Role, Shape};

pub fn of(model: &Model<'_>) -> String {
    let root = model.root.map(|root| format!(" with the key `{root:#04x}`")).unwrap_or_default();
    let mut table = String::new();
    // Writing to a string does not fail.
    let _ = match &model.body {
        Body::Struct(Shape::Unit) => write!(table, "A primitive with no bytes{root}."),
        Body::Struct(Shape::Newtype(field)) => write!(table, "The packet of `{}`{root}.", type_of(field)),
        Body::Struct(Shape::Fields(fields)) => write!(table, "A node{root}:\n\n| key | field | type |\n|---|---|---|")
            .and_then(|()| {
                fields.iter().filter(|field| !matches!(field.role, Role::Skip)).try_for_each(|field| {
                    write!(table, "\n| {} | `{}` | `{}` |", key_of(field), field.name, type_of(field))
                })
            }),
        Body::Enum(variants) => {
            let head = "a number, or a node that holds the key of a variant and its content";
            write!(table, "A packet{root}: {head}:\n\n| number or key | variant | content |\n|---|---|---|").and_then(
                |()| {
                    variants.iter().try_for_each(|variant| {
                        let number = variant.number.map_or("others".to_owned(), |number| format!("`{number:#04x}`"));
                        let others =
                            if variant.is_other && variant.number.is_some() { ", read for others" } else { "" };
                        let content: Vec<String> = match &variant.shape {
                            Shape::Unit => Vec::new(),
                            Shape::Newtype(field) => vec![format!("`{}`", type_of(field))],
                            Shape::Fields(fields) => fields
                                .iter()
                                .filter(|field| !matches!(field.role, Role::Skip))
                                .map(|field| format!("{} `{}`: `{}`", key_of(field), field.name, type_of(field)))
                                .collect(),
                        };
                        write!(table, "\n| {number}{others} | `{}` | {} |", variant.ident, content.join(", "))
                    })
                },
            )
        }
    };
    table
}

fn key_of(field: &Field<'_>) -> String {
    field.key().map_or("others".to_owned(), |key| format!("`{key:#04x}`"))
}

/// The type as one would write it, with `|` escaped for the table.
fn type_of(field: &Field<'_>) -> String {
    let (ty, pvar) = (field.ty.to_token_stream().to_string(), if field.pvar { ", PVarInt" } else { "" });
    let tight =
        [(" :: ", "::"), (" <", "<"), ("< ", "<"), (" >", ">"), ("& ", "&"), (" ,", ","), (" ;", ";"), ("|", "\\|")];
    tight.into_iter().fold(ty, |ty, (loose, tight)| ty.replace(loose, tight)) + pvar
}
