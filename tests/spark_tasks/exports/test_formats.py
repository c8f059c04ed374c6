import csv
import io
import json

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.shared.text_safety import as_safe_cell
from spark_tasks.exports.formats import FORMATS
from tests.spark_tasks.exports.copies import COLUMNS, part_of

pytestmark = pytest.mark.django_db

# Whatever means something to a format, to COPY or to a spreadsheet, and characters of one to four bytes.
TEXTS = st.text(alphabet="aN\"\r\n\t\\,.;=+-@' {}%\x01\x02\x1f\x7f\u2028\ufeffé🐘", max_size=20)


def joined(format: str, *parts: list[str | None]) -> bytes:
    whole = io.BytesIO()
    FORMATS[format].join(whole, COLUMNS, (io.BytesIO(part_of(format, texts)) for texts in parts))
    return whole.getvalue()


class TestPart:
    @given(texts=st.lists(TEXTS | st.none(), min_size=1, max_size=6))
    def test_of_csv_has_the_bytes_of_pythons_module(self, texts):
        expected = io.StringIO(newline="")
        csv.writer(expected).writerows((number, as_safe_cell(text)) for number, text in enumerate(texts))
        assert part_of("csv", texts) == expected.getvalue().encode()

    @given(texts=st.lists(TEXTS | st.none(), min_size=1, max_size=6))
    def test_of_json_lines_has_the_bytes_of_pythons_module(self, texts):
        rows = [{"msg_id": number, "text": text} for number, text in enumerate(texts)]
        assert part_of("jsonl", texts) == b"".join(
            json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows
        )

    @given(texts=st.lists(TEXTS | st.none(), min_size=1, max_size=6))
    def test_of_parquet_has_every_text(self, texts):
        table = pq.read_table(io.BytesIO(part_of("parquet", texts)))
        assert table.to_pydict() == {"msg_id": list(range(len(texts))), "text": texts}


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
