//! Schema: the messages of all scenarios, for the formats that need a schema.
//!
//! In: the name of a macro. Out: calls of it, one per message, with its name, the watched field, and its fields, each with
//! its Y3 key, a name and a kind. `[Node X]` is a message X inside a message. Inner messages come before outer ones.

/// Calls a macro with each flat message: the report's pairs, 63 texts, and 63 floats.
macro_rules! flat_messages {
    ($then:ident) => {
        $then! { C03 k2 {
            1 k1 [Text]; 2 k2 [I32]; 3 k3 [U32];
        } }
        $then! { C16 k8 {
            1 k1 [Text]; 2 k2 [I32]; 3 k3 [U32]; 4 k4 [I64]; 5 k5 [U64]; 6 k6 [F32]; 7 k7 [F64];
            8 k8 [Text]; 9 k9 [I32]; 10 k10 [U32]; 11 k11 [I64]; 12 k12 [U64]; 13 k13 [F32]; 14 k14 [F64];
            15 k15 [Text]; 16 k16 [I32];
        } }
        $then! { C32 k16 {
            1 k1 [Text]; 2 k2 [I32]; 3 k3 [U32]; 4 k4 [I64]; 5 k5 [U64]; 6 k6 [F32]; 7 k7 [F64];
            8 k8 [Text]; 9 k9 [I32]; 10 k10 [U32]; 11 k11 [I64]; 12 k12 [U64]; 13 k13 [F32]; 14 k14 [F64];
            15 k15 [Text]; 16 k16 [I32]; 17 k17 [U32]; 18 k18 [I64]; 19 k19 [U64]; 20 k20 [F32]; 21 k21 [F64];
            22 k22 [Text]; 23 k23 [I32]; 24 k24 [U32]; 25 k25 [I64]; 26 k26 [U64]; 27 k27 [F32]; 28 k28 [F64];
            29 k29 [Text]; 30 k30 [I32]; 31 k31 [U32]; 32 k32 [I64];
        } }
        $then! { C63 k32 {
            1 k1 [Text]; 2 k2 [I32]; 3 k3 [U32]; 4 k4 [I64]; 5 k5 [U64]; 6 k6 [F32]; 7 k7 [F64];
            8 k8 [Text]; 9 k9 [I32]; 10 k10 [U32]; 11 k11 [I64]; 12 k12 [U64]; 13 k13 [F32]; 14 k14 [F64];
            15 k15 [Text]; 16 k16 [I32]; 17 k17 [U32]; 18 k18 [I64]; 19 k19 [U64]; 20 k20 [F32]; 21 k21 [F64];
            22 k22 [Text]; 23 k23 [I32]; 24 k24 [U32]; 25 k25 [I64]; 26 k26 [U64]; 27 k27 [F32]; 28 k28 [F64];
            29 k29 [Text]; 30 k30 [I32]; 31 k31 [U32]; 32 k32 [I64]; 33 k33 [U64]; 34 k34 [F32]; 35 k35 [F64];
            36 k36 [Text]; 37 k37 [I32]; 38 k38 [U32]; 39 k39 [I64]; 40 k40 [U64]; 41 k41 [F32]; 42 k42 [F64];
            43 k43 [Text]; 44 k44 [I32]; 45 k45 [U32]; 46 k46 [I64]; 47 k47 [U64]; 48 k48 [F32]; 49 k49 [F64];
            50 k50 [Text]; 51 k51 [I32]; 52 k52 [U32]; 53 k53 [I64]; 54 k54 [U64]; 55 k55 [F32]; 56 k56 [F64];
            57 k57 [Text]; 58 k58 [I32]; 59 k59 [U32]; 60 k60 [I64]; 61 k61 [U64]; 62 k62 [F32]; 63 k63 [F64];
        } }
        $then! { Texts k32 {
            1 k1 [Text]; 2 k2 [Text]; 3 k3 [Text]; 4 k4 [Text]; 5 k5 [Text]; 6 k6 [Text]; 7 k7 [Text];
            8 k8 [Text]; 9 k9 [Text]; 10 k10 [Text]; 11 k11 [Text]; 12 k12 [Text]; 13 k13 [Text]; 14 k14 [Text];
            15 k15 [Text]; 16 k16 [Text]; 17 k17 [Text]; 18 k18 [Text]; 19 k19 [Text]; 20 k20 [Text]; 21 k21 [Text];
            22 k22 [Text]; 23 k23 [Text]; 24 k24 [Text]; 25 k25 [Text]; 26 k26 [Text]; 27 k27 [Text]; 28 k28 [Text];
            29 k29 [Text]; 30 k30 [Text]; 31 k31 [Text]; 32 k32 [Text]; 33 k33 [Text]; 34 k34 [Text]; 35 k35 [Text];
            36 k36 [Text]; 37 k37 [Text]; 38 k38 [Text]; 39 k39 [Text]; 40 k40 [Text]; 41 k41 [Text]; 42 k42 [Text];
            43 k43 [Text]; 44 k44 [Text]; 45 k45 [Text]; 46 k46 [Text]; 47 k47 [Text]; 48 k48 [Text]; 49 k49 [Text];
            50 k50 [Text]; 51 k51 [Text]; 52 k52 [Text]; 53 k53 [Text]; 54 k54 [Text]; 55 k55 [Text]; 56 k56 [Text];
            57 k57 [Text]; 58 k58 [Text]; 59 k59 [Text]; 60 k60 [Text]; 61 k61 [Text]; 62 k62 [Text]; 63 k63 [Text];
        } }
        $then! { Floats k32 {
            1 k1 [F32]; 2 k2 [F32]; 3 k3 [F32]; 4 k4 [F32]; 5 k5 [F32]; 6 k6 [F32]; 7 k7 [F32];
            8 k8 [F32]; 9 k9 [F32]; 10 k10 [F32]; 11 k11 [F32]; 12 k12 [F32]; 13 k13 [F32]; 14 k14 [F32];
            15 k15 [F32]; 16 k16 [F32]; 17 k17 [F32]; 18 k18 [F32]; 19 k19 [F32]; 20 k20 [F32]; 21 k21 [F32];
            22 k22 [F32]; 23 k23 [F32]; 24 k24 [F32]; 25 k25 [F32]; 26 k26 [F32]; 27 k27 [F32]; 28 k28 [F32];
            29 k29 [F32]; 30 k30 [F32]; 31 k31 [F32]; 32 k32 [F32]; 33 k33 [F32]; 34 k34 [F32]; 35 k35 [F32];
            36 k36 [F32]; 37 k37 [F32]; 38 k38 [F32]; 39 k39 [F32]; 40 k40 [F32]; 41 k41 [F32]; 42 k42 [F32];
            43 k43 [F32]; 44 k44 [F32]; 45 k45 [F32]; 46 k46 [F32]; 47 k47 [F32]; 48 k48 [F32]; 49 k49 [F32];
            50 k50 [F32]; 51 k51 [F32]; 52 k52 [F32]; 53 k53 [F32]; 54 k54 [F32]; 55 k55 [F32]; 56 k56 [F32];
            57 k57 [F32]; 58 k58 [F32]; 59 k59 [F32]; 60 k60 [F32]; 61 k61 [F32]; 62 k62 [F32]; 63 k63 [F32];
        } }
    };
}

