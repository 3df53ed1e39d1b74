//! The shortest beginning of an input that still shows something, with few runs: what to go on from is the state right behind it.
//!
//! Where whole tests are made short ([`crate::shorten`]), events are left out, too; here the state behind the rest must stay what it was.

use crate::streams::is_stream;
use trace::{Input, ObjectKind};

/// By halving: values, or lines of streams. An input of both is left as it is.
pub fn cut_off(input: &Input, most: u32, shows: &mut dyn FnMut(&Input) -> bool) -> Input {
    let values = input.objects.iter().filter(|o| o.kind == ObjectKind::Value).count();
    // Of each line its stream and its length.
    let mut lines: Vec<(usize, usize)> = Vec::new();
    for (k, stream) in input.objects.iter().enumerate().filter(|(_, o)| is_stream(o)) {
        lines.extend(stream.data.split_inclusive(|&b| b == b'\n').map(|line| (k, line.len())));
    }
    if values > 0 && !lines.is_empty() {
        return input.clone();
    }
    let beginning = |events: usize| {
        let mut left = events;
        let mut short = input.clone();
        for (k, stream) in short.objects.iter_mut().enumerate().filter(|(_, o)| is_stream(o)) {
            let stays = lines.iter().take(events).filter(|line| line.0 == k);
            stream.data.truncate(stays.map(|line| line.1).sum());
        }
        short.objects.retain(|o| {
            let stays = o.kind != ObjectKind::Value || left > 0;
            left -= usize::from(stays && o.kind == ObjectKind::Value);
            stays
        });
        short
    };
    let (mut too_few, mut enough) = (0, values.max(lines.len()));
    for _ in 0..most {
        if too_few >= enough {
            break;
        }
        let middle = usize::midpoint(too_few, enough);
        if shows(&beginning(middle)) {
            enough = middle;
        } else {
            too_few = middle + 1;
        }
    }
    beginning(enough)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::Object;

    #[test]
    fn whole_lines_up_to_the_one_that_matters() {
        let has = |i: &Input| i.objects[0].data.windows(5).any(|w| w == b"login");
        let short = cut_off(&Input::stdin("hello\nlogin\nquit\nmore\nrest"), 10, &mut |i| has(i));
        assert_eq!(short, Input::stdin("hello\nlogin\n"));
        assert_eq!(cut_off(&short, 0, &mut |_| false), short, "without runs, all of it");
        assert_eq!(cut_off(&short, 10, &mut |_| true), Input::stdin(""), "standard input stays one");
    }

    #[test]
    fn lines_of_several_connections_in_their_order() {
        let connection = |k: &str, text: &str| Object::new(ObjectKind::Connection, k, text.as_bytes());
        let all = |texts: [&str; 3]| Input {
            objects: ["0", "1", "2"].iter().zip(texts).map(|(k, text)| connection(k, text)).collect(),
        };
        let has = |i: &Input| i.objects[1].data.starts_with(b"login\n");
        let short = cut_off(&all(["a\nb\n", "login\nquit\n", "more"]), 10, &mut |i| has(i));
        assert_eq!(short, all(["a\nb\n", "login\n", ""]), "what came before, and all connections");
    }

    #[test]
    fn values_up_to_the_one_that_matters() {
        let keys = |n: u8| (0..n).map(|k| Object::new(ObjectKind::Value, "key", vec![k]));
        let input = Input { objects: keys(9).collect() };
        let short = cut_off(&input, 10, &mut |i| i.objects.iter().any(|o| o.data == [5]));
        assert_eq!(short.objects, keys(6).collect::<Vec<_>>());
        let mixed = Input { objects: Input::stdin("a\nb").objects.into_iter().chain(keys(3)).collect() };
        assert_eq!(cut_off(&mixed, 10, &mut |_| true), mixed);
    }
}
