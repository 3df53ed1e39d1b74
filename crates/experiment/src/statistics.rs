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

/// Samples up to this size are counted out (100 choose 50 is below 2^97).
const EXACT: usize = 50;

/// The Mann–Whitney U test, two-sided (H. B. Mann and D. R. Whitney 1947): exact for samples of up to 50 values without
/// ties, else the normal approximation with corrections for ties and continuity. `None` if a sample is empty.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<Test> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let u = pairs_won(a, b);
    let ties = ties(a, b);
    let exact = ties.is_empty() && a.len() <= EXACT && b.len() <= EXACT;
    let p = if exact { exact_p(u as usize, a.len(), b.len()) } else { normal_p(u, a.len(), b.len(), &ties) };
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

/// Sizes of the groups of equal values in both samples together.
fn ties(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut all: Vec<f64> = a.iter().chain(b).copied().collect();
    all.sort_by(f64::total_cmp);
    let groups = all.chunk_by(|x, y| x == y).map(|group| group.len() as f64);
    groups.filter(|&size| size > 1.0).collect()
}

fn exact_p(u: usize, n: usize, m: usize) -> f64 {
    let counts = counts_of_u(n, m);
    let tail: i128 = counts[..=u.min(n * m - u)].iter().sum();
    (2.0 * tail as f64 / counts.iter().sum::<i128>() as f64).min(1.0)
}

/// In how many of the arrangements of `n` and `m` values U is 0, 1, … n·m: coefficients of the Gaussian binomial, the
/// product over i of (1 - q^(m+i)) / (1 - q^i).
fn counts_of_u(n: usize, m: usize) -> Vec<i128> {
    let mut counts = vec![0; n * m + 1];
    counts[0] = 1;
    for i in 1..=n {
        for k in (m + i..counts.len()).rev() {
            counts[k] -= counts[k - m - i];
        }
        for k in i..counts.len() {
            counts[k] += counts[k - i];
        }
    }
    counts
}

fn normal_p(u: f64, n: usize, m: usize, ties: &[f64]) -> f64 {
    let (n, m) = (n as f64, m as f64);
    let all = n + m;
    let tied: f64 = ties.iter().map(|t| t * t * t - t).sum();
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
        close(normal_p(17.0, 5, 4, &[]), 0.11134688653314041, 1e-7);
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
            close(exact_p(u, n, m) / 2.0, one_sided, 0.0005);
        }
        assert_eq!(exact_p(2, 2, 2), 1.0);
    }

    #[test]
    fn counts_of_u_are_all_arrangements() {
        // (8 choose 3) and (20 choose 10).
        assert_eq!(counts_of_u(3, 5).iter().sum::<i128>(), 56);
        assert_eq!(counts_of_u(10, 10).iter().sum::<i128>(), 184_756);
        assert!(counts_of_u(50, 50).iter().all(|&c| c >= 1));
    }

    #[test]
    fn ties_take_the_normal_approximation() {
        let test = p(&[1.0, 2.0, 2.0, 3.0, 5.0], &[2.0, 4.0, 6.0, 6.0, 7.0]);
        assert!(!test.exact);
        assert_eq!(p(&[4.0, 4.0], &[4.0, 4.0, 4.0]), Test { u: 3.0, p: 1.0, exact: false });
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
