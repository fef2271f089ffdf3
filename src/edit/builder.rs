//! Builder: makes an edit rule by rule, with an allocator.

use super::rule::{Action, Content, Rule, Top};
use super::rules::{Compiled, Edit, Rules};
use crate::read::path::Path;
use crate::value::Encode;
use crate::write::encoder::Encoder;

/// These methods make an edit and add rules one by one.
impl<'a> Edit<'a> {
    /// Makes an edit that has no rules. Such an edit copies its input unchanged.
    #[must_use]
    pub const fn new() -> Self {
        Self::from_rules(&[])
    }

    /// Makes an edit that keeps the packets at these paths and the nodes around them, and drops all other packets.
    ///
    /// A node on a path is also dropped if it contains no kept packet. If a path continues inside a node, primitives at
    /// this place are dropped. If a path enters the embedded packets of a primitive, nodes at this place are dropped.
    ///
    /// # Examples
    /// ```
    /// use y3::{PathSet, edit::Edit, path};
    ///
    /// let mut out = Vec::new();
    /// Edit::keep([path!(0x01, 0x11)]).apply(&[0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61], &mut out)?;
    /// assert_eq!(out, [0x81, 0x03, 0x11, 0x01, 0x07]);
    ///
    /// // What is watched.
    /// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
    /// assert_eq!(Edit::keep(&WATCHED).output_len(&[0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61])?, out.len());
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn keep(paths: impl IntoIterator<Item = Path>) -> Self {
        let edit: Self = paths.into_iter().map(Rule::keep).collect();
        // An edit with an empty list of paths to keep drops all packets.
        Self { kept: edit.kept.or_else(|| Some(Compiled::default())), ..edit }
    }

