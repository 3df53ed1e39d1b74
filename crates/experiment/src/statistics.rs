//! Samples described and compared: median and range, the Mann–Whitney U test, the effect size of Vargha and Delaney.
//!
//! What randomised tools of testing should be compared by: A. Arcuri and L. Briand, *A practical guide for using
//! statistical tests to assess randomized algorithms in software engineering*, ICSE 2011.

/// Median and range of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// How many values.
    pub n: usize,
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// Of these values; `None` of none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Spread> {
        let mut all: Vec<f64> = values.into_iter().collect();
        all.sort_by(f64::total_cmp);
        let (n, middle) = (all.len(), all.len() / 2);
        let median = match n {
            0 => return None,
            _ if n % 2 == 1 => all[middle],
            _ => (all[middle - 1] + all[middle]) / 2.0,
        };
        Some(Spread { n, median, min: all[0], max: all[n - 1] })
    }
}

/// Outcome of the Mann–Whitney U test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// U of the first sample: pairs in which its value is the larger one, ties as halves.
    pub u: f64,
    /// Probability of a U at least as far from its mean if both samples come from one distribution.
    pub p: f64,
    /// `p` was counted out; else it is the normal approximation.
    pub exact: bool,
}

/// So many values in both samples together are counted out (60 choose 30 is below 2^57).
const EXACT: usize = 60;

/// The Mann–Whitney U test, two-sided (H. B. Mann and D. R. Whitney 1947). Exact for up to 60 values in all, equal ones too:
/// all ways to part the values are counted, as permutation tests do. Else the normal approximation with corrections for ties
/// and continuity. `None` if a sample is empty.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<Test> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let u = pairs_won(a, b);
    let groups = equal_values(a, b);
    let exact = a.len() + b.len() <= EXACT;
    let p =
        if exact { exact_p(u, a.len(), b.len(), &groups) } else { normal_p(u, a.len(), b.len(), &groups) };
    Some(Test { u, p, exact })
}

fn pairs_won(a: &[f64], b: &[f64]) -> f64 {
    let won = |x: f64, y: f64| match x.total_cmp(&y) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    a.iter().flat_map(|&x| b.iter().map(move |&y| won(x, y))).sum()
}

/// Sizes of the groups of equal values in both samples together, smallest value first.
fn equal_values(a: &[f64], b: &[f64]) -> Vec<usize> {
    let mut all: Vec<f64> = a.iter().chain(b).copied().collect();
    all.sort_by(f64::total_cmp);
    all.chunk_by(|x, y| x == y).map(<[f64]>::len).collect()
}

/// The share of all ways to part the values into `n` and `m` whose U is at least as far from its mean.
fn exact_p(u: f64, n: usize, m: usize, groups: &[usize]) -> f64 {
    let counts = rank_sums(n, groups);
    // Twice the distance of U from its mean: of U as it is, and by the sum of the doubled ranks.
    let here = (2.0 * u - (n * m) as f64).abs();
    let distance = |sum: usize| (sum as f64 - (n * (n + 1) + n * m) as f64).abs();
    let far: u64 = counts.iter().enumerate().filter(|(sum, _)| distance(*sum) >= here).map(|(_, c)| c).sum();
    far as f64 / counts.iter().sum::<u64>() as f64
}

/// How many choices of `n` of the values have doubled ranks with the sum 0, 1, …: of equal values each has their mean rank,
/// so that doubled ranks are whole (B. Streitberg and J. Röhmel 1986).
fn rank_sums(n: usize, groups: &[usize]) -> Vec<u64> {
    let all: usize = groups.iter().sum();
    let mut chosen = vec![vec![0; all * (all + 1) + 1]; n + 1];
    chosen[0][0] = 1;
    let mut below = 0;
    for &size in groups {
        let doubled = 2 * below + size + 1;
        for _ in 0..size {
            for k in (1..=n).rev() {
                let (fewer, these) = chosen.split_at_mut(k);
                let from = fewer[k - 1].iter();
                these[0][doubled..].iter_mut().zip(from).for_each(|(count, more)| *count += more);
            }
        }
        below += size;
    }
    chosen.swap_remove(n)
}

