//! Fill: a page that people wrote, with figures, tables and charts in place of their names.
//!
//! In: a text with names in double braces, and what they stand for. Out: the text, its charts, and the names that stand for nothing.

/// What stands where something was not measured.
pub const NOTHING: &str = "–";

/// A page with its figures.
#[derive(Debug, Default)]
pub struct Page {
    pub text: String,
    /// The names and contents of the pictures.
    pub charts: Vec<(String, String)>,
    /// The names that stand for nothing that was measured.
    pub missing: Vec<String>,
}

/// Puts the figure of its name in place of each `{{name}}`. A picture `![title](name.svg)` alone on a line is drawn with its title. What
/// was not measured is a dash, and a chart of nothing is left out.
pub fn filled(
    text: &str,
    figure: &dyn Fn(&str) -> Option<String>,
    chart: &dyn Fn(&str, &str) -> Option<String>,
) -> Page {
    let mut page = Page::default();
    for line in text.lines() {
        let mut parts = line.split("{{");
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, after) = part.split_once("}}").unwrap_or((part, ""));
            if let Some(figure) = figure(name) {
                filled += figure.trim_matches('\n');
            } else {
                page.missing.push(name.to_owned());
                filled += NOTHING;
            }
            filled += after;
        }
        let picture = filled.strip_prefix("![").and_then(|rest| rest.strip_suffix(".svg)")?.split_once("]("));
        if let Some((title, name)) = picture {
            let Some(svg) = chart(name, title) else {
                page.missing.push(format!("{name}.svg"));
                continue;
            };
            page.charts.push((format!("{name}.svg"), svg));
        }
        page.text += filled.trim_end_matches('\n');
        page.text.push('\n');
    }
    while page.text.contains("\n\n\n") {
        page.text = page.text.replace("\n\n\n", "\n\n");
    }
    page
}