/// Calls a macro with the nested messages: eight of eight of eight, and a frame of the recorded session with its reading.
macro_rules! nested_messages {
    ($then:ident) => {
        $then! { Inner k4 {
            1 k1 [Text]; 2 k2 [I32]; 3 k3 [U32]; 4 k4 [I64]; 5 k5 [U64]; 6 k6 [F32]; 7 k7 [F64];
            8 k8 [Text];
        } }
        $then! { Middle k4 {
            1 k1 [Node Inner]; 2 k2 [Node Inner]; 3 k3 [Node Inner]; 4 k4 [Node Inner]; 5 k5 [Node Inner]; 6 k6 [Node Inner]; 7 k7 [Node Inner];
            8 k8 [Node Inner];
        } }
        $then! { Outer k4 {
            1 k1 [Node Middle]; 2 k2 [Node Middle]; 3 k3 [Node Middle]; 4 k4 [Node Middle]; 5 k5 [Node Middle]; 6 k6 [Node Middle]; 7 k7 [Node Middle];
            8 k8 [Node Middle];
        } }
        $then! { Reading k17 {
            17 k17 [F32]; 18 k18 [I64]; 19 k19 [Text];
        } }
        $then! { Frame k2 {
            1 k1 [U32]; 2 k2 [Node Reading]; 3 k3 [Text];
        } }
    };
}

pub(crate) use {flat_messages, nested_messages};
