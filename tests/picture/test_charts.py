"""Charts: titles for screen readers, gaps, scales, series that colour alone does not tell apart, and no inline styles."""

from xml.etree import ElementTree as ET

import pytest

from tests.support.html import Page
from tests.support.rendering import render
from webapp.kernel.i18n import language_for
from webapp.picture.charts import (
    ChartData,
    ChartKind,
    Series,
    draw_chart,
    draw_sparkline,
    draw_swatch,
    path_through,
    ticks,
)
from webapp.wording.figures import Unit, figure_text

ENGLISH = language_for("en")
SVG = "{http://www.w3.org/2000/svg}"
CHART_KINDS: tuple[ChartKind, ...] = ("lines", "bars", "stacked-bars")
EMAIL_CHART_DATA = ChartData(
    key="emails",
    title="Emails & <answers>",
    summary="Most emails were sent.",
    labels=("1 Mar", "2 Mar", "3 Mar"),
    series=(Series("Sent", (10, None, 30)), Series("Refused", (1, None, 0))),
)


def chart(kind: ChartKind, data: ChartData = EMAIL_CHART_DATA) -> ET.Element:
    text = str(draw_chart(data, kind, ENGLISH))
    assert "style" not in text
    assert "script" not in text
    return ET.fromstring(text.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def classes(svg: ET.Element, tag: str) -> list[str]:
    return [element.get("class") or "" for element in svg.iter(f"{SVG}{tag}")]


@pytest.mark.parametrize("kind", CHART_KINDS)
def test_chart_has_a_title_and_a_description(kind: ChartKind) -> None:
    svg = chart(kind)
    assert svg.get("role") == "img"
    assert svg.findtext(f"{SVG}title") == "Emails & <answers>"
    assert svg.findtext(f"{SVG}desc") == "Most emails were sent."


def test_line_has_a_gap_where_data_is_missing() -> None:
    points = [(0, 1), (1, 2), None, (3, 3), None, None]
    assert path_through(points) == "M0 1L1 2M3 3L3 3"
    assert path_through([None]) == ""


def test_every_line_has_its_own_dash() -> None:
    assert "chart__line chart__line--1" in classes(chart("lines"), "path")


def test_every_kind_of_bar_but_the_first_has_a_pattern() -> None:
    svg = chart("stacked-bars")
    assert [pattern.get("id") for pattern in svg.iter(f"{SVG}pattern")] == ["emails-1"]
    fill_colours = {bar.get("fill") for bar in svg.findall(f"{SVG}rect")}
    assert fill_colours == {None, "url(#emails-1)"}


def test_bars_are_drawn_where_there_is_a_value() -> None:
    stacked_chart, grouped_chart = chart("stacked-bars"), chart("bars")
    assert [text.text for text in stacked_chart.iter(f"{SVG}text")] == [
        *("0", "10", "20", "30"),
        *EMAIL_CHART_DATA.labels,
    ]
    assert len(stacked_chart.findall(f"{SVG}rect")) == len(grouped_chart.findall(f"{SVG}rect")) == 3


@pytest.mark.parametrize(
    "largest_value,unit,expected",
    [
        (0, "count", (0, 1)),
        (3, "count", (0, 1, 2, 3)),
        (31, "count", (0, 10, 20, 30, 40)),
        (1_234, "count", (0, 500, 1_000, 1_500)),
        (0.034, "percent", (0, 0.01, 0.02, 0.03, 0.04)),
        (1.0, "percent", (0, 0.5, 1.0)),
        (7_300, "seconds", (0, 3_600, 7_200, 10_800)),
        (40_000_000, "seconds", (0, 17_280_000, 34_560_000, 51_840_000)),
    ],
)
def test_chart_scale_has_few_round_numbers(
    largest_value: float, unit: Unit, expected: tuple[float, ...]
) -> None:
    assert ticks([largest_value, None], unit) == pytest.approx(expected)


@pytest.mark.parametrize(
    "value,unit,text",
    [
        (None, "count", "—"),
        (0, "count", "0"),
        (12_345.6, "count", "12,346"),
        (0.034, "percent", "3.4%"),
        (0.5, "percent", "50%"),
        (0, "seconds", "0 secs"),
        (90, "seconds", "90 secs"),
        (5_400, "seconds", "90 mins"),
        (9_000, "seconds", "2.5 hrs"),
        (260_000, "seconds", "3 days"),
    ],
)
def test_chart_figure_is_written_with_its_unit(value: float | None, unit: Unit, text: str) -> None:
    assert figure_text(value, unit, ENGLISH) == text


def test_sparkline_marks_the_newest_value() -> None:
    sparkline = draw_sparkline([0, None, 4, 2], "Emails <waiting>")
    assert 'aria-label="Emails &lt;waiting&gt;"' in sparkline
    assert 'cx="117.0" cy="14.0"' in sparkline


def test_sparkline_without_data_is_empty() -> None:
    assert "circle" not in draw_sparkline([None], "Nothing")


def test_swatch_shows_the_dash_or_the_filling_of_its_series() -> None:
    assert "chart__line--1" in draw_swatch(EMAIL_CHART_DATA, 1, "lines")
    assert "url(#emails-1)" in draw_swatch(EMAIL_CHART_DATA, 1, "bars")


def rendered_chart(data: ChartData) -> Page:
    source = '{% from "web/macros/charts.html" import chart %}{{ chart(data, "bars") }}'
    return Page(render(source, data=data))


def test_chart_comes_with_a_table_of_its_numbers() -> None:
    text = rendered_chart(EMAIL_CHART_DATA).text
    assert "Show the numbers" in text
    assert "3 Mar 30 0" in " ".join(text.split())
    assert "2 Mar — —" in " ".join(text.split())


def test_chart_without_data_says_so() -> None:
    empty_chart_data = EMAIL_CHART_DATA._replace(series=(Series("Sent", (None, None, None)),))
    text = rendered_chart(empty_chart_data).text
    assert "Nothing to show yet." in text
    assert "Show the numbers" not in text
