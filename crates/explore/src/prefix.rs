//! The shortest beginning of an input that still shows something, with few runs: what to go on from is the state right behind it.
//!
//! Where whole tests are made short ([`crate::shorten`]), events are left out, too; here the state behind the rest must stay what it was.

use trace::{Input, ObjectKind};

/// By halving: values, or lines of a stream. An input of both is left as it is.
pub fn cut_off(input: &Input, most: u32, shows: &mut dyn FnMut(&Input) -> bool) -> Input {
    let of = |kind: ObjectKind| input.objects.iter().filter(move |o| o.kind == kind);
    let values = of(ObjectKind::Value).count();
    let text = of(ObjectKind::Stdin).map(|o| o.data.as_slice()).next().unwrap_or_default();
    if values > 0 && !text.is_empty() {
        return input.clone();
    }
    let lines: Vec<usize> = text.split_inclusive(|&b| b == b'\n').map(<[u8]>::len).collect();
    let beginning = |events: usize| {
        let mut left = events;
        let mut short = input.clone();
        short.objects.retain(|o| {
            let stays = o.kind != ObjectKind::Value || left > 0;
            left -= usize::from(stays && o.kind == ObjectKind::Value);
            stays
        });
        let stream = short.objects.iter_mut().find(|o| o.kind == ObjectKind::Stdin);
        if let Some(stream) = stream {
            stream.data.truncate(lines.iter().take(events).sum());
        }
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
    fn values_up_to_the_one_that_matters() {
        let keys = |n: u8| (0..n).map(|k| Object::new(ObjectKind::Value, "key", vec![k]));
        let input = Input { objects: keys(9).collect() };
        let short = cut_off(&input, 10, &mut |i| i.objects.iter().any(|o| o.data == [5]));
        assert_eq!(short.objects, keys(6).collect::<Vec<_>>());
        let mixed = Input { objects: Input::stdin("a\nb").objects.into_iter().chain(keys(3)).collect() };
        assert_eq!(cut_off(&mixed, 10, &mut |_| true), mixed);
    }
}
