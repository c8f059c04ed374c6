"""Parquet files of the archive: values are read as written, and missing or damaged files are reported."""

from pathlib import Path

import psycopg
import pyarrow as pa
import pytest

from spark_tasks.parquet import files
from spark_tasks.parquet.column_types import Column, RowHash, schema_of
from spark_tasks.parquet.files import (
    Unreadable,
    Untrue,
    check_digest,
    check_file,
    groups_of_copied,
    groups_of_rows,
    read_rows,
    with_one_of,
    write_file,
)
from spark_tasks.storage.addresses import Storage

COLUMNS = [
    Column("msg_id", "bigint"),
    Column("received", "timestamp with time zone"),
    Column("payload", "text"),
]
PATH = "message/month=2026-05/job-1.parquet"
ROWS = [(1, 7, "line\nbreak"), (2, None, None), (3, 2**63 - 1, "\U0001f600" * 1000)]


@pytest.fixture
def storage(tmp_path) -> Storage:
    return Storage(str(tmp_path / "the archive"))


def written(storage: Storage, rows=ROWS):
    groups = groups_of_rows(iter(rows), COLUMNS)
    return write_file(storage, PATH, columns=COLUMNS, key="msg_id", groups=groups)


def all_rows(storage: Storage) -> list:
    return list(read_rows(storage, PATH, rows=with_one_of("msg_id", range(10_000))))


class TestWriteFile:
    def test_returns_every_row_unchanged(self, storage):
        found = written(storage)

        assert all_rows(storage) == ROWS
        assert list(found.keys) == [1, 2, 3]
        assert storage.list_paths() == [PATH]

    def test_writes_no_file_for_no_rows(self, storage):
        assert written(storage, []) is None
        assert storage.list_paths() == []

    def test_closes_a_row_group_when_its_texts_are_large(self, storage):
        written(storage, [(n, None, "x" * 1_500_000) for n in range(6)])

        with storage.open_to_read(PATH) as file:
            assert files.parquet.ParquetFile(file).num_row_groups == 2

    def test_leaves_nothing_when_its_rows_end_in_an_error(self, storage):
        def broken():
            yield from [(n, None, "x") for n in range(3_000)]
            raise psycopg.OperationalError("gone")

        with pytest.raises(psycopg.OperationalError):
            written(storage, broken())

        assert storage.list_paths() == []


def hash_of(rows) -> RowHash:
    found = RowHash()
    columns = zip(*rows, strict=True)
    arrays = [pa.array(values, kind.arrow) for values, kind in zip(columns, COLUMNS, strict=True)]
    found.add(pa.record_batch(arrays, schema=schema_of(COLUMNS)))
    return found


class TestGroupsOfCopied:
    def test_have_limits_of_bytes_and_of_rows(self):
        narrow = (b"%d,,x\n" % n for n in range(4_001))
        wide = (b"%d,,%s\n" % (n, b"x" * 1_500_000) for n in range(4))

        assert [group.num_rows for group in groups_of_copied(narrow, COLUMNS)] == [2_000, 2_000, 1]
        assert [group.num_rows for group in groups_of_copied(wide, COLUMNS)] == [3, 1]


class TestRowHash:
    def test_distinguishes_missing_from_empty_and_where_a_text_ends(self):
        first = [(1, None, "ab"), (2, None, "c"), (3, None, None)]
        others = (
            [(1, None, "a"), (2, None, "bc"), (3, None, None)],
            [(1, None, "ab"), (2, None, "c"), (3, None, "")],
            [(1, 0, "ab"), (2, None, "c"), (3, None, None)],
            first[::-1],
        )

        assert hash_of(first) == hash_of(list(first))
        assert [rows for rows in others if hash_of(rows) == hash_of(first)] == []


class TestCheckFile:
    @pytest.mark.parametrize(
        "row", [(3, 2**63 - 1, "other"), (3, 0, ROWS[2][2]), (3, None, ROWS[2][2]), (4, *ROWS[2][1:])]
    )
    def test_rejects_a_file_with_another_value(self, storage, row):
        written(storage)

        with pytest.raises(Untrue):
            check_file(storage, PATH, hash_of([*ROWS[:2], row]))

    def test_rejects_a_file_that_lacks_a_row(self, storage):
        written(storage)

        with pytest.raises(Untrue):
            check_file(storage, PATH, hash_of(ROWS[:2]))


class TestReadRows:
    def test_returns_only_the_requested_rows_and_columns(self, storage):
        written(storage)

        found = read_rows(storage, PATH, rows=with_one_of("msg_id", {2, 3}), names=["payload", "msg_id"])

        assert list(found) == [(None, 2), ("\U0001f600" * 1000, 3)]

    def test_reports_that_a_file_is_missing(self, storage):
        with pytest.raises(Unreadable, match="missing"):
            all_rows(storage)

    @pytest.mark.parametrize("damage", ["cut", "flipped", "empty"])
    def test_reports_that_a_file_is_damaged(self, storage, damage):
        found = written(storage, [(n, n, f"payload {n * 7919}") for n in range(3_000)])
        file = Path(storage.uri, PATH)
        body = bytearray(file.read_bytes())
        body[100:3_000] = bytes(byte ^ 0xFF for byte in body[100:3_000])
        file.write_bytes({"cut": file.read_bytes()[:-1000], "flipped": body, "empty": b""}[damage])

        with pytest.raises(Unreadable, match="cannot be read"):
            all_rows(storage)
        with pytest.raises(Unreadable, match="damaged"):
            check_digest(storage, PATH, found.sha256)


class TestStorage:
    def test_shows_no_file_that_is_not_whole(self, storage):
        with pytest.raises(RuntimeError, match="half"):
            _write_half(storage)

        assert storage.list_paths() == []

    def test_reports_a_full_disk_as_the_database_does(self, storage):
        with pytest.raises(psycopg.errors.DiskFull):
            _write_on_a_full_disk(storage)


def _write_half(storage: Storage) -> None:
    with storage.open_to_write(PATH) as file:
        file.write(b"half")
        assert storage.list_paths() == [f"{PATH}.tmp"]
        raise RuntimeError("half")


def _write_on_a_full_disk(storage: Storage) -> None:
    with storage.open_to_write(PATH), open("/dev/full", "wb") as full:
        full.write(b"x")
        full.flush()
