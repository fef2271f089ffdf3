//! Groups: the ways of all codecs that are measured side by side, each prepared when it is measured.
//!
//! Groups `extract/<regime>/<scenario>`, `encode/<regime>/C63`, `edit/<regime>/<task>`, and those of whole structs; ways `<codec> <mode>`.
//! In: which messages. Out: each group, handed over. Every answer of every message is asserted before it is timed.

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
    /// So many, the first of a regime, in a row; or all of them, in the regime's order.
    pub first: Option<usize>,
}

/// What is timed.
pub const ALL: Extent = Extent { regimes: |_| true, first: None };

/// The messages of a group, with the answers of a reader.
struct Messages {
    models: Vec<Node>,
    answers: Vec<Option<u64>>,
}

impl Extent {
    fn regimes(self, scenario: Scenario) -> impl Iterator<Item = Regime> {
        scenario.regimes.iter().copied().filter(move |regime| (self.regimes)(*regime))
    }

    fn of(self, scenario: Scenario, regime: Regime) -> Messages {
        let mut models = scenario.models(regime);
        models.truncate(self.first.unwrap_or(usize::MAX));
        let answers = models.iter().map(|model| Some(scenario.shape.answer(model))).collect();
        Messages { models, answers }
    }

    fn order(self, regime: Regime) -> Regime {
        if self.first.is_none() { regime } else { Regime::InOrder }
    }
}

/// All groups.
pub fn all(extent: Extent, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    extract(extent, &mut each);
    encode(extent, &mut each);
    edit(extent, &mut each);
    structs(&mut each);
}

/// One value out of a message.
pub fn extract(extent: Extent, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    for scenario in Scenario::ALL {
        for regime in extent.regimes(scenario) {
            // Made when the group is measured.
            let messages = &LazyCell::new(|| extent.of(scenario, regime));
            // One for all readers of one encoding.
            let shared: &RefCell<Vec<Rc<Inputs>>> = &RefCell::default();
            let ways = readers(scenario.shape).into_iter().map(|mut reader| {
                Way::new(reader.name(), move || {
                    let made = Rc::new(reader.inputs(extent.order(regime), &messages.models));
                    let known = shared.borrow().iter().find(|known| known.slices().eq(made.slices())).cloned();
                    let inputs = known.unwrap_or(made);
                    shared.borrow_mut().push(Rc::clone(&inputs));
                    assert_eq!(reader.read_all(&inputs), messages.answers, "{}, {}", reader.name(), scenario.name);
                    Box::new(move |iterations| (reader.time)(&inputs, iterations))
                })
            });
            each(&format!("extract/{}/{}", regime.name(), scenario.name), ways.collect());
        }
    }
}

/// The report's 63 pairs into bytes.
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

/// Messages changed.
pub fn edit(extent: Extent, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    for regime in extent.regimes(Scenario::C63K32) {
        let models = extent.of(Scenario::C63K32, regime).models;
        for (task, ways) in edits::tasks(extent.order(regime), &models) {
            each(&format!("edit/{}/{task}", regime.name()), ways);
        }
    }
}

/// Whole structs.
pub fn structs(mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    let mut groups: BTreeMap<&str, Vec<Way<'_>>> = BTreeMap::new();
    for case in cases() {
        groups.entry(case.group).or_default().push(Way::new(case.name, || case.timed));
    }
    for (group, ways) in groups {
        each(group, ways);
    }
}
