//! Policy: the rules for requests, read from a small TOML file.
//!
//! In: the text of the file; the content of a request. Out: the one rule that the request meets.
//! The README has a file with every key.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::net::SocketAddr;

use anyhow::{Context, Result, bail, ensure};
use rustix::fs::{Mode, OFlags};
use serde::Deserialize;
use y3::edit::Edit;
use y3::{Encoder, Error, Hit, Path, Paths, path};

use crate::message::{ID, REQUEST};

/// The longest text of a policy in bytes.
const LONGEST: u64 = 1 << 20;
const ID_PATH: Path = path!(ID);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    default: Option<String>,
    backends: BTreeMap<String, SocketAddr>,
    #[serde(default)]
    rule: Vec<FileRule>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRule {
    name: Option<String>,
    #[serde(rename = "match")]
    path: Option<String>,
    value: Option<Value>,
    route: Option<String>,
    #[serde(default)]
    drop: bool,
    #[serde(default)]
    remove: Vec<String>,
    #[serde(default)]
    set: BTreeMap<String, Value>,
}

/// A value in the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Value {
    Bool(bool),
    Integer(i64),
    Text(String),
}

impl Value {
    fn is_of(&self, hit: &Hit<'_>) -> bool {
        match self {
            Value::Bool(value) => hit.decode() == Ok(*value),
            Value::Integer(value) => hit.decode() == Ok(*value),
            Value::Text(value) => hit.value() == value.as_bytes(),
        }
    }

    fn put(&self, out: &mut Vec<u8>, key: u8) -> Result<(), Error> {
        let mut encoder = Encoder::new(out);
        match self {
            Value::Bool(value) => encoder.put(key, *value),
            Value::Integer(value) => encoder.put(key, *value),
            Value::Text(value) => encoder.put(key, value.as_str()),
        }
    }
}

/// Rules in the order of the file, and the backends that they name.
#[derive(Debug, Default)]
pub struct Policy {
    pub backends: Vec<(String, SocketAddr)>,
    /// The last one applies to requests that no condition selects.
    rules: Vec<Rule>,
    /// The paths of all others.
    paths: Paths,
    /// If one of the longer paths cannot be followed in a request, the request may hide a packet that a rule looks for.
    followed: Option<Edit<'static>>,
}

/// The action for requests that match.
#[derive(Debug)]
pub struct Rule {
    pub name: String,
    path: Option<Path>,
    value: Option<Value>,
    /// An index of the policy's backends; `None` drops.
    pub backend: Option<usize>,
    /// Removes the id, which the proxy replaces, and the packets that the rule removes or sets.
    pub edit: Edit<'static>,
    /// The packets that the rule sets.
    pub set: Vec<u8>,
    pub redacts: bool,
}

impl Policy {
    /// Reads the policy in a file. Reads only a regular file: a pipe may have no writer, and a device no end.
    pub fn read(path: &std::path::Path) -> Result<Policy> {
        let read = || {
            // Opening a pipe waits for a writer without `NONBLOCK`.
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
            ensure!(file.metadata()?.is_file(), "not a regular file");
            let mut text = String::new();
            file.take(LONGEST + 1).read_to_string(&mut text)?;
            ensure!(text.len() as u64 <= LONGEST, "longer than {LONGEST} bytes");
            Ok(text)
        };
        let text = read().with_context(|| format!("cannot read {}", path.display()))?;
        Policy::parse(&text).with_context(|| path.display().to_string())
    }

