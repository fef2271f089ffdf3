//! Table: generates the documentation of an impl, as Markdown that describes the packet and its keys.

use quote::ToTokens;

use crate::model::{Field, Kind, Model, Role, Shape};

pub fn of(model: &Model<'_>) -> String {
    let root = model.root.map(|root| format!(" with the key `{root:#04x}`")).unwrap_or_default();
    match (&model.shape, model.whole()) {
        (Some(Shape { kind: Kind::Unit, .. }), _) => format!("A primitive without bytes{root}."),
        (Some(_), Some(field)) => format!("A packet that holds a {}{root}.", type_of(field)),
        (Some(shape), None) => {
            let rows = shape.on_wire().map(|field| row(field).join(" | "));
            table(&format!("A node{root}"), "key | field | type", rows)
        }
        (None, _) => {
            let rows = model.variants.iter().map(|variant| {
                let number = variant.number.map_or("others".to_owned(), |number| format!("`{number:#04x}`"));
                let others = if variant.is_other && variant.number.is_some() { ", read for others" } else { "" };
                let content = variant.shape.on_wire().map(|field| match field.role {
                    Role::Whole => type_of(field),
                    _ => row(field).join(" "),
                });
                let content = content.collect::<Vec<_>>().join(", ");
                format!("{number}{others} | `{}` | {content}", variant.ident)
            });
            let head =
                format!("A number, or a node with one packet, which has the key and the content of a variant{root}");
            table(&head, "number or key | variant | content", rows)
        }
    }
}

fn table(head: &str, columns: &str, rows: impl Iterator<Item = String>) -> String {
    let rows: Vec<String> = rows.map(|row| format!("\n| {row} |")).collect();
    format!("{head}:\n\n| {columns} |\n|---|---|---|{}", rows.concat())
}

/// The key, name and type of a field.
fn row(field: &Field<'_>) -> [String; 3] {
    let key = field.key().map_or("others".to_owned(), |key| format!("`{key:#04x}`"));
    [key, format!("`{}`", field.name), type_of(field)]
}

/// The type as a user would write it, with `|` escaped for the table.
fn type_of(field: &Field<'_>) -> String {
    let tight =
        [(" :: ", "::"), (" <", "<"), ("< ", "<"), (" >", ">"), ("& ", "&"), (" ,", ","), (" ;", ";"), ("|", "\\|")];
    let ty =
        tight.into_iter().fold(field.ty.to_token_stream().to_string(), |ty, (loose, tight)| ty.replace(loose, tight));
    if field.pvar { format!("`PVarInt<{ty}>`") } else { format!("`{ty}`") }
}
