//! The trend as a drawing.

use chrono::{Datelike, NaiveDate};
use clawgauge_scoring::{Dimension, Summary, Trend};
use plotters::prelude::*;

/// One drawn line: its name, its colour and its share of the picture.
const LINES: [(Option<Dimension>, RGBColor, u32); 5] = [
    (Some(Dimension::Accuracy), RGBColor(31, 119, 180), 1),
    (Some(Dimension::Completeness), RGBColor(44, 160, 44), 1),
    (Some(Dimension::Autonomy), RGBColor(255, 127, 14), 1),
    (Some(Dimension::Consistency), RGBColor(148, 103, 189), 1),
    (None, RGBColor(0, 0, 0), 3),
];

/// Draws the daily means of a trend as SVG, one line a score, the overall score thick. The same trend gives the same bytes.
///
/// # Errors
/// A sentence for a person: there is nothing to draw, or the drawing failed.
pub fn chart(trend: &Trend, title: &str) -> Result<String, String> {
    // Days as whole numbers: the library's own calendar axis would bring all of chrono's default features.
    let days: Vec<(i32, &Summary)> =
        trend.days().map(|(day, summary)| (day.num_days_from_ce(), summary)).collect();
    let (Some((first, _)), Some((last, _))) = (days.first(), days.last()) else {
        return Err("there is nothing to draw".to_owned());
    };
    // A day to spare on each side: a single day is a picture too.
    let axis = first - 1..last + 1;
    let mut svg = String::new();
    draw(&mut svg, &days, axis, title).map_err(|error| format!("the chart could not be drawn: {error}"))?;
    Ok(svg)
}

fn draw(
    svg: &mut String,
    days: &[(i32, &Summary)],
    axis: std::ops::Range<i32>,
    title: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, (900, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        // Half of the last day's name stands beyond the axis.
        .margin_right(40)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(axis, 0.0..1.0)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .y_labels(6)
        .x_labels(8)
        .x_label_formatter(&|day| {
            NaiveDate::from_num_days_from_ce_opt(*day).map_or_else(String::new, |day| day.to_string())
        })
        .draw()?;
    for (dimension, colour, width) in LINES {
        let name = dimension.map_or("overall", Dimension::as_str);
        let mean = |summary: &Summary| dimension.map_or_else(|| summary.overall(), |one| summary.mean(one));
        let points: Vec<(i32, f64)> =
            days.iter().filter_map(|(day, summary)| Some((*day, mean(summary)?))).collect();
        let style = colour.stroke_width(width);
        chart
            .draw_series(LineSeries::new(points, style).point_size(width + 1))?
            .label(name)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    root.present()?;
    Ok(())
}