    /// Reads a policy.
    pub fn parse(text: &str) -> Result<Policy> {
        let mut file: Text = toml::from_str(text)?;
        ensure!(!file.backends.is_empty(), "no backend");
        let backends: Vec<(String, SocketAddr)> = file.backends.into_iter().collect();
        let backend = |name: &str| {
            backends.iter().position(|(known, _)| known == name).with_context(|| format!("no backend {name:?}"))
        };
        let default = file.default.as_deref().map(backend).transpose().context("default")?;
        if file.rule.last().is_none_or(|rule| rule.path.is_some()) {
            let name = Some("default".into());
            file.rule.push(FileRule { name, drop: default.is_none(), ..FileRule::default() });
        }
        let (mut rules, last) = (Vec::new(), file.rule.len());
        for (number, rule) in (1..).zip(file.rule) {
            let name = rule.name.clone().unwrap_or_else(|| format!("rule {number}"));
            if rule.path.is_none() {
                ensure!(rule.value.is_none(), "{name}: a value needs a match");
                ensure!(number == last, "{name}: only the last rule can be without a match");
            }
            rules.push(rule.compile(name.clone(), default, backend).context(name)?);
        }
        let paths: Vec<Path> = rules.iter().filter_map(|rule| rule.path).collect();
        let mut deep = paths.iter().copied().filter(|path| path.len() > 1).peekable();
        let followed = deep.peek().is_some().then(|| removal(deep));
        Ok(Policy { backends, rules, followed, paths: Paths::new(paths) })
    }

    /// The rule that a request matches: the first one whose path leads to a packet with the rule's value.
    ///
    /// Cost: one jump for each packet of the levels that paths lead through; never allocates.
    ///
    /// # Errors
    /// A path that cannot be followed, so the right rule is unknown.
    #[inline]
    pub fn rule(&self, content: &[u8]) -> Result<&Rule, Error> {
        let mut first = self.rules.len() - 1;
        if let Some(followed) = &self.followed {
            followed.output_len(content)?;
        }
        if first > 0 {
            for hit in self.paths.watch(content) {
                let hit = hit?;
                // Rules of one path have the index of the first of them.
                let index = hit.path_index();
                let meets = |rule: &Rule| {
                    rule.path == self.rules[index].path && rule.value.as_ref().is_none_or(|value| value.is_of(&hit))
                };
                let before = self.rules.get(index..first).and_then(|rules| rules.iter().position(meets));
                first = before.map_or(first, |number| index + number);
            }
        }
        Ok(&self.rules[first])
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rules, {} backends", self.rules.len(), self.backends.len())
    }
}

impl FileRule {
    fn compile(self, name: String, default: Option<usize>, backend: impl Fn(&str) -> Result<usize>) -> Result<Rule> {
        let path = self.path.as_deref().map(inside).transpose().context("match")?;
        ensure!(path != Some(ID_PATH), "match: the id belongs to the proxy");
        let backend = match (&self.route, self.drop) {
            (Some(_), true) => bail!("drop and route exclude each other"),
            (Some(route), false) => Some(backend(route)?),
            (None, true) => None,
            (None, false) => Some(default.context("no route, and the file has no default")?),
        };
        let mut removed = vec![ID_PATH];
        for path in &self.remove {
            let path = inside(path).context("remove")?;
            ensure!(!path.matches(ID_PATH), "remove: the id cannot be removed");
            removed.push(path);
        }
        let mut set = Vec::new();
        for (text, value) in &self.set {
            let path = inside(text).context("set")?;
            let [Some(key)] = path.keys().collect::<Vec<_>>()[..] else { bail!("set: {text} is not 01/KEY") };
            ensure!(path != ID_PATH, "set: the id belongs to the proxy");
            value.put(&mut set, key.get()).with_context(|| format!("set: {text}"))?;
            removed.push(path);
        }
        let redacts = removed.len() > 1;
        Ok(Rule { name, path, value: self.value, backend, edit: removal(removed), set, redacts })
    }
}

/// The edit that removes these paths.
fn removal(paths: impl IntoIterator<Item = Path>) -> Edit<'static> {
    paths.into_iter().fold(Edit::new(), Edit::remove)
}