fn normal_p(u: f64, n: usize, m: usize, groups: &[usize]) -> f64 {
    let (n, m) = (n as f64, m as f64);
    let all = n + m;
    let tied: f64 = groups.iter().map(|&size| size as f64).map(|t| t * t * t - t).sum();
    let variance = n * m / 12.0 * (all + 1.0 - tied / (all * (all - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((u - n * m / 2.0).abs() - 0.5).max(0.0);
    libm::erfc(distance / variance.sqrt() / std::f64::consts::SQRT_2).min(1.0)
}

/// How much one sample is above another, as people say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Closer to 0.5 than 0.56 is.
    Negligible,
    /// From 0.56 on.
    Small,
    /// From 0.64 on.
    Medium,
    /// From 0.71 on.
    Large,
}

impl Effect {
    /// The word for an A12 (Vargha and Delaney 2000, table 1; below 0.5 as above).
    pub fn of(a12: f64) -> Effect {
        // Sums of halves over n·m are not exactly these bounds.
        match 0.5 + (a12 - 0.5).abs() + 1e-9 {
            a if a >= 0.71 => Effect::Large,
            a if a >= 0.64 => Effect::Medium,
            a if a >= 0.56 => Effect::Small,
            _ => Effect::Negligible,
        }
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Effect::Negligible => "negligible",
            Effect::Small => "small",
            Effect::Medium => "medium",
            Effect::Large => "large",
        }
    }
}

/// The effect size A12: how likely a value of `a` is above one of `b`, ties as halves (A. Vargha and H. D. Delaney 2000).
/// `None` if a sample is empty.
pub fn a12(a: &[f64], b: &[f64]) -> Option<f64> {
    let pairs = a.len() * b.len();
    (pairs > 0).then(|| pairs_won(a, b) / pairs as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(a: &[f64], b: &[f64]) -> Test {
        mann_whitney(a, b).expect("samples")
    }

    #[track_caller]
    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} is not {b}");
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([3.0, 1.0, 2.0]), Some(Spread { n: 3, median: 2.0, min: 1.0, max: 3.0 }));
        assert_eq!(Spread::of([4.0, 1.0]).map(|s| s.median), Some(2.5));
    }

    /// The documentation of scipy.stats.mannwhitneyu (1.16): age at diagnosis of diabetes, men and women.
    #[test]
    fn the_example_of_scipy() {
        let (men, women) = ([19.0, 22.0, 16.0, 29.0, 24.0], [20.0, 11.0, 17.0, 12.0]);
        let test = p(&men, &women);
        assert_eq!((test.u, test.exact), (17.0, true));
        close(test.p, 0.1111111111111111, 1e-12);
        assert_eq!(p(&women, &men).u, 3.0);
        // "asymptotic", with continuity correction, there.
        close(normal_p(17.0, 5, 4, &[1; 9]), 0.11134688653314041, 1e-12);
    }

    /// M. Hollander and D. A. Wolfe 1973, page 69: permeability constants of the human chorioamnion; the example of
    /// `wilcox.test` in R's documentation: W = 35, one-sided p = 0.1272.
    #[test]
    fn the_example_of_hollander_and_wolfe() {
        let at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let earlier = [1.15, 0.88, 0.90, 0.74, 1.21];
        let test = p(&at_term, &earlier);
        assert_eq!((test.u, test.exact), (35.0, true));
        close(test.p, 2.0 * 0.1272, 1e-4);
    }

    /// Mann and Whitney 1947, table I: P(U <= u) for n = m = 3, 4, 5 and for 6 and 8.
    #[test]
    fn the_table_of_mann_and_whitney() {
        for (n, m, u, one_sided) in [
            (3, 3, 0, 0.050),
            (3, 3, 1, 0.100),
            (3, 3, 2, 0.200),
            (4, 4, 0, 0.014),
            (4, 4, 1, 0.029),
            (4, 4, 3, 0.100),
            (5, 5, 2, 0.016),
            (5, 5, 4, 0.048),
            (6, 8, 8, 0.021),
            (6, 8, 10, 0.041),
        ] {
            close(exact_p(f64::from(u), n, m, &vec![1; n + m]) / 2.0, one_sided, 0.0005);
        }
        assert_eq!(exact_p(2.0, 2, 2, &[1; 4]), 1.0);
    }

    #[test]
    fn all_choices_are_counted() {
        // (8 choose 3), (60 choose 30).
        assert_eq!(rank_sums(3, &[1; 8]).iter().sum::<u64>(), 56);
        assert_eq!(rank_sums(30, &[1; 60]).iter().sum::<u64>(), 118_264_581_564_861_424);
        assert_eq!(rank_sums(3, &[2, 3, 3]).iter().sum::<u64>(), 56);
    }

    /// What the exact test is by definition: U of every way to part the values.
    fn by_definition(a: &[f64], b: &[f64]) -> f64 {
        let all: Vec<f64> = a.iter().chain(b).copied().collect();
        let distance = |a: &[f64], b: &[f64]| (pairs_won(a, b) - (a.len() * b.len()) as f64 / 2.0).abs();
        let (mut far, mut ways) = (0, 0);
        for choice in 0..1_u32 << all.len() {
            if choice.count_ones() as usize == a.len() {
                let (x, y): (Vec<_>, Vec<_>) = (0..all.len()).partition(|&i| choice >> i & 1 == 1);
                let values = |places: Vec<usize>| places.into_iter().map(|i| all[i]).collect::<Vec<f64>>();
                far += u32::from(distance(&values(x), &values(y)) >= distance(a, b));
                ways += 1;
            }
        }
        f64::from(far) / f64::from(ways)
    }

    #[test]
    fn equal_values_are_counted_out_as_well() {
        for (a, b) in [
            (&[1.0, 2.0, 2.0, 3.0, 5.0][..], &[2.0, 4.0, 6.0, 6.0, 7.0][..]),
            (&[1.0, 1.0, 1.0], &[1.0, 1.0, 2.0, 3.0]),
            (&[7.0, 8.0, 8.0, 8.0, 9.0], &[1.0, 1.0, 1.0, 2.0, 3.0]),
            (&[4.0, 4.0], &[4.0, 4.0, 4.0]),
        ] {
            close(p(a, b).p, by_definition(a, b), 1e-12);
        }
        // Nothing in common: two of (10 choose 5) ways.
        close(p(&[8.0, 8.0, 8.0, 8.0, 9.0], &[1.0, 1.0, 1.0, 2.0, 3.0]).p, 2.0 / 252.0, 1e-12);
    }

    #[test]
    fn large_samples_take_the_normal_approximation() {
        let (a, b): (Vec<f64>, Vec<f64>) = (0..80).map(f64::from).partition(|x| x % 3.0 == 0.0);
        let test = p(&a, &b);
        assert!(!test.exact && test.p > 0.5, "{test:?}");
        // Just above and below the border both say nearly the same.
        let (a, b): (Vec<f64>, Vec<f64>) = (0..60).map(f64::from).partition(|x| (x * 7.0) % 11.0 < 4.0);
        let groups = equal_values(&a, &b);
        close(p(&a, &b).p, normal_p(p(&a, &b).u, a.len(), b.len(), &groups), 0.01);
        assert_eq!(normal_p(3.0, 2, 3, &[5]), 1.0);
    }

    #[test]
    fn effect_sizes() {
        assert_eq!(a12(&[1.0], &[]), None);
        assert_eq!(a12(&[2.0, 3.0], &[1.0, 2.0]), Some(0.875));
        assert_eq!(a12(&[1.0], &[1.0]), Some(0.5));
        let words: Vec<&str> = [0.5, 0.56, 0.36, 0.71, 0.0].map(|a| Effect::of(a).word()).to_vec();
        assert_eq!(words, ["negligible", "small", "medium", "large", "large"]);
    }
}
