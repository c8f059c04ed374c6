"""
The peers of the archive in Parquet files: two bare processes, and what a user of Spark writes.

Each function runs in a process of its own. Neither peer plans, locks, writes a ledger or an audit entry,
syncs or reads back its files.
"""

import io
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import psycopg
import pyarrow as pa
from psycopg.conninfo import conninfo_to_dict
from pyarrow import csv, parquet

# Children before parents.
TABLES = ("response", "request", "external_call", "funnel", "message")
# The driver that a user of Spark names; Spark downloads it into the home.
_DRIVER = "org.postgresql:postgresql:42.7.8"
_SLICE = 5_000
_TIMES = {"timestamp with time zone": pa.timestamp("us", "UTC"), "bigint": pa.int64(), "integer": pa.int32()}


class Set(NamedTuple):
    """The messages to archive, as SQL, without families: the rows of the benchmark have none."""

    cutoff: str
    first: int
    last: int

    @property
    def messages(self) -> str:
        return (
            f"state IN ('OK', 'FAILED', 'CANCEL') AND last_process_timestamp < '{self.cutoff}'"
            f" AND msg_id BETWEEN {self.first} AND {self.last}"
        )

    def select_rows(self, table: str) -> str:
        """Return the condition of the rows of a table."""
        if table == "message":
            return self.messages
        return f"msg_id IN (SELECT msg_id FROM message WHERE {self.messages})"


def archive_half(url: str, folder: Path, chosen: Set) -> None:
    """Copy the rows out as CSV, which pyarrow reads in C, write them, and delete them in slices."""
    with psycopg.connect(url) as hub:
        query = f"SELECT msg_id FROM message WHERE {chosen.messages} ORDER BY msg_id"
        ids = [row[0] for row in hub.execute(query)]
        for table in TABLES:
            _write_file(hub, table, chosen, _path_of_file(folder, table, chosen))
        for start in range(0, len(ids), _SLICE):
            for table in TABLES:
                some = ids[start : start + _SLICE]
                hub.execute(f"DELETE FROM {table} WHERE msg_id = ANY (%s)", [some])


def restore_half(url: str, folder: Path, chosen: Set) -> None:
    """Copy the rows of this half's files in as CSV, which pyarrow writes in C."""
    with psycopg.connect(url) as hub, hub.cursor() as cursor:
        for table in reversed(TABLES):
            file = parquet.ParquetFile(_path_of_file(folder, table, chosen))
            names = ", ".join(file.schema_arrow.names)
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN CSV") as copy:
                for batch in file.iter_batches():
                    copy.write(_as_csv(batch))


def _path_of_file(folder: Path, table: str, chosen: Set) -> Path:
    return folder / f"{table}-{chosen.first}.parquet"


def _write_file(hub: psycopg.Connection, table: str, chosen: Set, path: Path) -> None:
    types = hub.execute(
        "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute"
        " WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        [table],
    ).fetchall()
    schema = pa.schema([(name, _TIMES.get(kind, pa.string())) for name, kind in types])
    query = f"COPY (SELECT * FROM {table} WHERE {chosen.select_rows(table)}) TO STDOUT CSV HEADER"
    with hub.cursor() as cursor, cursor.copy(query) as copy:
        rows = csv.open_csv(
            io.BufferedReader(_Pieces(copy), 1 << 20),
            read_options=csv.ReadOptions(block_size=4 << 20),
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types=schema,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
        with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for batch in rows:
                writer.write_batch(batch)


class _Pieces(io.RawIOBase):
    """A COPY as a file."""

    def __init__(self, copy: psycopg.Copy) -> None:
        self._pieces: Iterator = iter(copy)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        if not self._rest:
            self._rest = memoryview(next(self._pieces, b""))
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def _as_csv(batch: pa.RecordBatch) -> pa.Buffer:
    text = pa.BufferOutputStream()
    csv.write_csv(batch, text, csv.WriteOptions(include_header=False))
    return text.getvalue()


def archive_by_spark(url: str, folder: Path, chosen: Set) -> None:
    """Read each table by one query, as Spark does by default, write it, and delete the rows."""
    spark = _get_session()
    for table in TABLES:
        query = f"(SELECT * FROM {table} WHERE {chosen.select_rows(table)}) AS chosen"
        rows = spark.read.jdbc(_write_jdbc_address(url), query, properties=_connection_properties(url))
        rows.write.parquet(str(folder / table))
    with psycopg.connect(url) as hub:
        for table in TABLES:
            hub.execute(f"DELETE FROM {table} WHERE {chosen.select_rows(table)}")


def restore_by_spark(url: str, folder: Path, chosen: Set) -> None:
    for table in reversed(TABLES):
        rows = _get_session().read.parquet(str(folder / table))
        rows.write.jdbc(
            _write_jdbc_address(url), table, mode="append", properties=_connection_properties(url)
        )


def start_spark(home: Path, java: Path) -> None:
    """
    Start this process's Spark, with the driver for PostgreSQL.

    Args:
        java: the JAVA_HOME.
    """
    os.environ |= {"JAVA_HOME": str(java), "SPARK_LOCAL_IP": "127.0.0.1"}
    for name in ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED"):
        os.environ.pop(name, None)
    _get_session(home)


@cache
def _create_session(home: Path):
    from pyspark.sql import SparkSession

    settings = {
        "spark.jars.packages": _DRIVER,
        "spark.jars.ivy": home / "jdbc",
        "spark.local.dir": home / "jdbc",
        # Without a fetch size the driver holds all rows of a query: four times the memory of the product's.
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
    }
    builder = SparkSession.builder.master("local[2]").appName("default JDBC")
    for name, value in settings.items():
        builder = builder.config(name, str(value))
    return builder.getOrCreate()


def _get_session(home: Path | None = None):
    from pyspark.sql import SparkSession

    return _create_session(home) if home else SparkSession.getActiveSession()


def _write_jdbc_address(url: str) -> str:
    at = conninfo_to_dict(url)
    return f"jdbc:postgresql://{at['host']}:{at['port']}/{at['dbname']}"


def _connection_properties(url: str) -> dict[str, str]:
    at = conninfo_to_dict(url)
    return {
        "user": str(at["user"]),
        "password": str(at["password"]),
        "driver": "org.postgresql.Driver",
        "stringtype": "unspecified",  # The driver's way to write texts to columns of other types.
    }
