//! Machine: the machine on which the report is measured, and the output of its programs.

use std::process::Command;
use std::{env, fs, thread};

use serde::{Deserialize, Serialize};

/// A machine as its operating system describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    pub cpu: String,
    /// Family, model, stepping, clock rate and cache, if the system tells them.
    pub processor: String,
    pub cores: usize,
    pub kernel: String,
    pub rustc: String,
}

impl Machine {
    pub fn name(&self) -> String {
        let Machine { cpu, processor, cores, .. } = self;
        let processor = if processor.is_empty() { String::new() } else { format!(" ({processor})") };
        format!("{cpu}{processor}, {cores} cores")
    }

    pub fn here() -> Machine {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = cpuinfo.lines().find_map(|line| line.strip_prefix(name)?.split_once(": "));
            line.map(|(_, value)| value.trim().to_owned())
        };
        let machine = if field("flags").is_some_and(|flags| flags.contains("hypervisor")) { ", virtual" } else { "" };
        Machine {
            cpu: field("model name").unwrap_or_else(|| format!("{} processor", env::consts::ARCH)) + machine,
            processor: processor(&field),
            cores: thread::available_parallelism().map_or(1, usize::from),
            kernel: said(Command::new("uname").arg("-sr")).unwrap_or_else(|| env::consts::OS.to_owned()),
            rustc: said(Command::new("rustc").arg("--version")).unwrap_or_else(|| "rustc".to_owned()),
        }
    }
}

/// Virtual machines hide the name of the processor, but not its family and model.
fn processor(field: &dyn Fn(&str) -> Option<String>) -> String {
    let number = |name| field(name)?.parse::<u32>().ok();
    let mut parts = Vec::new();
    if let (Some(family), Some(model)) = (number("cpu family"), number("model\t")) {
        let stepping = number("stepping").map_or_else(String::new, |stepping| format!(" stepping {stepping}"));
        parts.push(format!("family {family} model {model}{stepping}"));
    }
    parts.extend(field("cpu MHz").and_then(|clock| clock.parse::<f64>().ok()).map(|clock| format!("{clock:.0} MHz")));
    parts.extend(field("cache size").map(|cache| format!("{cache} cache")));
    parts.join(", ")
}

/// The output of a program, if the program exists and succeeds.
pub fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
