//! Extract: one value out of a message and the 63 pairs into bytes, all codecs in turns.
//!
//! Groups `extract/<regime>/<scenario>` and `encode/<regime>/C63`, ways `<codec> <mode>`. Every answer of every message is
//! asserted before it is timed.

use std::cell::{LazyCell, RefCell};
use std::rc::Rc;

use kit::data::Node;
use kit::turns::{Bench, Way, main as in_turns};
use peers::extract::mode::Inputs;
use peers::extract::scenario::{Scenario, Shape};
use peers::extract::{reader_of, readers, writers};

fn extract(bench: &mut Bench) {
    for scenario in Scenario::ALL {
        for regime in scenario.regimes() {
            // Made when the group is measured, and shared by the readers of one encoding.
            let models: LazyCell<Vec<Node>, _> = LazyCell::new(|| scenario.models(*regime));
            let shared: RefCell<Vec<Rc<Inputs>>> = RefCell::default();
            let (models, shared) = (&models, &shared);
            let ways = readers(scenario.shape()).into_iter().map(|mut reader| {
                let name = format!("{} {}", reader.codec, reader.mode);
                Way::new(name.clone(), move || {
                    let made = reader.inputs(*regime, models);
                    let mut shared = shared.borrow_mut();
                    let inputs = shared.iter().find(|inputs| inputs.is_as(&made)).cloned();
                    let inputs = inputs.unwrap_or_else(|| {
                        shared.push(Rc::new(made));
                        Rc::clone(&shared[shared.len() - 1])
                    });
                    let messages: Vec<&[u8]> = inputs.slices().collect();
                    let answers = models.iter().map(|model| Some(scenario.shape().answer(model)));
                    assert!(reader.read_all(&messages).into_iter().eq(answers), "{name}, {}", scenario.name());
                    Box::new(move |iterations| reader.time(&inputs, iterations))
                })
            });
            bench.group(&format!("extract/{}/{}", regime.name(), scenario.name()), ways.collect());
        }
    }
}

fn encode(bench: &mut Bench) {
    for regime in Scenario::C63K32.regimes() {
        let models: LazyCell<Vec<Node>, _> = LazyCell::new(|| Scenario::C63K32.models(*regime));
        let models = &models;
        let ways = writers().into_iter().map(|writer| {
            let name = format!("{} {}", writer.codec, writer.mode);
            Way::new(name.clone(), move || {
                let mut reader = reader_of(writer.codec);
                for (model, message) in models.iter().zip(writer.inputs(*regime, models).slices()) {
                    assert_eq!(reader.read(message), Some(Shape::C63.answer(model)), "{name}");
                }
                let mut messages = writer.prepare(models);
                Box::new(move |iterations| messages.time(*regime, iterations))
            })
        });
        bench.group(&format!("encode/{}/C63", regime.name()), ways.collect());
    }
}

fn main() {
    in_turns(|bench| {
        extract(bench);
        encode(bench);
    });
}
