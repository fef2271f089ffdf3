//! Table: what rustdoc shows of a derived type.
//!
//! In: a model. Out: Markdown: its packet, and a table of its keys.

use quote::ToTokens;

use crate::model::{Body, Field, Model, Role, Shape};

pub fn of(model: &Model<'_>) -> String {
    let root = model.root.map(|root| format!(" with the key `{root:#04x}`")).unwrap_or_default();
    match &model.body {
        Body::Struct(Shape::Unit) => format!("A primitive without bytes{root}."),
        Body::Struct(Shape::Newtype(field)) => format!("The packet of `{}`{root}.", type_of(field)),
        Body::Struct(Shape::Fields(fields)) => {
            let rows: Vec<String> = on_wire(fields).map(|field| format!("\n| {} |", row(field).join(" | "))).collect();
            format!("A node{root}:\n\n| key | field | type |\n|---|---|---|{}", rows.concat())
        }
        Body::Enum(variants) => {
            let rows = variants.iter().map(|variant| {
                let number = variant.number.map_or("others".to_owned(), |number| format!("`{number:#04x}`"));
                let others = if variant.is_other && variant.number.is_some() { ", read for others" } else { "" };
                let content = match &variant.shape {
                    Shape::Unit => String::new(),
                    Shape::Newtype(field) => format!("`{}`", type_of(field)),
                    Shape::Fields(fields) => {
                        on_wire(fields).map(|field| row(field).join(" ")).collect::<Vec<_>>().join(", ")
                    }
                };
                format!("\n| {number}{others} | `{}` | {content} |", variant.ident)
            });
            let head = "A number, or a node with the key of a variant and its content";
            format!(
                "{head}{root}:\n\n| number or key | variant | content |\n|---|---|---|{}",
                rows.collect::<Vec<_>>().concat()
            )
        }
    }
}

fn on_wire<'f>(fields: &'f [Field<'f>]) -> impl Iterator<Item = &'f Field<'f>> {
    fields.iter().filter(|field| !matches!(field.role, Role::Skip))
}

/// Its key, name and type.
fn row(field: &Field<'_>) -> [String; 3] {
    let key = field.key().map_or("others".to_owned(), |key| format!("`{key:#04x}`"));
    [key, format!("`{}`", field.name), format!("`{}`", type_of(field))]
}

/// The type as one would write it, with `|` escaped for the table.
fn type_of(field: &Field<'_>) -> String {
    let tight =
        [(" :: ", "::"), (" <", "<"), ("< ", "<"), (" >", ">"), ("& ", "&"), (" ,", ","), (" ;", ";"), ("|", "\\|")];
    let ty =
        tight.into_iter().fold(field.ty.to_token_stream().to_string(), |ty, (loose, tight)| ty.replace(loose, tight));
    if field.pvar { format!("PVarInt<{ty}>") } else { ty }
}
