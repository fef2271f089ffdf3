//! Runs every row of docs/spec/serde.md with the feature `serde`. `y3 conform --serve` answers the same rows with the
//! derive.

use crate::rows::ROWS;
use testkit::hex::{hex, unhex};

use serde::{Deserialize as Decode, Serialize as Encode};
use serde_json::Value;
use y3::serde::Error;

macro_rules! derived {
    () => {
        use serde::{Deserialize as Decode, Serialize as Encode};
    };
    (struct $name:ident { $($number:literal $named:literal $field:ident: $type:ty,)* }) => {
        #[derive(Encode, Decode)]
        struct $name {
            $(#[serde(rename = $named)]
            $field: $type,)*
        }
    };
    (enum $name:ident { $($number:literal $named:literal $variant:ident $(($type:ty))?,)* }) => {
        #[derive(Encode, Decode)]
        enum $name {
            $(#[serde(rename = $named)]
            $variant $(($type))?,)*
        }
    };
}

#[path = "../../cli/src/conform/types/shown.rs"]
mod shown;

use shown::{Call, Shown, with_type};

struct Read<'a>(&'a [u8]);

impl Call for Read<'_> {
    type Out = Result<Value, Error>;

    fn of<T: Shown + Encode + for<'a> Decode<'a>>(self) -> Self::Out {
        y3::serde::from_slice::<T>(self.0).map(|value| value.show())
    }
}

struct Write<'a>(&'a Value);

impl Call for Write<'_> {
    type Out = Result<Vec<u8>, Error>;

    fn of<T: Shown + Encode + for<'a> Decode<'a>>(self) -> Self::Out {
        y3::serde::to_vec(&T::parse(self.0).unwrap())
    }
}

/// Rows in which serde gives another result than the derive: serde's derive reports a repeated field without knowing the
/// packet, and serde also reads a variant without a value from an empty packet in a node.
const OTHERS: [(&str, &str); 2] = [("TYPE-1/12", "RepeatedField@0"), ("TYPE-7/15", "{\"01\":null}")];

#[test]
fn the_rows_hold_with_serde() {
    let mut wrong = Vec::new();
    for row in ROWS.iter().filter(|row| row.table == "Y.1") {
        let name = &row.json["type"];
        let given = if row.json["op"] == "read_as" {
            with_type(name, Read(&unhex(row.json["hex"].as_str().unwrap()))).unwrap().map(|value| value.to_string())
        } else {
            with_type(name, Write(&row.json["value"])).unwrap().map(|bytes| hex(&bytes))
        };
        let given = given.unwrap_or_else(|error| format!("{:?}@{}", error.kind(), error.offset()));
        let other = OTHERS.iter().find(|(id, _)| *id == row.id);
        let expected = other.map_or(&row.cells[3][..], |(_, other)| other);
        if given != expected {
            wrong.push(format!("{}: {given}, expected {expected}", row.id));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
