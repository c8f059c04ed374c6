from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.ratios_picture import PICTURE, axis_values, draw_picture, read_works, short_number

FIGURES = Path(__file__).parent.parent.parent / "benchmarks/ratios.toml"
SVG = "{http://www.w3.org/2000/svg}"

QUEUE = """
[[panel]]
work = "Queue & co"
measure = "times the peer"
goal = 2
figures = [["2026-11-21", 0.5, "much other work"], ["2026-11-22", 1.5, ""]]
"""


def test_the_picture_in_the_docs_is_that_of_the_figures():
    assert PICTURE.read_text() == draw_picture(read_works(FIGURES.read_text()))


def drawing(figures: str) -> ElementTree.Element:
    return ElementTree.fromstring(draw_picture(read_works(figures)))  # noqa: S314 - drawn above


def test_a_panel_has_its_figures_by_height_and_in_words():
    panel = drawing(QUEUE).find(f"{SVG}g")
    first, last = panel.iter(f"{SVG}circle")

    assert panel.find(f"{SVG}title").text == "Queue & co, times the peer: 0.5, 1.5. Goal: 2."
    assert first.find(f"{SVG}title").text == "0.5, 2026-11-21: much other work"
    goal = float(panel.find(f"{SVG}path[@class='limit']").get("d").split()[1].partition("H")[0])
    assert float(first.get("cx")) < float(last.get("cx"))
    assert float(first.get("cy")) > float(last.get("cy")) > goal


def test_a_last_figure_below_its_goal_is_hollow():
    classes = [mark.get("class") for mark in drawing(QUEUE).iter(f"{SVG}circle")]
    assert classes == ["mark", "mark short"]

    reached = drawing(QUEUE.replace("1.5", "2"))
    assert [mark.get("class") for mark in reached.iter(f"{SVG}circle")] == ["mark", "mark"]


@pytest.mark.parametrize("wrong", [("2026-11-22", "2026-11-20"), ("1.5", "0"), ('["2026-11-21"', '["21"')])
def test_figures_out_of_order_at_zero_or_without_a_date_are_refused(wrong):
    with pytest.raises(ValueError, match=r"out of order or not above 0|Invalid isoformat"):
        read_works(QUEUE.replace(*wrong))


@pytest.mark.parametrize(
    ("lowest", "highest", "values"),
    [
        (0.017, 1.0, [0.1, 1.0]),
        (0.6, 3.45, [1.0, 3.0]),
        (1, 30_000, [1.0, 10.0, 100.0, 1000.0, 10000.0]),
        (1.34, 4.5, [1.5, 2.0, 3.0]),
    ],
)
def test_ticks_are_round_values_inside_the_axis(lowest, highest, values):
    assert axis_values(lowest, highest) == pytest.approx(values)


@pytest.mark.parametrize(
    ("value", "text"), [(0.0266, "0.0266"), (2.0, "2"), (17.5, "17.5"), (271, "271"), (10_000, "10,000")]
)
def test_numbers_have_three_digits(value, text):
    assert short_number(value) == text
