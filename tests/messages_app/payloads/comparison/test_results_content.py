"""The table of a comparison with numbers that all differ."""

import re
from types import MappingProxyType

from django.template.loader import render_to_string

from messages_app.payloads.comparison.differences import Change
from messages_app.payloads.comparison.ignored import Apart, Ignored
from messages_app.payloads.comparison.results import Comparison
from messages_app.payloads.comparison.rows import Cell, Row, RowKind, Texts
from tests.support.page_outlines import outline_of

ROWS = [
    Row(RowKind.HEAD, number=2, title="UNH"),
    Row(RowKind.SKIPPED, count=1_203),
    Row(RowKind.SAME, left=Cell(11, "same"), right=Cell(12, "same")),
    Row(
        RowKind.CHANGED,
        left=Cell(13, "a", changed="b", after="c"),
        right=Cell(14, "d", changed="e", after="f", unseen="U+200B"),
    ),
    Row(RowKind.CHANGED, left=Cell(15, "only left")),
    Row(RowKind.CHANGED, right=Cell(16, "only right")),
    Row(RowKind.CUT, count=1),
]
ADDRESS = MappingProxyType(
    {"exact": "?exact", "in_one_form": "?form", "side_by_side": "?side", "unified": "?unified"}
)


def markup_of(
    comparison: Comparison, rows: list[Row] = ROWS, *, is_unified: bool = False, is_exact: bool = False
) -> str:
    context = {
        "comparison": comparison,
        "rows": rows,
        "options": {"is_unified": is_unified, "is_exact": is_exact},
        "address": ADDRESS,
        "masked": False,
    }
    return render_to_string("messages_app/payloads/_compare_lines.html", context)


def show(comparison: Comparison, **values: object) -> list[str]:
    return outline_of(markup_of(comparison, **values))


class TestLines:
    def test_show_both_sides(self):
        assert show(Comparison()) == [
            "No difference. Compared line by line, because they are not both well-formed XML or JSON.",
            "(label: Difference view) * [Side by side](?side) [Unified](?unified)",
            "Lines that differ, with context",
            "Line | Compared with | Line | This message",
            "Difference 2 of 0 · UNH · [Previous](#difference-1)",
            "1 203 equal lines",
            "11 | same | 12 | same",
            "13 | only in the other: abc | 14 | only in this one: defU+200B",
            "15 | only in the other: only left | | no such line",
            "| no such line | 16 | only in this one: only right",
            "1 more line of this difference",
        ]

    def test_show_one_side_in_each_row(self):
        assert show(Comparison(), is_unified=True) == [
            "No difference. Compared line by line, because they are not both well-formed XML or JSON.",
            "(label: Difference view) [Side by side](?side) * [Unified](?unified)",
            "Lines that differ, with context",
            "Left line | Right line | Text",
            "Difference 2 of 0 · UNH · [Previous](#difference-1)",
            "1 203 equal lines",
            "11 | 12 | same",
            "13 | 14 | only in the other: abc",
            "15 | | only in the other: only left",
            "| 16 | only in this one: only right",
            "1 more line of this difference",
        ]

    def test_say_how_they_were_compared(self):
        assert show(Comparison(form="XML"))[0] == (
            "No difference. Message ids, times of the messages' own processing, and notation are not "
            "counted. [Compare exactly](?exact)"
        )
        assert (
            show(Comparison(), is_exact=True)[0]
            == "No difference. Compared exactly. [Ignore times, prefixes and order](?form)"
        )
        assert (
            show(Comparison(standard="EDIFACT"))[0]
            == "No difference. Compared segment by segment, as EDIFACT."
        )
        assert show(Comparison(), rows=[])[-1] == "The two are identical"

    def test_lead_from_each_difference_to_its_neighbours(self):
        three = Comparison(texts=Texts(left=[], right=[], changes=[Change(0, 0, 0, 0)] * 3))
        rows = [Row(RowKind.HEAD, number=number) for number in (1, 2, 3)]
        lines = outline_of(markup_of(three, rows))
        assert [line for line in lines if line.startswith("Difference")] == [
            "Difference 1 of 3 · [Next](#difference-2)",
            "Difference 2 of 3 · [Previous](#difference-1) · [Next](#difference-3)",
            "Difference 3 of 3 · [Previous](#difference-2)",
        ]
        ids = re.findall(r'id="(difference-\d)">\s*<td colspan="(\d)"', markup_of(three, rows))
        assert ids == [("difference-1", "4"), ("difference-2", "4"), ("difference-3", "4")]

    def test_list_what_is_not_counted(self):
        ignored = [
            Ignored(number=number, left=f"left {number}", right=f"right {number}", times=1, ids=0)
            for number in (7, 8)
        ]
        lines = outline_of(markup_of(Comparison(apart=Apart(lines=ignored)), []))
        assert lines[-4:] == [
            "Not counted: times and ids of the messages themselves",
            "Line | Compared with | This message",
            "7 | left 7 | right 7",
            "8 | left 8 | right 8",
        ]
        assert lines[0].startswith("No difference apart from 2 times")
