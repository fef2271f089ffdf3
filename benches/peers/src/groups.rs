//! Groups of ways that are measured side by side. A way is prepared when it is measured; then all its answers are asserted.
//!
//! Groups are named `extract/<regime>/<scenario>`, `encode/<regime>/C63`, `edit/<regime>/<task>`, or after a task with whole structs.
//! Ways are named `<codec> <mode>`.

use std::cell::{LazyCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use kit::data::Node;
use kit::turns::Way;

use crate::edits;
use crate::extract::mode::Inputs;
use crate::extract::scenario::{Regime, Scenario};
use crate::extract::{reader_of, readers, writers};
use crate::structs::cases;

/// Which messages are measured.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub regimes: fn(Regime) -> bool,
    /// The number of messages: the first ones of a regime, one after the other. `None` stands for all, in the regime's order.
    pub first: Option<usize>,
}

/// The messages that the benches time.
pub const ALL: Extent = Extent { regimes: |_| true, first: None };

/// The messages of a group, with the right answers.
struct Messages {
    models: Vec<Node>,
    answers: Vec<Option<u64>>,
}

impl Extent {
    fn regimes(self, scenario: Scenario) -> impl Iterator<Item = Regime> {
        scenario.regimes.iter().copied().filter(move |regime| (self.regimes)(*regime))
    }

    fn of(self, scenario: Scenario, regime: Regime) -> Messages {
        let mut models = (scenario.models)(regime);
        models.truncate(self.first.unwrap_or(usize::MAX));
        let answers = models.iter().map(|model| Some(scenario.shape.answer(model))).collect();
        Messages { models, answers }
    }

    fn order(self, regime: Regime) -> Regime {
        if self.first.is_none() { regime } else { Regime::InOrder }
    }
}

/// Calls `each` with every group.
pub fn all(extent: Extent, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    extract(extent, &mut each);
    encode(extent, &mut each);
    edit(extent, &mut each);
    structs(&mut each);
}

/// Calls `each` with the groups that read one value of a message.
pub fn extract(extent: Extent, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    for scenario in Scenario::ALL {
        for regime in extent.regimes(scenario) {
            // The messages are made when the group is measured.
            let messages = &LazyCell::new(|| extent.of(scenario, regime));
            // Readers of the same bytes share one copy in memory.
            let shared: &RefCell<Vec<Rc<Inputs>>> = &RefCell::default();
            let ways = readers(scenario.shape).into_iter().map(|mut reader| {
                Way::new(reader.name.clone(), move || {
                    let made = Rc::new(reader.inputs(extent.order(regime), &messages.models));
                    let known = shared.borrow().iter().find(|known| known.slices().eq(made.slices())).cloned();
                    let inputs = known.unwrap_or(made);
                    shared.borrow_mut().push(Rc::clone(&inputs));
                    assert_eq!(reader.read_all(&inputs), messages.answers, "{}, {}", reader.name, scenario.name);
                    Box::new(move |iterations| (reader.time)(&inputs, iterations))
                })
            });
            each(&format!("extract/{}/{}", regime.name(), scenario.name), ways.collect());
        }
    }
}

/// Calls `each` with the groups that write the report's 63 pairs.
pub fn encode(extent: Extent, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    for regime in extent.regimes(Scenario::C63K32) {
        let messages = &LazyCell::new(|| extent.of(Scenario::C63K32, regime));
        let ways = writers().into_iter().map(|writer| {
            Way::new(writer.name.clone(), move || {
                let (written, timed) = (writer.prepare)(extent.order(regime), &messages.models);
                assert_eq!(reader_of(writer.codec).read_all(&written), messages.answers, "{}", writer.name);
                timed
            })
        });
        each(&format!("encode/{}/C63", regime.name()), ways.collect());
    }
}

/// Calls `each` with the groups that edit messages.
pub fn edit(extent: Extent, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    for regime in extent.regimes(Scenario::C63K32) {
        let models = extent.of(Scenario::C63K32, regime).models;
        for (task, ways) in edits::tasks(extent.order(regime), &models) {
            each(&format!("edit/{}/{task}", regime.name()), ways);
        }
    }
}

/// Calls `each` with the groups that read and write whole structs.
pub fn structs(mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    let mut groups: BTreeMap<&str, Vec<Way<'_>>> = BTreeMap::new();
    for case in cases() {
        groups.entry(case.group).or_default().push(Way::new(case.name, || case.timed));
    }
    for (group, ways) in groups {
        each(group, ways);
    }
}
