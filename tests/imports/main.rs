//! No two files of a package import each other, and a folder of `src` imports only what the table in
//! docs/ARCHITECTURE.md allows. The test reads the sources as tokens, so comments and strings do not count. An import
//! is a path to another file, in a `use` or elsewhere. `$crate::Name` does not count: an exported macro names what its
//! users see.
#![cfg(not(miri))]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A module as the names that lead to it from the crate root. The root itself has none.
type Module = Vec<String>;
type Imports = BTreeMap<Module, BTreeSet<Module>>;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Collects the source files of a folder and its subfolders by their modules.
fn files(folder: &Path, module: &[String], files: &mut BTreeMap<Module, PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let inside = [module, std::slice::from_ref(&name)].concat();
        if path.is_dir() {
            self::files(&path, &inside, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let is_root = name == "mod" || module.is_empty() && name == "lib";
            files.insert(if is_root { module.to_vec() } else { inside }, path);
        }
    }
}

/// The imports of each file of a package.
fn imports(house: &Path) -> Imports {
    let mut modules = BTreeMap::new();
    files(house, &[], &mut modules);
    // A binary without a library has its root in `main`.
    if let Some(main) = modules.remove(&vec!["main".to_owned()]) {
        modules.entry(Vec::new()).or_insert(main);
    }
    let modules: BTreeMap<Module, TokenStream> = modules
        .into_iter()
        .map(|(module, file)| (module, fs::read_to_string(&file).unwrap().parse().unwrap()))
        .collect();
    imports_of(&with_elsewhere(modules))
}

/// Adds the modules that `#[path]` takes from other folders. A path into such a module leads there, not to the file that
/// declares the module.
fn with_elsewhere(mut modules: BTreeMap<Module, TokenStream>) -> BTreeMap<Module, TokenStream> {
    for (module, tokens) in modules.clone() {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for declared in tokens.windows(3).filter(|three| is_word(&three[0], "mod") && is_mark(&three[2], ';')) {
            modules.entry([&module[..], &[word(&declared[1])]].concat()).or_default();
        }
    }
    modules
}

fn imports_of(modules: &BTreeMap<Module, TokenStream>) -> Imports {
    let of = |(module, tokens): (&Module, &TokenStream)| {
        let mut scan = Scan { modules, imports: BTreeSet::new() };
        scan.tokens(tokens.clone(), module);
        scan.imports.remove(module);
        (module.clone(), scan.imports)
    };
    modules.iter().map(of).collect()
}

struct Scan<'a> {
    modules: &'a BTreeMap<Module, TokenStream>,
    imports: BTreeSet<Module>,
}

impl Scan<'_> {
    fn tokens(&mut self, tokens: TokenStream, module: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Group(group) => {
                    // Inside `mod name { }` a path begins one level deeper.
                    let name =
                        at.checked_sub(3).filter(|at| is_word(&tokens[*at], "mod")).map(|at| word(&tokens[at + 1]));
                    let inside = [module, &name.into_iter().collect::<Module>()].concat();
                    self.tokens(group.stream(), &inside);
                }
                TokenTree::Ident(_) if is_separator(&tokens, at) => {
                    let before = at.checked_sub(2).map(|before| &tokens[before]);
                    let is_first = !before.is_some_and(|before| is_mark(before, ':'));
                    if let Some(start) = self.start(&word(token), module).filter(|_| is_first) {
                        let is_exported = before.is_some_and(|before| is_mark(before, '$'));
                        at = self.path(&tokens, at + 2, start, is_exported);
                    }
                }
                _ => {}
            }
        }
    }

    /// The module in which a path begins.
    fn start(&self, first: &str, module: &[String]) -> Option<Module> {
        let child = [module, &[first.to_owned()]].concat();
        match first {
            "crate" => Some(Vec::new()),
            "self" => Some(module.to_vec()),
            "super" => Some(module[..module.len().saturating_sub(1)].to_vec()),
            _ => self.modules.contains_key(&child).then_some(child),
        }
    }

    /// Adds the targets of a path or of each path in a group. Returns the position after it.
    fn path(&mut self, tokens: &[TokenTree], mut at: usize, mut module: Module, is_exported: bool) -> usize {
        loop {
            match tokens.get(at) {
                Some(TokenTree::Ident(_)) => {
                    let name = word(&tokens[at]);
                    at += 1;
                    match name.as_str() {
                        "self" => {}
                        "super" => drop(module.pop()),
                        _ => module.push(name),
                    }
                    if is_separator(tokens, at) {
                        at += 2;
                        continue;
                    }
                }
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    for part in inside.split(|token| is_mark(token, ',')).filter(|part| !part.is_empty()) {
                        self.path(part, 0, module.clone(), is_exported);
                    }
                    return at + 1;
                }
                _ => {}
            }
            let file = (0..=module.len()).rev().map(|len| &module[..len]).find(|file| self.modules.contains_key(*file));
            self.imports.extend(file.filter(|file| !is_exported || !file.is_empty()).map(<[String]>::to_vec));
            return at;
        }
    }
}

