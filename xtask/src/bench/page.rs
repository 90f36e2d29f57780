//! The table of a run, and the page that holds it.

use anyhow::{Context, Result};

use super::figures::{Figures, aims};

/// The table stands between these lines of the page; what is around them is written by people.
const BEGIN: &str = "<!-- bench: begin -->";
const END: &str = "<!-- bench: end -->";

/// A run of the bench.
pub(super) struct Run {
    pub(super) date: String,
    pub(super) machine: String,
    pub(super) commit: String,
    pub(super) seconds: u32,
    pub(super) ours: Vec<Figures>,
    pub(super) theirs: Vec<Figures>,
}

impl Run {
    /// The figures and the aims as tables.
    pub(super) fn to_markdown(&self) -> String {
        let mut rows = vec![
            ["server", "clients", "exchanges/s", "p50 ms", "p99 ms"]
                .into_iter()
                .chain(["CPU µs each", "requests/fsync", "RSS MB", "RSS idle MB"])
                .map(str::to_owned)
                .collect(),
        ];
        rows.extend(self.ours.iter().chain(&self.theirs).map(row));
        let mut held = vec![["aim", "", "measured", ""].map(str::to_owned).to_vec()];
        held.extend(aims(&self.ours, &self.theirs).iter().map(|aim| {
            let measured = aim.measured.clone().unwrap_or_else(|| "–".to_owned());
            vec![
                aim.what.to_owned(),
                aim.bound.to_owned(),
                measured,
                aim.verdict().to_owned(),
            ]
        }));
        format!(
            "{}, {}, commit {}, {} s for each number of clients, after 2 s of warming up.\n\n{}\n{}",
            self.date,
            self.machine,
            self.commit,
            self.seconds,
            table(&rows),
            table(&held),
        )
    }
}

fn row(figures: &Figures) -> Vec<String> {
    let optional =
        |figure: Option<f64>| figure.map_or_else(|| "–".to_owned(), |f| format!("{f:.1}"));
    vec![
        figures.server.clone(),
        figures.clients.to_string(),
        format!("{:.0}", figures.per_second),
        format!("{:.2}", figures.p50_ms),
        format!("{:.2}", figures.p99_ms),
        format!("{:.0}", figures.server_cpu_us),
        optional(figures.requests_per_fsync),
        format!("{:.1}", figures.rss_mb),
        optional(figures.rss_idle_mb),
    ]
}

/// A Markdown table that is also one where it is read as plain text: the first column to the left,
/// the others to the right.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
            .max(3)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let rule = widths.iter().enumerate().map(|(column, width)| {
        let dashes = "-".repeat(width + 1);
        let end = if column == 0 { '-' } else { ':' };
        format!("{dashes}{end}|")
    });
    let rule = format!("|{}", rule.collect::<String>());
    let mut lines: Vec<String> = rows.iter().map(|row| line(row, &widths)).collect();
    lines.insert(1.min(lines.len()), rule);
    lines.push(String::new());
    lines.join("\n")
}

/// A row of a table; the first cell stands to the left.
fn line(row: &[String], widths: &[usize]) -> String {
    let cells = widths.iter().enumerate().map(|(column, width)| {
        let cell = row.get(column).map_or("", String::as_str);
        if column == 0 {
            format!(" {cell:<width$} |")
        } else {
            format!(" {cell:>width$} |")
        }
    });
    format!("|{}", cells.collect::<String>())
}

/// The page with its table replaced.
pub(super) fn with_table(page: &str, table: &str) -> Result<String> {
    let missing = || format!("the table belongs between the lines `{BEGIN}` and `{END}`");
    let (before, rest) = page.split_once(BEGIN).with_context(missing)?;
    let (_, after) = rest.split_once(END).with_context(missing)?;
    Ok(format!(
        "{before}{BEGIN}\n\n{}\n\n{END}{after}",
        table.trim_end()
    ))
}

/// The machine: how many cores, and of which kind, as Linux tells it.
pub(super) fn machine(cores: usize, cpuinfo: &str) -> String {
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("a CPU that does not name itself", |(_, model)| model.trim());
    format!("{cores} cores of {model}")
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::figures;
    use super::*;

    fn run() -> Run {
        let mut ours = figures("tertulia", 16, 210.4);
        ours.requests_per_fsync = Some(7.25);
        ours.rss_idle_mb = Some(18.0);
        Run {
            date: "2026-11-30".to_owned(),
            machine: "2 cores of Some CPU".to_owned(),
            commit: "abc1234".to_owned(),
            seconds: 10,
            ours: vec![ours],
            theirs: vec![figures("python a2a-sdk 1.3.0", 16, 2950.0)],
        }
    }

    #[test]
    fn the_tables_hold_the_figures_and_the_aims() {
        let text = run().to_markdown();
        let mut lines = text.lines();
        assert_eq!(
            lines.next().unwrap(),
            "2026-11-30, 2 cores of Some CPU, commit abc1234, 10 s for each number of clients, after 2 s of warming up."
        );
        for expected in [
            "| server               | clients | exchanges/s | p50 ms | p99 ms | CPU µs each | requests/fsync | RSS MB | RSS idle MB |",
            "|----------------------|--------:|------------:|-------:|-------:|------------:|---------------:|-------:|------------:|",
            "| tertulia             |      16 |        6000 |   2.50 |   9.00 |         210 |            7.2 |   80.0 |        18.0 |",
            "| python a2a-sdk 1.3.0 |      16 |        6000 |   2.50 |   9.00 |        2950 |              – |   80.0 |           – |",
            "| p50, 16 clients                         |     ≤ 5 ms |    2.50 ms |          met |",
            "| delegations, 256 clients                |  ≥ 5,000/s |          – | not measured |",
            "| CPU of the peer for one of ours         | ≥ 10 times | 14.0 times |          met |",
        ] {
            assert!(
                text.lines().any(|line| line == expected),
                "{expected}\n{text}"
            );
        }
    }

    #[test]
    fn every_line_of_a_table_is_as_wide_as_the_others() {
        let text = run().to_markdown();
        let tables = text.split("\n\n").skip(1);
        for table in tables {
            let widths: Vec<usize> = table.lines().map(|line| line.chars().count()).collect();
            assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
        }
    }

    #[test]
    fn only_what_stands_between_the_markers_is_replaced() {
        let page = format!("# Title\n\n{BEGIN}\nold\n{END}\n\nmore\n");
        let once = with_table(&page, "new\n").unwrap();
        assert_eq!(
            once,
            format!("# Title\n\n{BEGIN}\n\nnew\n\n{END}\n\nmore\n")
        );
        assert_eq!(with_table(&once, "new\n").unwrap(), once);
        for broken in ["# Title\n", END, BEGIN] {
            let error = with_table(broken, "new").unwrap_err();
            assert!(error.to_string().contains("bench: begin"), "{error}");
        }
    }

    #[test]
    fn the_machine_is_named() {
        let cpuinfo =
            "processor\t: 0\nmodel name\t: AMD EPYC 7B13\nprocessor\t: 1\nmodel name\t: x\n";
        assert_eq!(machine(2, cpuinfo), "2 cores of AMD EPYC 7B13");
        assert_eq!(machine(4, ""), "4 cores of a CPU that does not name itself");
    }
}
