//! Steps on the screen: `[n/m] name`, seconds, the output of what failed, and a summary whose last line counts tests.
//!
//! Separate so that every command shows its progress in one way. A step that needs another one which failed is skipped
//! and counts as failed. INVARIANT: the exit code is success only if every step passed.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is where xtask speaks"
)]
#![expect(clippy::disallowed_methods, reason = "xtask times its own steps")]

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use crate::counts::Counts;
use crate::paths;

/// One step of a command.
pub(crate) struct Step {
    name: String,
    needs: Vec<&'static str>,
    run: Work,
}

/// What a step does.
type Work = Box<dyn FnOnce(&mut Screen) -> anyhow::Result<Report>>;

/// How a step ended that could be carried out.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Tests, if the step ran some. A failed one fails the step.
    pub(crate) counts: Counts,
    /// A few words for the summary.
    pub(crate) note: String,
}

/// What a program printed and how it ended.
pub(crate) struct Output {
    status: ExitStatus,
    program: String,
    /// Standard output alone, for programs that answer in it.
    pub(crate) stdout: String,
    /// Both streams as they came.
    pub(crate) text: String,
}

/// Where a step's programs speak: to the screen when asked, to the step's log always.
pub(crate) struct Screen {
    label: String,
    verbose: bool,
    shown: bool,
    log: File,
    text: String,
}

enum Ended {
    Passed,
    Failed,
    Skipped,
}

struct Row {
    name: String,
    ended: Ended,
    seconds: f64,
    counts: Counts,
    note: String,
}

/// Print a line of result.
pub(crate) fn say(text: &str) {
    println!("{text}");
}

/// Print a line of talk.
pub(crate) fn say_error(text: &str) {
    eprintln!("{text}");
}

/// Run the steps in order, whatever fails, and print the summary.
pub(crate) fn run_all(command: &str, steps: Vec<Step>, verbose: bool) -> ExitCode {
    let started = Instant::now();
    let total = steps.len();
    let mut rows: Vec<Row> = Vec::with_capacity(total);
    for (index, step) in steps.into_iter().enumerate() {
        let label = format!("[{}/{total}] {}", index + 1, step.name);
        let missing = step.needs.iter().find(|need| {
            !rows
                .iter()
                .any(|row| row.name == **need && matches!(row.ended, Ended::Passed))
        });
        let row = match missing {
            Some(need) => Row {
                name: step.name,
                ended: Ended::Skipped,
                seconds: 0.0,
                counts: Counts::default(),
                note: format!("needs `{need}`"),
            },
            None => run_one(command, &label, step, verbose),
        };
        println!("{label:<32} {}", outcome(&row));
        rows.push(row);
    }
    summary(command, &rows, started.elapsed())
}

impl Step {
    /// A step that runs whatever happened before.
    pub(crate) fn new(
        name: impl Into<String>,
        run: impl FnOnce(&mut Screen) -> anyhow::Result<Report> + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            needs: Vec::new(),
            run: Box::new(run),
        }
    }

    /// The steps that must have passed before this one. Their names, as given to `new`.
    pub(crate) fn needs(mut self, names: &[&'static str]) -> Self {
        self.needs = names.to_vec();
        self
    }
}

impl Report {
    /// A step that passed, with a few words for the summary.
    pub(crate) fn note(note: impl Into<String>) -> Self {
        Self {
            counts: Counts::default(),
            note: note.into(),
        }
    }
}

impl Output {
    /// The output, or an error when the program did not end well.
    pub(crate) fn required(self) -> anyhow::Result<Self> {
        if self.status.success() {
            return Ok(self);
        }
        bail!("`{}` ended with {}", self.program, self.status)
    }

    /// The tests of a runner's output. An error when it did not end well and no failed test says why.
    pub(crate) fn tests(self) -> anyhow::Result<Report> {
        let counts = crate::counts::count(&self.text);
        if counts.failed == 0 {
            self.required()?;
        }
        Ok(Report {
            counts,
            note: String::new(),
        })
    }
}

impl Screen {
    /// From here on, show what programs print as it comes.
    pub(crate) fn show(&mut self) {
        self.shown = true;
    }

    /// Add a line to the step's log.
    pub(crate) fn tell(&mut self, line: &str) -> anyhow::Result<()> {
        writeln!(self.log, "{line}")?;
        if self.verbose || self.shown {
            println!("{line}");
        }
        self.text.push_str(line);
        self.text.push('\n');
        Ok(())
    }

