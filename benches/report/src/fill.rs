//! Fill: replaces the names in a hand-written page with figures, tables and charts.

/// The text in place of a figure that was not measured.
pub const NOTHING: &str = "–";

/// A filled page.
#[derive(Debug, Default)]
pub struct Page {
    pub text: String,
    /// The file name and the contents of each chart.
    pub charts: Vec<(String, String)>,
    /// The names of figures and charts that were not measured.
    pub missing: Vec<String>,
}

/// Replaces each `{{name}}` with the figure of that name, and draws a chart for each line `![title](name.svg)`. A figure that was not
/// measured becomes a dash. The line of a chart that was not measured is left out.
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