fn word(token: &TokenTree) -> String {
    token.to_string().trim_start_matches("r#").to_owned()
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    tokens.get(at..at + 2).is_some_and(|marks| marks.iter().all(|mark| is_mark(mark, ':')))
}

fn name(module: &[String]) -> String {
    if module.is_empty() { "the root".to_owned() } else { module.join("/") }
}

/// The pairs of files that import each other, one pair a line.
fn circles(imports: &Imports) -> Vec<String> {
    let pairs = imports.iter().flat_map(|(file, others)| others.iter().map(move |other| (file, other)));
    pairs
        .filter(|(file, other)| file < other && imports[*other].contains(*file))
        .map(|(file, other)| format!("{} and {} import each other", name(file), name(other)))
        .collect()
}

/// The folders of Rust sources in this repository; the library is first.
fn houses() -> Vec<String> {
    let mut houses = vec!["src".to_owned(), "tests/kit".to_owned()];
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(repository().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if !entry.file_type().unwrap().is_dir()
                || name.starts_with('.')
                || name == "target"
                || name == "node_modules"
            {
            } else if name != "src" {
                folders.push(path);
            } else if !folder.is_empty() && repository().join(&folder).join("Cargo.toml").is_file() {
                houses.push(path);
            }
        }
    }
    houses.sort();
    houses
}

#[test]
fn no_two_files_of_a_house_import_each_other() {
    let all: Vec<String> = houses()
        .iter()
        .flat_map(|house| {
            circles(&imports(&repository().join(house))).into_iter().map(move |pair| format!("{house}: {pair}"))
        })
        .collect();
    assert_eq!(all, [""; 0]);
}

/// The words in backticks in a table cell.
fn words(cell: &str) -> impl Iterator<Item = String> + '_ {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// Each folder of the table with the folders that it may import.
fn table(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let rows = page.lines().skip_while(|line| !line.starts_with("| module | imports |")).skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .flat_map(|row| {
            let cells: Vec<&str> = row.split('|').collect();
            let allowed: BTreeSet<String> = words(cells[2]).collect();
            words(cells[1]).map(move |room| (room, allowed.clone())).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn a_room_imports_what_the_table_of_the_architecture_allows() {
    let page = fs::read_to_string(repository().join("docs/ARCHITECTURE.md")).unwrap();
    let table = table(&page);
    let mut wrong = Vec::new();
    // The crate root is exempt: it only names what users see.
    for (file, others) in imports(&repository().join("src")).iter().filter(|(file, _)| !file.is_empty()) {
        let Some(allowed) = table.get(&file[0]) else {
            wrong.push(format!("the table has no room {}", file[0]));
            continue;
        };
        let rooms = others.iter().map(|other| other.first().map_or("the root", String::as_str));
        let others = rooms.filter(|room| *room != file[0] && !allowed.contains(*room));
        wrong.extend(others.map(|room| format!("{} imports {room}", name(file))));
    }
    assert_eq!(wrong, [""; 0]);
}

/// Tests the search itself on sources made for it.
#[test]
fn an_import_is_found_wherever_a_path_stands() {
    let sources = [
        ("", "pub mod a; pub mod b; #[path = \"../d.rs\"] mod d; macro_rules! shown { () => { $crate::Name } }"),
        ("a", "use crate::{b::{self, c::Deep}, Name}; mod tests { use super::*; }"),
        ("b", "mod c; fn f() -> super::a::T { c::g() } // crate::a::b"),
        (
            "b/c",
            "const TEXT: &str = \"crate::a\"; const MARK: char = '\"'; fn g() { vec![$crate::a::h(), self::i(), crate::d::e()] }",
        ),
    ];
    let module =
        |name: &str| -> Module { name.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect() };
    let modules = sources.map(|(name, source)| (module(name), source.parse().unwrap())).into();
    let imports = imports_of(&with_elsewhere(modules));
    let found = |of: &str| imports[&module(of)].iter().map(|module| name(module)).collect::<Vec<_>>();
    assert_eq!(found(""), [""; 0]);
    assert_eq!(found("a"), ["the root", "b", "b/c"]);
    assert_eq!(found("b"), ["a", "b/c"]);
    assert_eq!(found("b/c"), ["a", "d"]);
}
