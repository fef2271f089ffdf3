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

/// Which messages of a regime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of them, in the regime's order: what is timed.
    All,
    /// The first of them, in a row: enough to count instructions.
    First(usize),
}

/// The messages of a group, with the answers of a reader.
struct Messages {
    models: Vec<Node>,
    answers: Vec<Option<u64>>,
}

impl Extent {
    fn of(self, scenario: Scenario, regime: Regime) -> Messages {
        let mut models = scenario.models(regime);
        if let Extent::First(count) = self {
            models.truncate(count);
        }
        let answers = models.iter().map(|model| Some(scenario.shape.answer(model))).collect();
        Messages { models, answers }
    }

    fn order(self, regime: Regime) -> Regime {
        if self == Extent::All { regime } else { Regime::InOrder }
    }
}

/// All groups.
pub fn all(extent: Extent, wants: impl Fn(Regime) -> bool, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    extract(extent, &wants, &mut each);
    encode(extent, &wants, &mut each);
    edit(extent, &wants, &mut each);
    structs(&mut each);
}

/// One value out of a message.
pub fn extract(extent: Extent, wants: impl Fn(Regime) -> bool, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    for scenario in Scenario::ALL {
        for &regime in scenario.regimes.iter().filter(|regime| wants(**regime)) {
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
                    Box::new(move |iterations| reader.time(&inputs, iterations))
                })
            });
            each(&format!("extract/{}/{}", regime.name(), scenario.name), ways.collect());
        }
    }
}

/// The report's 63 pairs into bytes.
pub fn encode(extent: Extent, wants: impl Fn(Regime) -> bool, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    for &regime in Scenario::C63K32.regimes.iter().filter(|regime| wants(**regime)) {
        let messages = &LazyCell::new(|| extent.of(Scenario::C63K32, regime));
        let ways = writers().into_iter().map(|writer| {
            Way::new(writer.name.clone(), move || {
                let (written, timed) = writer.prepared(extent.order(regime), &messages.models);
                assert_eq!(reader_of(writer.codec).read_all(&written), messages.answers, "{}", writer.name);
                timed
            })
        });
        each(&format!("encode/{}/C63", regime.name()), ways.collect());
    }
}

/// Messages changed.
pub fn edit(extent: Extent, wants: impl Fn(Regime) -> bool, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    for &regime in Scenario::C63K32.regimes.iter().filter(|regime| wants(**regime)) {
        let models = extent.of(Scenario::C63K32, regime).models;
        for (task, ways) in edits::tasks(extent.order(regime), &models) {
            each(&format!("edit/{}/{task}", regime.name()), ways);
        }
    }
}

/// Whole structs.
pub fn structs(mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    let mut groups: BTreeMap<&str, Vec<Way<'_>>> = BTreeMap::new();
    for mut case in cases() {
        let (group, name) = (case.group, case.name);
        let way = Way::new(name, move || Box::new(move |iterations| case.time(iterations)));
        groups.entry(group).or_default().push(way);
    }
    for (group, ways) in groups {
        each(group, ways);
    }
}
