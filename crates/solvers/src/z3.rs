//! Z3 as another back end (cargo feature `z3`): queries go as SMT-LIB text to the binary `z3` in the path, one process for many.
//!
//! L. de Moura and N. Bjørner, "Z3: An Efficient SMT Solver", TACAS 2008.

use solve::{Answer, Limits, Model, Query, Solver, Unknown, satisfies};
use solve_smt::{Script, script};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Z3 looks at its limit now and then only; so many milliseconds after the limit its process is ended.
const GRACE: u64 = 100;

/// Z3, in a process of its own.
#[derive(Default)]
pub struct Z3 {
    running: Option<Running>,
    cpu: Arc<AtomicU64>,
}

/// A process that waits for a query.
struct Running {
    process: Child,
    /// Text for it: written by a thread, since it may be busy with the first part of a text for as long as it likes.
    input: mpsc::Sender<String>,
    /// Lines that it wrote.
    lines: mpsc::Receiver<String>,
    /// What was counted of its CPU time, in nanoseconds.
    counted: u64,
}

/// Why there is no answer; the process is of no more use.
struct Lost(Unknown);

impl Z3 {
    /// CPU time of the processes so far, in nanoseconds. Follows the solver.
    pub fn cpu_nanos(&self) -> Arc<AtomicU64> {
        self.cpu.clone()
    }

    fn running(&mut self) -> Result<&mut Running, Lost> {
        if self.running.is_none() {
            self.running = Some(Running::start().map_err(|error| {
                Lost(Unknown::Failed(format!(
                    "z3 cannot be started ({error}): install it, e.g. `apt install z3`"
                )))
            })?);
        }
        self.running.as_mut().ok_or(Lost(Unknown::Failed("z3 is not running".into())))
    }

    fn ask(&mut self, script: &Script, limits: &Limits) -> Result<Answer, Lost> {
        let running = self.running()?;
        let patience = match limits.millis {
            0 => Duration::MAX,
            millis => Duration::from_millis(millis + GRACE),
        };
        let names: Vec<&str> = script.inputs.iter().map(|(_, name)| name.as_str()).collect();
        running.say(question(script, limits))?;
        match running.line(patience)?.as_str() {
            "unsat" => Ok(Answer::Unsat(Vec::new())),
            "sat" => {
                running.say(format!("(get-value ({}))\n(echo \"end\")\n", names.join(" ")))?;
                let mut values = String::new();
                loop {
                    match running.line(patience)?.as_str() {
                        "end" => break,
                        line => values += line,
                    }
                }
                Ok(Answer::Sat(model(script, &values)))
            }
            "unknown" => Ok(Answer::Unknown(Unknown::TimeLimit)),
            "timeout" => Err(Lost(Unknown::TimeLimit)),
            other => Err(Lost(Unknown::Unsupported(other.to_owned()))),
        }
    }
}

impl Solver for Z3 {
    fn name(&self) -> &'static str {
        "z3"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let script = match script(query.arena, query.constraints) {
            Ok(script) => script,
            Err(why) => return Answer::Unknown(Unknown::Unsupported(why)),
        };
        let answer = self.ask(&script, limits);
        if let Some(running) = &mut self.running {
            self.cpu.fetch_add(running.cpu(), Ordering::Relaxed);
        }
        match answer {
            // All of them: the text is one assertion.
            Ok(Answer::Unsat(_)) => Answer::Unsat((0..query.constraints.len()).collect()),
            Ok(Answer::Sat(model)) if script.is_approximate && !satisfies(query, &model) => {
                Answer::Unknown(Unknown::Unsupported("functions of the mathematics library".into()))
            }
            Ok(answer) => answer,
            Err(Lost(why)) => {
                self.running = None;
                Answer::Unknown(why)
            }
        }
    }
}

impl Running {
    fn start() -> std::io::Result<Running> {
        let mut process = Command::new("z3")
            .args(["-in", "-smt2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(std::io::Error::other("it has no standard input or output"));
        };
        let (sender, lines) = mpsc::channel();
        let (to_write, texts) = mpsc::channel();
        std::thread::spawn(move || write_all(input, &texts));
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Running { process, input: to_write, lines, counted: 0 })
    }

    fn say(&mut self, text: String) -> Result<(), Lost> {
        self.input.send(text).map_err(|_| Lost(Unknown::Failed("z3 ended".into())))
    }

    fn line(&self, patience: Duration) -> Result<String, Lost> {
        self.lines.recv_timeout(patience).map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => Lost(Unknown::TimeLimit),
            mpsc::RecvTimeoutError::Disconnected => Lost(Unknown::Failed("z3 ended".into())),
        })
    }

    /// CPU time since the last call, in nanoseconds.
    fn cpu(&mut self) -> u64 {
        let file = format!("/proc/{}/schedstat", self.process.id());
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let all = text.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(self.counted);
        all - std::mem::replace(&mut self.counted, all).min(all)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may be at work, and is of no use when it is not.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Writes what comes until the process is gone, or nobody asks any more.
fn write_all(mut input: ChildStdin, texts: &mpsc::Receiver<String>) {
    for text in texts {
        if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
            break;
        }
    }
}

fn question(script: &Script, limits: &Limits) -> String {
    let limit = match limits.millis {
        0 => String::new(),
        millis => format!("(set-option :timeout {millis})\n"),
    };
    format!("(reset)\n{limit}{}(check-sat)\n", script.text)
}

/// The values in an answer like `((v0 #x41) (v1 #b01000010))`.
fn model(script: &Script, values: &str) -> Model {
    let mut words = values.split(['(', ')', ' ', '\n']).filter(|word| !word.is_empty());
    let mut model = Model::new();
    while let (Some(name), Some(value)) = (words.next(), words.next()) {
        let parsed = match value.split_at_checked(2) {
            Some(("#x", digits)) => u8::from_str_radix(digits, 16).ok(),
            Some(("#b", digits)) => u8::from_str_radix(digits, 2).ok(),
            _ => None,
        };
        let byte = script.inputs.iter().find(|(_, known)| known == name).map(|(byte, _)| *byte);
        model.extend(byte.zip(parsed));
    }
    model
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_in_either_base_and_others_are_left_out() {
        let inputs = vec![((0, 3), "v0".to_owned()), ((1, 0), "v1".to_owned())];
        let script = Script { text: String::new(), inputs, is_approximate: false };
        let values = "((v0 #x41) (v1 #b01000010) (v7 #x00))";
        assert_eq!(model(&script, values), Model::from([((0, 3), 0x41), ((1, 0), 0x42)]));
    }

    #[test]
    fn a_question_has_its_limit_first() {
        let script = Script { text: "(assert true)\n".into(), inputs: Vec::new(), is_approximate: false };
        let text = question(&script, &Limits { work: 0, millis: 20 });
        assert_eq!(text, "(reset)\n(set-option :timeout 20)\n(assert true)\n(check-sat)\n");
    }
}
