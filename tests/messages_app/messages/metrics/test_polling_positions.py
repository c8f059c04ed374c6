"""The position of each poll: from where it reads, and what the next one continues with."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from messages_app.core.parameters import MAX_ID, MIN_ID
from messages_app.messages.metrics import polling
from messages_app.messages.metrics.models import PolledMessage, Polling
from messages_app.messages.metrics.polling import Position
from tests.support.factories import NOON, make_message
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)


def position(**columns: object) -> Position:
    """Return a position whose values all differ, between two passes over all messages."""
    defaults: dict[str, object] = {
        "front": 900,
        "safe": 100,
        "mark": 300,
        "changed_at": NOON,
        "changed_id": 33,
        "changed_safe": NOON - 9 * MINUTE,
        "changed_mark": NOON - 6 * MINUTE,
        "watched": 0,
        "swept": 0,
        "swept_at": NOON,
        "polled_at": NOON - SECOND,
        "is_over": True,
        "now": NOON + MINUTE,
    }
    return Position(**defaults | columns)


class TestSweeps:
    @pytest.mark.parametrize(
        ("columns", "sweeps"),
        [
            ({}, False),
            ({"now": NOON + 10 * MINUTE}, False),
            ({"now": NOON + 10 * MINUTE + SECOND}, True),
            ({"swept": 7}, True),
            ({"swept": -1}, True),
            ({"swept_at": None}, True),
        ],
    )
    def test_continue_a_pass_and_begin_the_next_after_a_pause(self, columns, sweeps):
        assert position(**columns).is_sweep_due is sweeps


class TestParts:
    @pytest.mark.parametrize(
        ("place", "first", "after"),
        [(0, MIN_ID, -1), (7, 8, 7), (-1, 0, -1), (-9, -8, -9), (MAX_ID, MAX_ID + 1, 0)],
    )
    def test_begin_after_the_position(self, place, first, after):
        assert (polling._id_after(place), polling._position_after(place)) == (first, after)

    @pytest.mark.parametrize(
        ("sweep", "known", "part", "end"),
        [
            ([1, 4, 6], [2, 5, 7], [1, 4, 6, 2, 5], 6),
            ([1, 4, 9], [2, 5, 7], [1, 4, 2, 5, 7], 7),
            ([1, 4, 6], [2, 6], [1, 4, 6, 2, 6], 6),
            ([1], [2, 5, 7], [1, 2, 5, 7], 7),
            ([1, 9], [2, 8], [1, 9, 2, 8], 0),
            ([], [], [], 0),
            ([-3, -2, 0], [], [-3, -2, 0], -1),
        ],
    )
    def test_end_where_both_tables_were_read(self, sweep, known, part, end):
        assert polling._sweep_ids({"sweep": sweep, "known": known}, 3) == (part, end)

    @pytest.mark.parametrize(("ids", "watched"), [([], 0), ([4, 5], 0), ([4, 5, 6], 6), ([4, 5, MAX_ID], 0)])
    def test_of_open_messages_follow_each_other(self, ids, watched):
        assert polling._next_watched_id(ids, 3) == watched


def next_position(
    at: Position,
    *,
    new: Sequence[int] = (),
    late: Sequence[int] = (),
    **changes: Sequence[tuple[int, datetime]],
) -> tuple[dict[str, object], bool]:
    return polling._next_position(at, {"new": new, "late": late}, changes, 3)


SAME = {
    "front": 900,
    "safe": 100,
    "mark": 300,
    "changed_at": NOON,
    "changed_id": 33,
    "changed_safe": NOON - 9 * MINUTE,
    "changed_mark": NOON - 6 * MINUTE,
    "is_marked": False,
    "polled_at": NOON - SECOND,
}
MARKED = {
    "safe": 300,
    "mark": 400,  # the 500 newest ids are read again
    "changed_safe": NOON - 6 * MINUTE,
    "changed_mark": NOON - MINUTE,
    "is_marked": True,
}


class TestNextPosition:
    def test_moves_the_mark_once_all_transactions_before_it_have_ended(self):
        assert next_position(position()) == (SAME | MARKED, False)
        assert next_position(position(is_over=False)) == (SAME, False)

    def test_never_moves_the_mark_back(self):
        at = position(mark=700, changed_mark=NOON)
        moved = MARKED | {"safe": 700, "mark": 700, "changed_safe": NOON, "changed_mark": NOON}
        assert next_position(at) == (SAME | moved, False)

    def test_is_at_the_last_new_message_and_change(self):
        late = NOON + 30 * SECOND
        read = {"new": [901, 905], "changed": [(7, NOON + SECOND), (5, late)]}
        moved = {"front": 905, "changed_at": late, "changed_id": 5}
        assert next_position(position(is_over=False), **read) == (SAME | moved, False)
        marked = MARKED | {"mark": 405, "changed_mark": late - MINUTE}
        assert next_position(position(), **read) == (SAME | moved | marked, False)

    def test_is_not_after_the_time_of_the_database(self):
        moved, _ = next_position(position(is_over=False), changed=[(7, NOON + 2 * MINUTE)])
        assert (moved["changed_at"], moved["changed_id"]) == (NOON + MINUTE, 7)

    @pytest.mark.parametrize(
        ("ids", "changes", "moved"),
        [
            ([101, 150, 200], [], {"safe": 200}),
            ([], [(n, NOON - (9 - n) * MINUTE) for n in (1, 2, 3)], {"changed_safe": NOON - 6 * MINUTE}),
        ],
    )
    @pytest.mark.parametrize("is_over", [True, False])
    def test_continues_with_the_rest_of_the_late_ones(self, ids, changes, moved, is_over):
        at = position(is_over=is_over, changed_mark=NOON - MINUTE)
        found = polling._next_position(at, {"new": [], "late": ids}, {"late": changes}, 3)
        assert found == (SAME | {"changed_mark": NOON - MINUTE} | moved, True)

    @pytest.mark.parametrize(
        ("read", "is_behind"),
        [
            ({"new": [901, 902]}, False),
            ({"new": [901, 902, 903]}, True),
            ({"changed": [(1, NOON), (2, NOON)]}, False),
            ({"changed": [(1, NOON), (2, NOON), (3, NOON)]}, True),
        ],
    )
    def test_is_behind_if_a_reading_was_full(self, read, is_behind):
        assert next_position(position(), **read)[1] is is_behind


class TestReadIds:
    @pytest.fixture(autouse=True)
    def messages(self) -> None:
        for msg_id in range(1, 9):
            make_message(msg_id=msg_id, state="NEW")
            PolledMessage.objects.create(
                msg_id=msg_id,
                state="WAITING",
                service_name="s",
                operation_name="o",
                source_system="s",
                failed_error_code="",
                receive_timestamp=NOON,
            )

    @pytest.mark.parametrize(
        ("columns", "is_first", "expected"),
        [
            ({}, False, {"new": [7, 8], "late": [3, 4]}),
            ({"is_over": False}, False, {"new": [7, 8]}),
            ({}, True, {"new": [7, 8], "late": [3, 4], "recent": [6, 5, 4, 3, 2, 1], "open": [1, 2]}),
            (
                {"watched": 5},
                True,
                {"new": [7, 8], "late": [3, 4], "recent": [6, 5, 4, 3, 2, 1], "open": [6, 7]},
            ),
            ({"swept": 5}, False, {"new": [7, 8], "late": [3, 4], "sweep": [6, 7], "known": [6, 7]}),
            ({"swept_at": None}, False, {"new": [7, 8], "late": [3, 4], "sweep": [1, 2], "known": [1, 2]}),
        ],
    )
    def test_has_the_readings_of_the_position(self, columns, is_first, expected):
        at = position(**{"front": 6, "safe": 2, "mark": 4} | columns)
        assert dict(polling._read_ids(at, 2, is_first=is_first)) == expected


class TestReadChanges:
    @pytest.fixture(autouse=True)
    def messages(self) -> None:
        """Store messages whose last changes are minutes before and after noon; 5 and 6 at noon."""
        for msg_id, minutes in ((1, -9), (2, -8), (3, -7), (4, -6), (5, 0), (6, 0), (7, 1), (8, 2)):
            make_message(msg_id=msg_id, state="NEW", last_process_timestamp=NOON + minutes * MINUTE)
        make_message(msg_id=9, state="NEW")

    @pytest.mark.parametrize(
        ("columns", "is_first", "expected"),
        [
            ({}, False, {"changed": [6, 7], "late": [2, 3]}),
            ({"changed_id": 6}, False, {"changed": [7, 8], "late": [2, 3]}),
            ({"changed_id": 4}, False, {"changed": [5, 6], "late": [2, 3]}),
            ({"is_over": False}, False, {"changed": [6, 7]}),
            ({"changed_safe": NOON - 7 * MINUTE}, False, {"changed": [6, 7], "late": [4]}),
            ({}, True, {"changed": [6, 7], "late": [2, 3], "lately": [6, 5, 4, 3, 2, 1]}),
        ],
    )
    def test_has_the_changes_after_the_last_one_and_the_late_ones(self, columns, is_first, expected):
        at = position(**{"changed_id": 5} | columns)
        found = polling._read_changes(at, 2, is_first=is_first)
        assert {name: [msg_id for msg_id, _ in rows] for name, rows in found.items()} == expected
        assert found["changed"][0][1] == NOON + (0 if expected["changed"][0] < 7 else 1) * MINUTE


class TestMovePolling:
    def test_stores_the_position_unless_another_poll_has_moved_it(self):
        now = transaction_time()
        columns = {name: value for name, value in SAME.items() if name not in {"is_marked", "polled_at"}}
        Polling.objects.create(**columns, mark_xid=5, watched=1, swept=2, swept_at=NOON, polled_at=NOON)
        moved = {
            "front": 11,
            "safe": 12,
            "mark": 13,
            "changed_at": NOON + MINUTE,
            "changed_id": 14,
            "changed_safe": NOON + 2 * MINUTE,
            "changed_mark": NOON + 3 * MINUTE,
            "watched": 15,
            "swept": 16,
        }
        flags = {"is_marked": False, "is_swept": False}
        for polled_at in (None, NOON + SECOND):
            assert polling.statements.count("move_polling", moved | flags | {"polled_at": polled_at}) == 0
        assert polling.statements.count("move_polling", moved | flags | {"polled_at": NOON}) == 1
        found = Polling.objects.values().get()
        polled_at = found["polled_at"]
        assert now <= polled_at < now + MINUTE
        assert {name: found[name] for name in (*moved, "mark_xid", "swept_at")} == {
            **moved,
            "mark_xid": 5,
            "swept_at": NOON,
        }
        flags = {"is_marked": True, "is_swept": True}
        assert polling.statements.count("move_polling", moved | flags | {"polled_at": polled_at}) == 1
        found = Polling.objects.get()
        assert now <= found.swept_at < now + MINUTE
        assert found.mark_xid > 5
        at = polling._read_position()
        names = [name for name in Position.__dataclass_fields__ if name not in {"is_over", "now"}]
        assert {name: getattr(at, name) for name in names} == {name: getattr(found, name) for name in names}
        assert now <= at.now < now + MINUTE
        for mark_xid, is_over in ((5, True), (2**62, False)):
            Polling.objects.update(mark_xid=mark_xid)
            assert polling._read_position().is_over is is_over
