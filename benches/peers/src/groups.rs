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
use crate::extract::scenario::{Regime, Scenario, Shape};
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

impl Extent {
    fn of(self, scenario: Scenario, regime: Regime) -> Vec<Node> {
        let mut models = scenario.models(regime);
        if let Extent::First(count) = self {
            models.truncate(count);
        }
        models
    }

    fn order(self, regime: Regime) -> Regime {
        if self == Extent::All { regime } else { Regime::InOrder }
    }
}

/// One value out of a message.
pub fn extract(extent: Extent, wants: impl Fn(Regime) -> bool, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    for scenario in Scenario::ALL {
        for &regime in scenario.regimes().iter().filter(|regime| wants(**regime)) {
            let order = extent.order(regime);
            // Made when the group is measured.
            let models = LazyCell::new(|| extent.of(scenario, regime));
            // One for all readers of one encoding.
            let shared: RefCell<Vec<Rc<Inputs>>> = RefCell::default();
            let (models, shared) = (&models, &shared);
            let ways = readers(scenario.shape()).into_iter().map(|mut reader| {
                let name = format!("{} {}", reader.codec, reader.mode);
                Way::new(name.clone(), move || {
                    let made = reader.inputs(order, models);
                    let mut shared = shared.borrow_mut();
                    let inputs = shared.iter().find(|inputs| inputs.is_as(&made)).cloned();
                    let inputs = inputs.unwrap_or_else(|| {
                        let made = Rc::new(made);
                        shared.push(Rc::clone(&made));
                        made
                    });
                    let messages: Vec<&[u8]> = inputs.slices().collect();
                    let answers = models.iter().map(|model| Some(scenario.shape().answer(model)));
                    assert!(reader.read_all(&messages).into_iter().eq(answers), "{name}, {}", scenario.name());
                    Box::new(move |iterations| reader.time(&inputs, iterations))
                })
            });
            each(&format!("extract/{}/{}", regime.name(), scenario.name()), ways.collect());
        }
    }
}

/// The report's 63 pairs into bytes.
pub fn encode(extent: Extent, wants: impl Fn(Regime) -> bool, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    for &regime in Scenario::C63K32.regimes().iter().filter(|regime| wants(**regime)) {
        let order = extent.order(regime);
        let models = LazyCell::new(|| extent.of(Scenario::C63K32, regime));
        let models = &models;
        let ways = writers().into_iter().map(|writer| {
            let name = format!("{} {}", writer.codec, writer.mode);
            Way::new(name.clone(), move || {
                let mut reader = reader_of(writer.codec);
                for (model, message) in models.iter().zip(writer.inputs(order, models).slices()) {
                    assert_eq!(reader.read(message), Some(Shape::C63.answer(model)), "{name}");
                }
                let mut messages = writer.prepare(models);
                Box::new(move |iterations| messages.time(order, iterations))
            })
        });
        each(&format!("encode/{}/C63", regime.name()), ways.collect());
    }
}

/// Messages changed.
pub fn edit(extent: Extent, wants: impl Fn(Regime) -> bool, mut each: impl FnMut(&str, Vec<Way<'_>>)) {
    for &regime in Scenario::C63K32.regimes().iter().filter(|regime| wants(**regime)) {
        let models = extent.of(Scenario::C63K32, regime);
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
