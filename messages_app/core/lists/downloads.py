"""
A list as a file: CSV or JSON lines, in the order of the list.

It is read page by page, so that no transaction remains open. A row that changes its place during the download
may be in the file twice or not at all. More than MAX_ROWS rows require an export job.
"""

import csv
import json
import time
from collections.abc import Callable, Iterator, Sequence

from django.db import OperationalError
from django.http import StreamingHttpResponse

from messages_app.core.pagination.keyset import M
from messages_app.core.pagination.paginator import Page
from messages_app.shared.text_safety import CSV_MARK, as_safe_cell, text_of

MAX_ROWS = 10_000
PAGE_SIZE = 500
# Shorter than the web server's time limit for an answer.
_MAX_SECONDS = 25

_LIMIT_NOTE = "Only the first {} {} are included. Narrow the filter, or use a bulk export."
_TIME_NOTE = "Not all {} are included: reading took too long. Narrow the filter or the time range."

# A row of the list, or a note that replaces missing rows.
Row = object
Fetch = Callable[[str | None], Page[M]]


def listed_rows(fetch: Fetch[M], *, things: str, most: int = MAX_ROWS) -> Iterator[Row | str]:
    """
    Yield the rows of a list, and a note at the end if some are missing.

    Args:
        fetch: returns the page of PAGE_SIZE rows at a cursor; None: the first page, which is read
            immediately.
        things: the name of the rows, in the plural.

    Raises:
        Problem: raised by `fetch` for the first page: the list has no such order or filter.
    """
    return _iterate_following_pages(fetch(None), fetch, things, most)


def _iterate_following_pages(page: Page[M], fetch: Fetch[M], things: str, most: int) -> Iterator[Row | str]:
    end, count = time.monotonic() + _MAX_SECONDS, 0
    while True:
        yield from page.rows[: most - count]
        count += len(page.rows)
        if page.next_cursor is None and count <= most:
            return
        if count >= most:
            yield _LIMIT_NOTE.format(most, things)
            return
        if time.monotonic() > end:
            yield _TIME_NOTE.format(things)
            return
        try:
            page = fetch(page.next_cursor)
        except OperationalError:
            yield _TIME_NOTE.format(things)
            return


def csv_lines(rows: Iterator[Row | str], columns: Sequence[str]) -> Iterator[str]:
    """
    Yield a header with a byte order mark, one line per row, and a note, if there is one, as the last line.
    """
    writer = csv.writer(_Echo())
    yield CSV_MARK + writer.writerow(columns)
    for row in rows:
        cells: list[object] = (
            [f"# {row}"] if isinstance(row, str) else [as_safe_cell(getattr(row, name)) for name in columns]
        )
        yield writer.writerow(cells)


def json_lines(rows: Iterator[Row | str], columns: Sequence[str]) -> Iterator[str]:
    """Yield one object per row, and a note, if there is one, as {"note": ...}."""
    for row in rows:
        values = {"note": row} if isinstance(row, str) else {name: getattr(row, name) for name in columns}
        yield json.dumps(values, default=text_of, ensure_ascii=False) + "\n"


class _Echo:
    """A file object that returns the text written to it, as csv.writer needs."""

    def write(self, text: str) -> str:
        return text


FORMATS: dict[str, tuple[str, Callable[..., Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", csv_lines),
    "jsonl": ("application/x-ndjson; charset=utf-8", json_lines),
}


def file_of(
    rows: Iterator[Row | str], columns: Sequence[str], *, name: str, kind: str
) -> StreamingHttpResponse:
    """Return the response with the file. `name` has no suffix, and `kind` is one of FORMATS."""
    content_type, lines = FORMATS[kind]
    response = StreamingHttpResponse(lines(rows, columns), content_type=content_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    response.headers["X-Row-Limit"] = str(MAX_ROWS)
    return response
