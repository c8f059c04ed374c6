import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tasks.exports.formats import FORMATS, Column

COLUMNS = (Column(name="msg_id", kind="long"), Column(name="text", kind="text"))
# Whatever means something to a format: quotes, line ends, separators, formulas, four bytes a character.
TEXTS = st.text(alphabet="a\"\r\n\t,;=+-@'\u2028é🐘", max_size=20)


def part_of(format: str, texts: list[str | None]) -> io.BytesIO:
    part = io.BytesIO()
    rows = list(enumerate(texts))
    assert FORMATS[format].write_part(part, COLUMNS, [rows[:2], rows[2:]] if rows[2:] else [rows]) == len(
        rows
    )
    return io.BytesIO(part.getvalue())


def joined(format: str, *parts: list[str | None]) -> bytes:
    whole = io.BytesIO()
    FORMATS[format].join(whole, COLUMNS, (part_of(format, texts) for texts in parts))
    return whole.getvalue()


@pytest.mark.parametrize("format", FORMATS)
class TestFormat:
    @given(texts=st.lists(TEXTS, min_size=1, max_size=6))
    def test_counts_the_joined_rows_whatever_they_contain(self, format, texts):
        body = joined(format, texts, ["one more"])
        assert FORMATS[format].count(io.BytesIO(body)) == len(texts) + 1

    def test_counts_a_file_without_rows(self, format):
        assert FORMATS[format].count(io.BytesIO(joined(format))) == 0


class TestCsv:
    @given(texts=st.lists(TEXTS, min_size=1, max_size=6))
    def test_is_read_back_unchanged_except_for_the_mark_of_formulas(self, texts):
        body = joined("csv", texts).decode("utf-8-sig")
        cells = [row["text"] for row in csv.DictReader(io.StringIO(body, newline=""))]
        assert [cell[1:] if cell != text else cell for cell, text in zip(cells, texts, strict=True)] == texts
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)

    def test_has_one_header(self):
        assert joined("csv", ["a"], ["b"]) == b"\xef\xbb\xbfmsg_id,text\r\n0,a\r\n0,b\r\n"

    def test_is_counted_across_the_bounds_of_blocks(self):
        large = 'x"\r\n' * 700_000
        assert FORMATS["csv"].count(io.BytesIO(joined("csv", [large, large], [large]))) == 3
