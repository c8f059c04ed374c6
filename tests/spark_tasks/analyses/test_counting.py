"""Counting pairs in one process, compared with counts by the definition of each predicate."""

from collections import Counter
from itertools import combinations_with_replacement

import pyarrow as pa
import pytest

from spark_tasks.analyses import counting
from spark_tasks.analyses.counting import SparkSide, sum_facts, sum_pairs
from spark_tasks.analyses.fields import Field, Source
from spark_tasks.analyses.predicates import Kind, Predicate
from spark_tasks.session import spark_session
from tests.support.planted_causes import SCHEMA

CURRENCY, NOTE = Field(Source.PAYLOAD, "/o/currency"), Field(Source.PAYLOAD, "/o/note")
SENDER = Field(Source.COLUMN, "source_system")


def make_rows(count: int) -> list[dict[str, object]]:
    """Return messages: every third has no note, every seventh another document, every tenth is broken."""
    rows = []
    for number in range(count):
        note = "" if number % 3 == 0 else f"<note>{'n' * (number % 5)}</note>"
        payload = f"<o><currency>{('CHF', 'EUR')[number % 2]}</currency>{note}</o>"
        payload = "<p/>" if number % 7 == 0 else payload
        payload = payload[:-3] if number % 10 == 0 else payload
        rows.append(
            dict.fromkeys(SCHEMA.names)
            | {"source_system": f"S{number % 4}", "payload": payload, "payload_bytes": len(payload)}
        )
    return rows


def batches_of(rows: list[dict[str, object]]) -> list[pa.RecordBatch]:
    return [
        pa.RecordBatch.from_pylist(rows[start : start + 7], schema=SCHEMA) for start in range(0, len(rows), 7)
    ]


PREDICATES = {
    Predicate(CURRENCY, Kind.VALUE, "CHF"): lambda text, sender: "<currency>CHF" in text,
    Predicate(NOTE, Kind.MISSING): lambda text, sender: "<o>" in text and "<note>" not in text,
    Predicate(NOTE, Kind.PRESENT): lambda text, sender: "<note>" in text,
    Predicate(NOTE, Kind.EMPTY): lambda text, sender: "<note></note>" in text,
    Predicate(NOTE, Kind.AT_LEAST, length=3): lambda text, sender: "<note>nnn" in text,
    Predicate(NOTE, Kind.AT_MOST, length=1): lambda text, sender: "<note></" in text or "<note>n</" in text,
    Predicate(SENDER, Kind.VALUE, "S1"): lambda text, sender: sender == "S1",
    Predicate(SENDER, Kind.MISSING): lambda text, sender: sender is None,
}


def count_by_definition(rows: list[dict[str, object]]) -> Counter[tuple[int, int]]:
    counts: Counter[tuple[int, int]] = Counter()
    for row in rows:
        text = row["payload"] if row["payload"].endswith(("</o>", "<p/>")) else ""
        holds = [holds_for(text, row["source_system"]) for holds_for in PREDICATES.values()]
        for one, other in combinations_with_replacement(range(len(holds)), 2):
            counts[one, other] += holds[one] and holds[other]
    return counts


class TestSumPairs:
    def test_counts_each_predicate_and_each_pair_as_their_definitions_say(self):
        rows = make_rows(200)

        counts = sum_pairs(iter(batches_of(rows)), list(PREDICATES))

        assert counts.messages == 200
        assert counts.together == count_by_definition(rows)
        assert counts.count_both(2, 0) == counts.count_both(0, 2) > 0

    def test_counts_more_messages_than_it_marks_at_a_time(self, monkeypatch):
        monkeypatch.setattr(counting, "_MARKED_ROWS", 20)
        rows = make_rows(200)

        assert sum_pairs(iter(batches_of(rows)), list(PREDICATES)).together == count_by_definition(rows)

    def test_counts_no_messages(self):
        empty = pa.RecordBatch.from_pylist([], schema=SCHEMA)

        assert sum_pairs(iter([empty]), list(PREDICATES)).messages == 0


class TestSumFacts:
    def test_counts_messages_and_broken_texts(self):
        side = sum_facts(iter(batches_of(make_rows(200))))

        assert (side.messages, side.unreadable) == (200, 20)
        assert side.fields[Field(Source.PAYLOAD, "format")].values == Counter(
            {"XML": 180, "XML that is not well-formed": 20}
        )


@pytest.fixture(scope="module")
def spark(spark_remote):
    with spark_session(spark_remote) as session:
        yield session


class TestSparkSide:
    def test_counts_on_executors_what_this_process_counts(self, spark):
        rows = make_rows(200)
        frame = spark.createDataFrame(pa.Table.from_pylist(rows, schema=SCHEMA)).repartition(3)
        parts: list[int] = []
        side = SparkSide(frame, parts.append)

        facts, pairs = side.count_facts(), side.count_pairs(list(PREDICATES))

        expected = sum_facts(iter(batches_of(rows)))
        assert facts == expected
        assert pairs == sum_pairs(iter(batches_of(rows)), list(PREDICATES))
        assert len(parts) == 6
        assert sum(parts) == 400

    def test_ends_with_the_error_of_its_progress(self, spark):
        class Stopped(Exception):
            pass

        def stop(_messages: int) -> None:
            raise Stopped

        frame = spark.createDataFrame(pa.Table.from_pylist(make_rows(9), schema=SCHEMA))
        with pytest.raises(Stopped):
            SparkSide(frame, stop).count_facts()
