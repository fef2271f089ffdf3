//! The shoot-out: y3 compared with other serializers, for whole structs, in turns.

use std::collections::BTreeMap;

use kit::turns::{Way, main as in_turns};
use peers::structs::cases;

fn main() {
    in_turns(|bench| {
        let mut groups: BTreeMap<&str, Vec<Way<'_>>> = BTreeMap::new();
        for mut case in cases() {
            let (group, name) = (case.group, case.name);
            let way = Way::new(name, move || Box::new(move |iterations| case.time(iterations)));
            groups.entry(group).or_default().push(way);
        }
        for (group, ways) in groups {
            bench.group(group, ways);
        }
    });
}
