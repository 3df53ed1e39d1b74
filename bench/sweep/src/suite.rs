//! A package's own test suite: whether it has one, and how `debian/rules` runs it.

use regex::Regex;
use serde::{Deserialize, Serialize};
use std::path::Path;
use walkdir::WalkDir;

/// How the test suite is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Suite {
    /// A target of `debian/rules`: `override_dh_auto_test`.
    Target {
        /// Its name.
        name: String,
    },
    /// `dh_auto_test` with the options that the rules give to `dh`.
    DhAutoTest {
        /// Options of the build system.
        options: Vec<String>,
    },
    /// The rules run none, or in a way of their own: `make check`, `make test`, `ctest` or `meson test`, whatever there is.
    Upstream,
}

impl Suite {
    /// Reads `debian/rules` of an unpacked package.
    pub fn of(source: &Path) -> Suite {
        let rules = std::fs::read_to_string(source.join("debian/rules")).unwrap_or_default();
        Suite::of_rules(&rules)
    }

    fn of_rules(rules: &str) -> Suite {
        for name in ["override_dh_auto_test", "override_dh_auto_test-arch"] {
            match recipe(rules, name) {
                Some(body) if body.iter().any(|l| does_something(l)) => {
                    return Suite::Target { name: name.into() };
                }
                Some(_) => return Suite::Upstream,
                None => {}
            }
        }
        let dh = Regex::new(r"(?m)^\t[@+-]?\s*dh\s+(.*\$[@*].*|.*\$\(@\).*)$").expect("a correct pattern");
        match dh.captures(rules) {
            Some(line) => Suite::DhAutoTest { options: build_system_options(&line[1]) },
            None => Suite::Upstream,
        }
    }

    /// The makefile that runs it when it is read after `debian/rules`, and the target to ask for; none for
    /// [`Suite::Upstream`].
    pub fn makefile(&self) -> Option<(String, String)> {
        match self {
            Suite::Target { name } => Some((String::new(), name.clone())),
            Suite::DhAutoTest { options } => {
                let text = format!(
                    ".PHONY: spelunk-sweep-test\nspelunk-sweep-test:\n\tdh_auto_test {}\n",
                    options.join(" ")
                );
                Some((text, "spelunk-sweep-test".into()))
            }
            Suite::Upstream => None,
        }
    }
}

/// The lines of a target's recipe; `None` where the target is not defined.
fn recipe<'a>(rules: &'a str, target: &str) -> Option<Vec<&'a str>> {
    let mut lines = rules.lines().skip_while(|line| {
        !line.split_once(':').is_some_and(|(names, _)| names.split_whitespace().any(|n| n == target))
    });
    let first = lines.next()?;
    let mut body: Vec<&str> = first.split_once(';').map(|(_, rest)| rest).into_iter().collect();
    body.extend(lines.take_while(|l| {
        l.starts_with('\t')
            || l.is_empty()
            || l.starts_with('#')
            || l.starts_with("if")
            || l.starts_with("endif")
            || l.starts_with("else")
    }));
    Some(body)
}

fn does_something(line: &str) -> bool {
    let words = line.trim_start_matches(['\t', '@', '-', '+', ' ']);
    line.starts_with(['\t', ' '])
        && !words.is_empty()
        && !words.starts_with('#')
        && !words.starts_with("echo")
        && !matches!(words.split_whitespace().next(), Some(":" | "true" | "/bin/true"))
}

fn build_system_options(words: &str) -> Vec<String> {
    let wanted = ["--buildsystem", "--builddirectory", "--sourcedirectory", "-S", "-B", "-D", "-O--"];
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut options = Vec::new();
    for (n, word) in words.iter().enumerate() {
        if !wanted.iter().any(|w| word.starts_with(w)) {
            continue;
        }
        options.push((*word).to_string());
        if matches!(*word, "-S" | "-B" | "-D" | "--buildsystem" | "--builddirectory" | "--sourcedirectory") {
            options.extend(words.get(n + 1).map(|w| (*w).to_string()));
        }
    }
    options
}

/// What says in an unpacked source that there is a test suite: automake's `TESTS`, CMake's `add_test`, meson's `test`, a
/// makefile's target `check` or `test`. `None`: nothing does.
pub fn evidence(source: &Path) -> Option<&'static str> {
    let regex = |text| Regex::new(text).expect("a correct pattern");
    let automake = regex(r"(?m)^(TESTS\b|check_SCRIPTS|check-local\s*:)");
    let cmake = regex(r"(?mi)^\s*(add_test|gtest_discover_tests|catch_discover_tests)\s*\(");
    let meson = regex(r"(?m)^\s*test\s*\(");
    let make = regex(r"(?m)^(check|test)\s*::?([^=]|$)");
    let files = WalkDir::new(source).max_depth(4).sort_by_file_name().into_iter().filter_map(Result::ok);
    for entry in files.filter(|e| e.file_type().is_file()) {
        let read = || {
            std::fs::read(entry.path()).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default()
        };
        let found = match entry.file_name().to_str().unwrap_or("") {
            "Makefile.am" if automake.is_match(&read()) => Some("automake"),
            "CMakeLists.txt" if cmake.is_match(&read()) => Some("ctest"),
            "meson.build" if meson.is_match(&read()) => Some("meson"),
            "Makefile" | "GNUmakefile" | "makefile" | "Makefile.in"
                if entry.depth() <= 2
                    && make.is_match(&read())
                    && !read().contains("generated by automake") =>
            {
                Some("make")
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_say_how() {
        let dh = "%:\n\tdh $@ --with autoreconf --buildsystem=cmake -B build\n";
        let options = ["--buildsystem=cmake", "-B", "build"].map(String::from).to_vec();
        assert_eq!(Suite::of_rules(dh), Suite::DhAutoTest { options });
        let own =
            format!("{dh}override_dh_auto_test:\nifeq (,$(filter nocheck,$(X)))\n\t$(MAKE) -C t\nendif\n");
        assert_eq!(Suite::of_rules(&own), Suite::Target { name: "override_dh_auto_test".into() });
        for off in [
            "override_dh_auto_test:\n",
            "override_dh_auto_test:\n\t# broken\n\t:\n\nx:\n\tmake\n",
            "override_dh_auto_test: ;\n",
        ] {
            assert_eq!(Suite::of_rules(&format!("{dh}\n{off}")), Suite::Upstream, "{off}");
        }
        assert_eq!(Suite::of_rules("build:\n\t$(MAKE)\n"), Suite::Upstream);
    }
}
