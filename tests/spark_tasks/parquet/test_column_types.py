"""Rows of COPY become Arrow's and again rows of COPY without a changed bit."""

import pyarrow as pa
import pytest

from spark_tasks.parquet.column_types import (
    CannotKeep,
    Column,
    as_copied,
    batch_of_copied,
    values_of,
)

COLUMNS = [
    Column("msg_id", "bigint"),
    Column("received", "timestamp with time zone"),
    Column("ended", "timestamp without time zone"),
    Column("failed", "boolean"),
    Column("price", "numeric"),
    Column("payload", "text"),
]
ROWS = [
    b"1,2026-05-01 12:00:00.5+00,2026-05-01 12:00:00,t,1.50,text\n",
    b'2,0001-01-01 00:00:00+00,9999-12-31 23:59:59.999999,f,,""\n',
    b'3,,,,NaN,"a ""b"",\r\n\\.\r\n\\N"\n',
]
INFINITE = b"4,infinity,-infinity,,,\n"


def values(text: bytes) -> list[tuple]:
    return list(values_of(batch_of_copied(text, COLUMNS)))


def test_copied_values_are_read_with_missing_and_empty_texts_apart():
    # Microseconds since 1970.
    assert values(b"".join(ROWS)) == [
        (1, 1_777_636_800_500_000, 1_777_636_800_000_000, True, "1.50", "text"),
        (2, -62_135_596_800_000_000, 253_402_300_799_999_999, False, None, ""),
        (3, None, None, None, "NaN", 'a "b",\r\n\\.\r\n\\N'),
    ]


def test_infinite_times_are_the_largest_and_smallest_numbers_and_leave_other_times():
    assert values(ROWS[0] + ROWS[2] + INFINITE) == [
        *values(ROWS[0] + ROWS[2]),
        (4, 2**63 - 1, -(2**63), None, None, None),
    ]


@pytest.mark.parametrize(
    "time", ["0044-03-15 00:00:00+00 BC", "10000-01-01 00:00:00+00", "294276-12-31 23:59:59.999999+00"]
)
def test_a_time_outside_the_calendar_is_refused(time):
    with pytest.raises(CannotKeep):
        values(ROWS[0] + f"5,{time},,,,\n".encode())


def test_another_fault_is_not_taken_for_a_time():
    with pytest.raises(ValueError, match="CSV conversion error to int64"):
        values(b"six,,,,,\n")


def test_rows_are_copied_back_with_missing_and_empty_texts_apart():
    rows = batch_of_copied(b"".join(ROWS), COLUMNS)

    assert as_copied(pa.table(rows.columns, schema=rows.schema)).to_pybytes() == (
        b'1,2026-05-01 12:00:00.500000Z,2026-05-01 12:00:00.000000,true,"1.50","text"\n'
        b'2,0001-01-01 00:00:00.000000Z,9999-12-31 23:59:59.999999,false,,""\n'
        b'3,,,,"NaN","a ""b"",\r\n\\.\r\n\\N"\n'
    )


def test_infinite_times_are_copied_back_by_their_names():
    rows = batch_of_copied(ROWS[0] + INFINITE, COLUMNS)

    assert as_copied(pa.table(rows.columns, schema=rows.schema)).to_pybytes() == (
        b'1,"2026-05-01 12:00:00.500000+00","2026-05-01 12:00:00",true,"1.50","text"\n'
        b'4,"infinity","-infinity",,,\n'
    )
