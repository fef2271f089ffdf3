//! Every way gives right answers, and the readers of a codec read the output of its writers. The benches assert this for every message
//! before they time it; this test uses a few messages of each regime.

use std::collections::HashSet;

use peers::groups::{self, Extent};

#[test]
fn every_way_is_right_and_has_a_name_of_its_own() {
    let mut names = HashSet::new();
    groups::all(Extent { first: Some(8), ..groups::ALL }, |group, ways| {
        for way in ways {
            let name = format!("{group}/{}", way.name());
            // `prepared` asserts the answers.
            way.prepared()(1);
            assert!(names.insert(name.clone()), "two are called {name}");
        }
    });
}