    /// Run a program from the root of the clone, without standard input.
    pub(crate) fn run(&mut self, command: &mut Command) -> anyhow::Result<Output> {
        let program = shown(command);
        let started = Instant::now();
        self.tell(&format!("$ {program}"))?;
        let mut child = command
            .current_dir(paths::root())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{program}`"))?;
        let (sender, lines) = mpsc::channel();
        let readers = [
            child
                .stdout
                .take()
                .map(|stream| reader(stream, true, sender.clone())),
            child
                .stderr
                .take()
                .map(|stream| reader(stream, false, sender)),
        ];
        let (mut stdout, mut text) = (String::new(), String::new());
        let mut next_sign = Duration::from_secs(30);
        loop {
            match lines.recv_timeout(Duration::from_secs(1)) {
                Ok((line, of_stdout)) => {
                    if of_stdout {
                        stdout.push_str(&line);
                        stdout.push('\n');
                    }
                    // What a program tells programs is not for people.
                    if !(of_stdout && line.starts_with("{\"")) {
                        text.push_str(&line);
                        text.push('\n');
                        self.tell(&line)?;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if started.elapsed() >= next_sign {
                next_sign += Duration::from_secs(30);
                self.sign_of_life(started.elapsed(), &text);
            }
        }
        for thread in readers.into_iter().flatten() {
            // A reader ends with its stream and holds nothing; its lines have arrived.
            drop(thread.join());
        }
        Ok(Output {
            status: child.wait()?,
            program,
            stdout,
            text,
        })
    }

    /// Say that a long program is still at work, with the last thing it said.
    fn sign_of_life(&self, elapsed: Duration, text: &str) {
        if !self.verbose && !self.shown {
            let last: String = text
                .lines()
                .last()
                .unwrap_or_default()
                .trim()
                .chars()
                .take(70)
                .collect();
            println!("{} ... {} s  {last}", self.label, elapsed.as_secs());
        }
    }
}

fn run_one(command: &str, label: &str, step: Step, verbose: bool) -> Row {
    let started = Instant::now();
    if std::io::stdout().is_terminal() || verbose {
        println!("{label} ...");
    }
    let ended = open_log(command, &step.name).and_then(|(path, log)| {
        let mut screen = Screen {
            label: label.to_owned(),
            verbose,
            shown: false,
            log,
            text: String::new(),
        };
        let ended = (step.run)(&mut screen);
        let failed = ended
            .as_ref()
            .map_or(true, |report| report.counts.failed > 0);
        if failed && !verbose && !screen.shown {
            print_tail(&screen.text);
            println!("(whole output: {})", path.display());
        }
        ended
    });
    let seconds = started.elapsed().as_secs_f64();
    match ended {
        Ok(Report { counts, note }) => Row {
            name: step.name,
            ended: if counts.failed == 0 {
                Ended::Passed
            } else {
                Ended::Failed
            },
            seconds,
            counts,
            note,
        },
        Err(error) => Row {
            name: step.name,
            ended: Ended::Failed,
            seconds,
            counts: Counts::default(),
            note: format!("{error:#}"),
        },
    }
}

fn open_log(command: &str, step: &str) -> anyhow::Result<(PathBuf, File)> {
    let folder = paths::target().join("xtask").join(command);
    std::fs::create_dir_all(&folder)?;
    let name: String = step
        .chars()
        .map(|char| {
            if char.is_ascii_alphanumeric() {
                char
            } else {
                '-'
            }
        })
        .collect();
    let path = folder.join(format!("{name}.log"));
    let log = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok((path, log))
}

/// Send each line of a stream, with whether it is standard output.
fn reader(
    stream: impl Read + Send + 'static,
    of_stdout: bool,
    sender: mpsc::Sender<(String, bool)>,
) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        for line in BufReader::new(stream).split(b'\n') {
            let Ok(line) = line else { return };
            let line = String::from_utf8_lossy(&line)
                .trim_end_matches('\r')
                .to_owned();
            if sender.send((line, of_stdout)).is_err() {
                return;
            }
        }
    })
}

/// The command as a person would write it: the program by its name.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    std::iter::once(program.file_name().unwrap_or(command.get_program()))
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

fn print_tail(text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let hidden = lines.len().saturating_sub(FAILURE_LINES);
    if hidden > 0 {
        println!("... {hidden} lines before");
    }
    for line in lines.iter().skip(hidden) {
        println!("    {line}");
    }
}

fn outcome(row: &Row) -> String {
    let word = match row.ended {
        Ended::Passed => "ok",
        Ended::Failed => "FAILED",
        Ended::Skipped => "skipped",
    };
    let mut text = format!("{word:<8}{:>7.1} s", row.seconds);
    if row.counts != Counts::default() {
        text.push_str(&format!(
            "  {} passed, {} failed",
            row.counts.passed, row.counts.failed
        ));
    }
    if !row.note.is_empty() {
        text.push_str(&format!("  {}", row.note));
    }
    text
}

/// Print each step's end, then the one line that counts.
fn summary(command: &str, rows: &[Row], elapsed: Duration) -> ExitCode {
    println!("\ncargo xtask {command}: {:.1} s", elapsed.as_secs_f64());
    for row in rows {
        println!("  {:<30} {}", row.name, outcome(row));
    }
    let Counts { passed, failed } = totals(rows);
    println!("\n{passed} passed, {failed} failed");
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Tests as the runners counted them; a step without tests, or that could not run them, counts as one.
fn totals(rows: &[Row]) -> Counts {
    let mut totals = Counts::default();
    for row in rows {
        totals.passed += row.counts.passed;
        totals.failed += row.counts.failed;
        match row.ended {
            Ended::Passed if row.counts == Counts::default() => totals.passed += 1,
            Ended::Failed | Ended::Skipped if row.counts.failed == 0 => totals.failed += 1,
            Ended::Passed | Ended::Failed | Ended::Skipped => {}
        }
    }
    totals
}

/// How much of a failed step's output is printed.
const FAILURE_LINES: usize = 250;

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ended: Ended, passed: u64, failed: u64) -> Row {
        Row {
            name: String::new(),
            ended,
            seconds: 0.0,
            counts: Counts { passed, failed },
            note: String::new(),
        }
    }

    #[test]
    fn a_step_that_did_not_pass_is_never_counted_as_nothing() {
        let rows = [
            row(Ended::Passed, 0, 0),
            row(Ended::Passed, 40, 0),
            row(Ended::Failed, 7, 2),
            row(Ended::Failed, 0, 0),
            row(Ended::Skipped, 0, 0),
        ];
        assert_eq!(
            totals(&rows),
            Counts {
                passed: 48,
                failed: 4
            }
        );
    }

    #[test]
    fn a_name_becomes_one_file() {
        let (path, _log) = open_log("own-tests", "a step/with signs").unwrap();
        assert_eq!(path.file_name().unwrap(), "a-step-with-signs.log");
    }
}
