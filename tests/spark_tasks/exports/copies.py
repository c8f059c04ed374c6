"""Rows of two columns as PostgreSQL copies them for a format, without a table."""

import io
from collections.abc import Sequence

from django.db import connection
from psycopg import sql

from spark_tasks.exports.expressions import Column
from spark_tasks.exports.formats import FORMATS

COLUMNS = (Column(name="msg_id", kind="long"), Column(name="text", kind="text"))


def part_of(format: str, texts: Sequence[str | None]) -> bytes:
    """Return a part with these texts, numbered from 0."""
    rows = sql.SQL(
        "SELECT {} FROM unnest({}::text[]) WITH ORDINALITY AS given (text, place),"
        " LATERAL (SELECT place - 1 AS msg_id) AS numbered ORDER BY place"
    ).format(FORMATS[format].row(COLUMNS), sql.Literal(list(texts)))
    copy = sql.SQL("COPY ({}) TO STDOUT ({})").format(rows, sql.SQL(FORMATS[format].options))
    part = io.BytesIO()
    with connection.cursor() as cursor, cursor.copy(copy) as copied:
        assert FORMATS[format].write_part(part, COLUMNS, copied) == len(texts)
    return part.getvalue()
