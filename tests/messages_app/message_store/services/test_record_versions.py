"""Versions of records depend on the messages, and not on the order in which they are written."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from messages_app.message_store.models import TargetRecord
from messages_app.message_store.services import record_versions
from messages_app.message_store.services.begin import ClaimedMessage
from messages_app.message_store.services.record_versions import Change, Writing
from messages_app.message_store.services.records import Key, Record

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
FIRST = datetime(2026, 5, 1, tzinfo=UTC)

# Each version: (entity, key, from, to, message).
Versions = set[tuple[str, str, datetime, datetime | None, str]]


def message(
    number: int,
    keys: Iterable[tuple[str, int]],
    *,
    day: int,
    made: int | None = None,
    refreshes: str = "",
    entity: str = "order",
) -> Writing:
    """Return what a message of `keys` writes; `refreshes` is the entity that it refreshes."""
    identifier = f"00000000-0000-4000-8000-{number:012}"
    entity = refreshes or entity
    taken = ClaimedMessage(
        identifier=identifier,
        started_at=FIRST + 99 * DAY,
        attempts=0,
        is_stored=True,
        system="crm",
        entity=entity,
        message_timestamp=FIRST + (number if made is None else made) * timedelta(minutes=1),
        effective_timestamp=FIRST + day * DAY,
        refresh=bool(refreshes),
        options=None,
        data=None,
        file_path=None,
    )
    records = [
        Record(key=Key(of, f"[{key}]"), data={"of": number, "key": key}, references=frozenset())
        for of, key in keys
    ]
    return Writing(taken, entity, records)


def write(*writings: Writing) -> list[Change]:
    record_versions.lock_records(writings)
    return record_versions.write_records(writings)


def again(writing: Writing, **changes: object) -> Writing:
    """Return the next attempt at a message."""
    return writing._replace(claim=replace(writing.claim, attempts=1), **changes)


def versions() -> Versions:
    return set(
        TargetRecord.objects.values_list("entity", "record_key", "valid_from", "valid_to", "source_message")
    )


def short(found: Versions) -> set[tuple[str, str, int, int | None, int]]:
    """Return versions by the number of their days and messages."""
    return {
        (entity, key, (begun - FIRST).days, ended and (ended - FIRST).days, int(source[-12:]))
        for entity, key, begun, ended, source in found
    }


def expected_versions(writings: Sequence[Writing]) -> Versions:
    """Return the versions by the rule of the specification, from all messages together."""
    winners: dict[tuple[Key, datetime], tuple[datetime, str]] = {}
    for writing in writings:
        identifier, begun, made = writing.columns
        for record in writing.records:
            place = record.key, begun
            winners[place] = max(winners.get(place, (made, identifier)), (made, identifier))
    expected = set()
    for (key, begun), (made, identifier) in winners.items():
        ends = [other for other_key, other in winners if other_key == key and other > begun]
        for writing in writings:
            refresher, at, refreshed = writing.columns
            if writing.claim.refresh and writing.entity == key.entity and refresher != identifier:
                ends += [at] if (at, refreshed, refresher) > (begun, made, identifier) else []
        expected.add((key.entity, key.text, begun, min(ends, default=None), identifier))
    return expected


def any_message(dice: random.Random, number: int) -> Writing:
    """Return a message of few entities, keys and times, so that all of them meet."""
    entities = ("customer", "order")
    keys = {(dice.choice(entities), dice.randrange(3)) for _ in range(dice.randrange(1, 4))}
    refreshed = dice.choice(entities) if dice.random() < 0.3 else ""
    return message(number, sorted(keys), day=dice.randrange(5), made=dice.randrange(3), refreshes=refreshed)


class TestWrite:
    @pytest.mark.parametrize("seed", range(6))
    def test_leaves_the_same_versions_in_every_order_and_batch(self, seed):
        dice = random.Random(seed)  # noqa: S311 (which messages are written)
        writings = [any_message(dice, number) for number in range(24)]
        expected = expected_versions(writings)
        for _ in range(3):
            TargetRecord.objects.all().delete()
            with connection.cursor() as cursor:
                cursor.execute("DELETE FROM entity_refresh")
            dice.shuffle(writings)
            waiting = list(writings)
            while waiting:
                size = dice.randrange(1, 6)
                write(*waiting[:size])
                del waiting[:size]
            assert versions() == expected

    def test_changes_no_row_the_second_time(self):
        writings = [
            message(1, [("order", 1), ("customer", 1)], day=1),
            message(2, [("order", 1), ("order", 2)], day=2),
            message(3, [("order", 2)], day=3, refreshes="order"),
        ]
        write(*writings)
        before = row_places()
        assert write(*map(again, writings)) == [Change(written=0, ended=0, taken_back=0)] * 3
        assert row_places() == before

    def test_counts_what_each_message_writes_ends_and_takes_back(self):
        first = message(1, [("order", 1), ("order", 2), ("order", 3), ("customer", 1)], day=1)
        assert write(first) == [Change(written=4, ended=0, taken_back=0)]
        changes = write(message(2, [("order", 1)], day=3), message(3, [("order", 9), ("order", 8)], day=3))
        assert changes == [
            Change(written=1, ended=0, taken_back=0),
            Change(written=2, ended=0, taken_back=0),
        ]
        # Of the versions before it: of 1 until day 3 and then, of 2 and 3 without an end; and those of day 2.
        refresh = message(4, [("order", 3)], day=2, refreshes="order")
        assert write(refresh) == [Change(written=1, ended=3, taken_back=0)]
        assert write(again(refresh, records=refresh.records[:0])) == [
            Change(written=0, ended=0, taken_back=1)
        ]
        same_time = message(5, [], day=1, made=0, refreshes="order")
        assert write(same_time) == [Change(written=0, ended=0, taken_back=0)]

    def test_does_not_end_a_version_again_that_ends_at_the_refresh(self):
        write(message(1, [("order", 1)], day=1), message(2, [("order", 1)], day=2, made=9))
        assert write(message(3, [], day=2, refreshes="order")) == [Change(written=0, ended=0, taken_back=0)]
        assert short(versions()) == {("order", "[1]", 1, 2, 1), ("order", "[1]", 2, None, 2)}

    def test_ends_a_version_of_the_same_time_by_a_refresh_that_was_made_later(self):
        for first, second in ((0, 1), (1, 0)):
            TargetRecord.objects.all().delete()
            both = [
                message(1, [("order", 1), ("customer", 1)], day=1),
                message(2, [("order", 2)], day=1, refreshes="order"),
            ]
            write(both[first]), write(both[second])
            assert short(versions()) == {
                ("order", "[1]", 1, 1, 1),
                ("customer", "[1]", 1, None, 1),
                ("order", "[2]", 1, None, 2),
            }

    def test_takes_back_only_what_the_message_no_longer_has(self):
        other = message(1, [("order", 1), ("order", 2), ("customer", 1), ("customer", 2)], day=1)
        mine = message(2, [("order", 1), ("order", 2), ("customer", 1), ("customer", 2)], day=2)
        write(other), write(mine)
        kept = [record for record in mine.records if record.key == Key("order", "[1]")]
        assert write(again(mine, records=kept)) == [Change(written=0, ended=0, taken_back=3)]
        assert short(versions()) == {
            ("order", "[1]", 1, 2, 1),
            ("order", "[1]", 2, None, 2),
            ("order", "[2]", 1, None, 1),
            ("customer", "[1]", 1, None, 1),
            ("customer", "[2]", 1, None, 1),
        }

    def test_takes_back_versions_of_an_effective_time_that_was_corrected(self):
        write(message(1, [("order", 1)], day=1))
        mine = message(2, [("order", 1)], day=2)
        write(mine)
        moved = again(mine)
        moved = moved._replace(claim=replace(moved.claim, effective_timestamp=FIRST + 3 * DAY))
        assert write(moved) == [Change(written=1, ended=0, taken_back=1)]
        assert short(versions()) == {("order", "[1]", 1, 3, 1), ("order", "[1]", 3, None, 2)}

    def test_replaces_the_data_of_the_same_message_and_keeps_those_of_a_later_one(self):
        mine = message(2, [("order", 1)], day=1)
        write(mine)
        changed = [replace(record, data={"of": "reader"}) for record in mine.records]
        assert write(again(mine, records=changed))[0].written == 1
        assert TargetRecord.objects.get().data == {"of": "reader"}
        assert write(message(1, [("order", 1)], day=1))[0].written == 0
        assert write(message(3, [("order", 1)], day=1, made=2))[0].written == 1
        record = TargetRecord.objects.get()
        assert (record.data, record.source_message[-1]) == ({"of": 3, "key": 1}, "3")
        assert record.message_timestamp == FIRST + timedelta(minutes=2)


def row_places() -> list[tuple]:
    """Return where the database keeps each row: another place after every update."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT entity, record_key, valid_from, ctid::text, xmax::text FROM target_record")
        return sorted(row[:4] for row in cursor.fetchall())


class TestMissingReferences:
    def test_include_those_missing_from_the_store_and_from_earlier_messages(self):
        write(message(1, [("customer", 1), ("order", 2)], day=1))

        def record(entity: str, key: int, *references: tuple[str, int]) -> Record:
            asked = frozenset(Key(of, f"[{one}]") for of, one in references)
            return Record(key=Key(entity, f"[{key}]"), data={}, references=asked)

        messages = [
            [record("line", 1, ("customer", 1))],
            [record("line", 2, ("order", 1), ("customer", 2), ("customer", 1))],
            [record("line", 3, ("line", 4)), record("line", 4, ("line", 3))],
            [record("line", 5, ("line", 2), ("line", 3))],
            [record("line", 6, ("line", 7))],
            [record("line", 7)],
        ]
        assert record_versions.missing_references(messages) == [
            [],
            [Key("customer", "[2]"), Key("order", "[1]")],
            [],
            [Key("line", "[2]")],
            [Key("line", "[7]")],
            [],
        ]
