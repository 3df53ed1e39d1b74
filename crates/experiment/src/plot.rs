//! Coverage over time as a picture: a line for the median of each strategy, a band for the range.
//!
//! One drawing for SVG and PNG. Colours are few and fixed, so that the page can name them in its style sheet and show the
//! same SVG on a dark ground. Letters are those of a font that comes along, so that pictures do not depend on the machine.

use crate::compare::Comparison;
use crate::curve::{Band, Over, band};
use crate::text;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};

/// Places at which median and range are computed.
const STEPS: usize = 300;
/// Size in pixels.
const SIZE: (u32, u32) = (600, 370);
/// PNG has so many pixels for each of them.
const SCALE: u32 = 2;
const FONT: &str = "sans-serif";

/// The colours of strategies: those of M. Okabe and K. Ito, which people of every colour vision tell apart.
pub(crate) const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(117, 112, 179),
];
/// Text and axes.
pub(crate) const INK: RGBColor = RGBColor(31, 35, 40);
/// The grid.
pub(crate) const GRID: RGBColor = RGBColor(225, 228, 232);
/// The ground.
pub(crate) const PAPER: RGBColor = RGBColor(255, 255, 255);

/// Curves of one comparison.
#[derive(Clone, Debug)]
pub struct Plot {
    over: Over,
    title: String,
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    name: String,
    colour: RGBColor,
    band: Band,
}

impl Plot {
    /// The curves of all strategies that have campaigns.
    pub fn new(comparison: &Comparison<'_>, over: Over) -> Plot {
        let groups = comparison.groups.iter().zip(COLOURS.iter().cycle()).filter(|(g, _)| !g.done.is_empty());
        let lines = groups.map(|(g, &colour)| Line {
            name: g.strategy.clone(),
            colour,
            band: band(&g.done, over, STEPS),
        });
        let title = format!("{}, {}", comparison.target, comparison.budget);
        Plot { over, title, lines: lines.collect() }
    }

    /// As SVG.
    pub fn svg(&self) -> String {
        let mut text = String::new();
        {
            let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
            self.draw(&area, 1).expect("drawn into memory");
        }
        text
    }

    /// As PNG.
    pub fn png(&self) -> Vec<u8> {
        let (width, height) = (SIZE.0 * SCALE, SIZE.1 * SCALE);
        let mut pixels = vec![0; (width * height * 3) as usize];
        {
            let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
            self.draw(&area, SCALE).expect("drawn into memory");
        }
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().expect("into memory");
        writer.write_image_data(&pixels).expect("as many pixels as the header says");
        writer.finish().expect("into memory");
        file
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: u32,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        // Fails only for what is no font, or where another thread died with the fonts in hand.
        let _ = register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
        let font = |size: u32| (FONT, size * scale).into_font().color(&INK);
        area.fill(&PAPER)?;
        let (right, top) = self.ends();
        let mut chart = ChartBuilder::on(area)
            .margin(10 * scale)
            .margin_right(self.room_for_names() * scale)
            .caption(&self.title, font(20))
            .x_label_area_size(44 * scale)
            .y_label_area_size(58 * scale)
            .build_cartesian_2d(0.0..right, 0.0..top)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID.stroke_width(scale))
            .axis_style(INK.stroke_width(scale))
            .set_all_tick_mark_size(4 * scale)
            .x_labels(6)
            .y_labels(6)
            .x_label_formatter(&|x| axis_number(*x))
            .y_label_formatter(&|y| text::grouped(y.round() as u64))
            .x_desc(self.over.label())
            .y_desc("branches covered")
            .label_style(font(15))
            .axis_desc_style(font(16))
            .draw()?;
        for line in &self.lines {
            chart.draw_series([Polygon::new(outline(&line.band), line.colour.mix(0.18))])?;
        }
        for line in &self.lines {
            let medians = line.band.at.iter().map(|(x, s)| (*x, s.median));
            chart.draw_series(LineSeries::new(medians, line.colour.stroke_width(2 * scale)))?;
        }
        let ends = self.lines.iter().filter_map(|l| l.band.at.last().map(|(_, s)| (right, s.median)));
        let ends: Vec<(i32, i32)> = ends.map(|end| chart.backend_coord(&end)).collect();
        drop(chart);
        let heights = apart(ends.iter().map(|end| end.1).collect(), 18 * scale as i32);
        for ((line, end), height) in self.lines.iter().zip(&ends).zip(heights) {
            let style = font(16).color(&line.colour).pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(line.name.as_str(), (end.0 + 8 * scale as i32, height), style))?;
        }
        area.present()
    }

    /// Pixels to the right of the curves.
    fn room_for_names(&self) -> u32 {
        let longest = self.lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
        (20 + 8 * longest as u32).min(SIZE.0 / 3)
    }

    /// Where the axes end: a little beyond the curves.
    fn ends(&self) -> (f64, f64) {
        let points = || self.lines.iter().flat_map(|line| &line.band.at);
        let right = points().map(|(x, _)| *x).fold(0.0, f64::max);
        let top = points().map(|(_, s)| s.max).fold(0.0, f64::max);
        (if right > 0.0 { right } else { 1.0 }, if top > 0.0 { top * 1.05 } else { 1.0 })
    }
}

/// Around the range: along the largest values, and back along the smallest.
fn outline(band: &Band) -> Vec<(f64, f64)> {
    let above = band.at.iter().map(|(x, s)| (*x, s.max));
    let below = band.at.iter().rev().map(|(x, s)| (*x, s.min));
    above.chain(below).collect()
}

/// Heights moved down as far as need be, so that none is closer than `gap` to another.
fn apart(heights: Vec<i32>, gap: i32) -> Vec<i32> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by_key(|&i| heights[i]);
    let mut moved = heights;
    for pair in order.windows(2) {
        moved[pair[1]] = moved[pair[1]].max(moved[pair[0]] + gap);
    }
    moved
}

/// `0.5`, `20`, `4,000`, `2 M`.
fn axis_number(x: f64) -> String {
    match x {
        x if x >= 1e6 => format!("{} M", x / 1e6),
        x if x >= 1.0 && x.fract() == 0.0 => text::grouped(x as u64),
        0.0 => "0".into(),
        // Ticks are round numbers: what stands behind their last digit is noise.
        x => format!("{x:.4}").trim_end_matches('0').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_distance() {
        assert_eq!(apart(vec![50, 10, 52, 54], 10), [50, 10, 60, 70]);
        assert_eq!(apart(vec![7, 7], 5), [7, 12]);
        assert_eq!(apart(Vec::new(), 5), []);
    }

    #[test]
    fn numbers_of_axes_are_short() {
        let all = [0.0, 0.005, 0.1 + 0.2, 2.5, 20.0, 4000.0, 2e6, 2.5e6].map(axis_number);
        assert_eq!(all, ["0", "0.005", "0.3", "2.5", "20", "4,000", "2 M", "2.5 M"]);
    }
}