/// A path inside a request, without its first key.
fn inside(text: &str) -> Result<Path> {
    let is_request = |first: &str| first.parse::<y3::Key>().is_ok_and(|key| key.get() == REQUEST);
    let rest = text.split_once('/').filter(|(first, _)| is_request(first)).map(|(_, rest)| rest);
    let rest = rest.with_context(|| format!("{text:?} is not inside a request: 01/…"))?;
    rest.parse().with_context(|| format!("{text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "default = 'a'\n[backends]\na = '127.0.0.1:1'\nb = '127.0.0.1:2'\n";

    #[test]
    fn the_first_rule_that_matches_decides_and_a_path_that_cannot_be_followed_has_none() {
        let order = "[[rule]]\nname='one'\nmatch='01/12'\nvalue='eu'\nroute='b'\n[[rule]]\nname='two'\nmatch='01/13'\ndrop=true";
        let same =
            ["8", "7", "6"].map(|name| format!("[[rule]]\nname='{name}'\nmatch='01/12'\nvalue={name}\n")).concat();
        let deep = "[[rule]]\nname='deep'\nmatch='01/13/02'\nvalue='x'\ndrop=true";
        let cases: [(&str, &[u8], Option<&str>); 12] = [
            (order, &[0x13, 0x00, 0x12, 0x02, b'e', b'u'], Some("one")),
            (order, &[0x12, 0x02, b'e', b'u', 0x13, 0x00], Some("one")),
            (order, &[0x12, 0x02, b'u', b's', 0x13, 0x00], Some("two")),
            (order, &[0x12, 0x02, b'u', b's'], Some("default")),
            // A value before it does not hide one that matches.
            (order, &[0x12, 0x02, b'u', b's', 0x12, 0x02, b'e', b'u'], Some("one")),
            // Rules of one path differ by value, and integers match in any width.
            (&same, &[0x12, 0x01, 0x07], Some("7")),
            (&same, &[0x12, 0x02, 0x00, 0x07], Some("7")),
            (&same, &[0x12, 0x04, 0, 0, 0, 7, 0x12, 0x01, 6], Some("7")),
            (&same, &[0x12, 0x01, 0x09], Some("default")),
            (deep, &[0x93, 0x03, 0x02, 0x01, b'x'], Some("deep")),
            // A primitive where the path needs a node, and a child that is cut.
            (deep, &[0x13, 0x03, 0x02, 0x01, b'x'], None),
            (deep, &[0x93, 0x02, 0x02, 0x05], None),
        ];
        for (rules, content, expected) in cases {
            let policy = Policy::parse(&format!("{HEAD}{rules}")).unwrap();
            assert_eq!(policy.rule(content).ok().map(|rule| &*rule.name), expected, "{content:02x?}");
        }
    }

    #[test]
    fn names_what_is_wrong_with_a_file() {
        for (rules, says) in [
            ("[[rule]]\nmatch='01/12'\nroute='c'", "rule 1: no backend \"c\""),
            ("[[rule]]\nmatch='02/12'\nroute='a'", "not inside a request"),
            ("[[rule]]\nmatch='01'\nroute='a'", "not inside a request"),
            ("[[rule]]\nmatch='01/99'\nroute='a'", "01/99"),
            ("[[rule]]\nmatch='01/12'\nroute='a'\ndrop=true", "exclude each other"),
            ("[[rule]]\nroute='a'\n[[rule]]\nroute='b'", "only the last rule"),
            ("[[rule]]\nmatch='01/12'\nremove=['01/10']", "the id cannot be removed"),
            ("[[rule]]\nmatch='01/12'\nremove=['01/*']", "the id cannot be removed"),
            ("[[rule]]\nmatch='01/12'\nset={'01/13/02'=1}", "is not 01/KEY"),
            ("[[rule]]\nmatch='01/12'\nset={'01/10'=1}", "belongs to the proxy"),
            ("[[rule]]\nmatch='01/12'\nroot='a'", "unknown field `root`"),
            ("[[rule]]\nvalue=1\nroute='a'", "a value needs a match"),
        ] {
            let found = format!("{:#}", Policy::parse(&format!("{HEAD}{rules}")).unwrap_err());
            assert!(found.contains(says), "{rules}\n{found}");
        }
        assert!(format!("{:#}", Policy::parse("backends = {}").unwrap_err()).contains("no backend"));
    }
}