    /// Removes all packets at a path.
    ///
    /// Use this rule for redaction. If the edit cannot search every packet on the path, it returns an error and writes
    /// nothing. The causes are:
    ///
    /// - a faulty header at the top level or in a node on the path
    /// - a primitive where the path needs a node ([`NotANode`](crate::ErrorKind::NotANode))
    /// - a node where the path needs a primitive with embedded packets
    ///   ([`NotAPrimitive`](crate::ErrorKind::NotAPrimitive))
    ///
    /// The wildcard `*` matches every packet on its level, so each of these packets can cause an error.
    ///
    /// # Examples
    /// ```
    /// use y3::{ErrorKind, edit::Edit, path};
    ///
    /// let redact = Edit::new().remove(path!(0x01, 0x13, 0x02));
    /// let mut out = Vec::new();
    /// redact.apply(&[0x81, 0x05, 0x93, 0x03, 0x02, 0x01, 0x61], &mut out)?;
    /// assert_eq!(out, [0x81, 0x02, 0x93, 0x00]);
    ///
    /// // `13` is a primitive here, and another reader may find the secret inside it.
    /// let error = redact.apply(&[0x81, 0x05, 0x13, 0x03, 0x02, 0x01, 0x61], &mut out).unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (ErrorKind::NotANode, 2));
    /// assert_eq!(out.len(), 4);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn remove(self, path: Path) -> Self {
        self.with(Rule::remove(path))
    }

    /// Changes the key of all packets at a path to `key`.
    ///
    /// The edit writes each of these packets with a new header, which has the shortest possible length field. The
    /// values are copied unchanged. If `key` is above 63, applying the edit returns
    /// [`InvalidKey`](crate::ErrorKind::InvalidKey).
    #[must_use]
    pub fn rename(self, path: Path, key: u8) -> Self {
        self.with(Rule::rename(path, key))
    }

    /// Overwrites the value of the first packet at a path, or adds the packet if it is missing.
    ///
    /// Bytes: setting `01/12` to 300 changes both `81 03 12 01 07` and `81 00` to `81 04 12 02 01 2c`.
    ///
    /// All keys of the path but the last lead to the *parent*: a node, or a primitive that contains packets. If there
    /// are several parents, the edit uses the first. The edit looks for the packet only in this parent. If the parent
    /// does not contain the packet, the edit adds the packet at the end of the parent.
    ///
    /// If the path has only one key, the edit adds a missing packet at the end of the input. In a stream, the edit
    /// returns [`NotFound`](crate::ErrorKind::NotFound) instead. A path that ends with the wildcard `*` never adds a
    /// packet. The new value can be longer or shorter than the old value.
    ///
    /// # Examples
    /// ```
    /// use y3::{edit::Edit, path};
    ///
    /// let mut out = Vec::new();
    /// Edit::new().set(path!(0x01, 0x12), 300i32).set(path!(0x01, 0x13), "a").apply(&[0x81, 0x03, 0x12, 0x01, 0x07], &mut out)?;
    /// assert_eq!(out, [0x81, 0x07, 0x12, 0x02, 0x01, 0x2c, 0x13, 0x01, 0x61]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn set(self, path: Path, value: impl Encode) -> Self {
        self.writing(path, Action::Set, 0, value)
    }

    /// Replaces the first packet at a path with a packet that has this key and value.
    #[must_use]
    pub fn replace(self, path: Path, key: u8, value: impl Encode) -> Self {
        self.writing(path, Action::Replace, key, value)
    }

    /// Inserts a packet before the first packet at a path.
    #[must_use]
    pub fn insert(self, path: Path, key: u8, value: impl Encode) -> Self {
        self.writing(path, Action::Insert, key, value)
    }

    /// Writes a packet at the end of the first node at a path. If the packet at the path is a primitive, applying the
    /// edit returns [`NotANode`](crate::ErrorKind::NotANode).
    ///
    /// # Examples
    /// ```
    /// use y3::{Packet, edit::Edit, path};
    ///
    /// // A packet read before is a value as well.
    /// let read = Packet::from_slice(&[0x82, 0x02, 0x03, 0x00])?;
    /// let mut out = Vec::new();
    /// Edit::new().append(path!(0x01), 0x02, read).apply(&[0x81, 0x00], &mut out)?;
    /// assert_eq!(out, [0x81, 0x04, 0x82, 0x02, 0x03, 0x00]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn append(self, path: Path, key: u8, value: impl Encode) -> Self {
        self.writing(path, Action::Append, key, value)
    }

    fn with(mut self, rule: Rule<'a>) -> Self {
        self.rules.to_mut().push(rule);
        self.settle();
        self
    }

    /// If there are many paths to keep or remove, compiles them for a binary search. All other rules are compared with
    /// each packet on a path.
    fn settle(&mut self) {
        // Measured times in ns, for comparing rules and for searching compiled paths. Paths in one node: 5 take 136 and
        // 197, 32 take 274 and 707, 61 take 273 and 1127. Paths in separate nodes: 5 take 294 and 373, 32 take 1816 and
        // 1898, 61 take 4965 and 3392. Neither of the two is always faster.
        const FEW: usize = 32;
        let filters = |rule: &Rule<'_>| matches!(rule.action, Action::Keep | Action::Remove);
        if self.rules.iter().filter(|rule| filters(rule)).count() > FEW {
            for (action, paths) in [(Action::Keep, &mut self.kept), (Action::Remove, &mut self.removed)] {
                let more = self.rules.iter().filter(|rule| rule.action == action).map(|rule| rule.path);
                let all: Compiled = paths.iter().flat_map(Compiled::iter).chain(more).collect();
                if all.iter().len() > 0 {
                    *paths = Some(all);
                }
            }
            self.rules.to_mut().retain(|rule| !filters(rule));
        }
        self.top = Top::of(&self.rules);
    }

    /// Adds a rule that writes a packet with this key and value.
    fn writing(mut self, path: Path, action: Action, key: u8, value: impl Encode) -> Self {
        let start = self.bytes.len();
        if let Err(error) = Encoder::new(&mut self.bytes).put(key, value) {
            self.error = self.error.or(Some(error));
        }
        let end = self.bytes.len();
        self.with(Rule::new(path, action, Content::Own(start, end)))
    }
}

impl Default for Edit<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> FromIterator<Rule<'a>> for Edit<'a> {
    /// Makes an edit from rules. For many rules, this function is faster than adding the rules one by one, because it
    /// sorts the paths only once.
    fn from_iter<I: IntoIterator<Item = Rule<'a>>>(rules: I) -> Self {
        let mut edit = Edit { rules: Rules::Owned(rules.into_iter().collect()), ..Edit::new() };
        edit.settle();
        edit
    }
}
