"""The overview, the errors and the missing records of the store, with numbers that all differ."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from messages_app.core.charts.bars import make_bars, make_shares
from messages_app.message_store.selectors import Monitor
from messages_app.message_store.selectors.failures import MissingEntity, MissingRecord
from messages_app.message_store.selectors.summary import Ages
from messages_app.message_store.states import badge_of
from messages_app.message_store.views.dashboard import Figure, Line
from messages_app.shared.failure_texts import Group
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


AGES = Ages(
    oldest_waiting=moment(1),
    oldest_due=moment(2),
    due=11,
    queued=12,
    oldest_queued=moment(3),
    processing=13,
    oldest_processing=moment(4),
    first_succeeded=14,
    first_ended=15,
    near_timeout=16,
    muted=17,
)
MONITOR = Monitor(
    last_scan_at=datetime(2021, 3, 4, 12, 5, tzinfo=UTC),
    interval=30.0,
    queue=90,
    threads=8,
    process_timeout=600.0,
    attempts_timed_out=21,
    places_timed_out=22,
    last_timeout_hour=moment(6),
)


def line(system: str, entity: str, done: int, error: int) -> Line:
    return Line(
        system=system,
        entity=entity,
        total=done + error,
        shares=make_shares([("done", done), ("failed", error)], whole=done + error),
        figures=[
            Figure(text="processed", tone="done", count=done, address=f"/list/?done={done}"),
            Figure(text="errors", tone="failed", count=error, address=""),
        ],
    )


def group(number: int, **columns: object) -> Group:
    values = {
        "key": (20, f"entity-{number}"),
        "summary": f"Cause {number}",
        "example": f"cause {number} of 7",
        "last_at": moment(number),
        "first_at": moment(-number),
        "count": number * 10,
        "ids": [f"0193-{number}", "0193-other"],
    }
    return Group(**values | columns)


def show_dashboard(*, block: str = "store_content", **values: object) -> list[str]:
    statuses = make_bars([("10", 31, "/list/?status=10"), ("20", 32, "/list/?status=20")])
    context = {
        "total": 1_234,
        "whole": line("", "", 41, 42),
        "statuses": [(badge_of(int(bar.label)), bar) for bar in statuses],
        "lines": [line("crm", "customer", 43, 44), line("", "", 45, 46)],
        "more_lines": 47,
        "ages": AGES,
        "first_share": 93,
        "groups": [(group(51), badge_of(20)), (group(52, example=""), badge_of(21))],
        "missing": [
            MissingEntity(entity="order", references=53, given_up=54, sample=["k1", "k2"]),
            MissingEntity(entity="item", references=99, given_up=0, sample=[]),
        ],
        "given_up": 55,
        "monitor": MONITOR,
        "most": 98,
    }
    return outline_of(
        show_block("messages_app/message_store/dashboard.html", block=block, **context | values)
    )


class TestDashboard:
    def test_shows_all_its_numbers(self):
        assert show_dashboard(block="store_words") == ["1 234 messages, kept forever"]
        assert show_dashboard() == [
            (
                "[55 messages](/message-store/messages/?status=26) gave up waiting for missing records. "
                "[View missing records](/message-store/missing/). Once the records exist, you can "
                "reprocess these messages."
            ),
            "Progress",
            "(svg viewbox=0 0 100 1)",
            "{done} (rect x=0.0 width=49.4 height=1)",
            "{failed} (rect x=49.4 width=50.6 height=1)",
            "{done} [41 processed](/list/?done=41) {failed} 42 errors",
            "Messages by status",
            "Status | Messages | Chart",
            (
                "[{done} (title: Its records have been written.) 10 processed](/list/?status=10) | 31 | "
                "(svg viewbox=0 0 100 1) {done} (rect width=96.88 height=1)"
            ),
            (
                "[{failed} (title: Failed with an error without a specific code.) 20 general "
                "error](/list/?status=20) | 32 | (svg viewbox=0 0 100 1) {failed} (rect width=100.0 "
                "height=1)"
            ),
            "Pending",
            (
                "Oldest not processed: "
                "[@2026-11-02T12:01:00Z](/message-store/messages/?status=0&ordering=message_timestamp)"
            ),
            "Overdue: [11](/message-store/messages/?status=2&next_attempt_timestamp_to=-0s)",
            "longest @2026-11-02T12:02:00Z",
            "Queued: [12](/message-store/messages/?status=3)",
            "oldest @2026-11-02T12:03:00Z",
            "Processing: [13](/message-store/messages/?status=1)",
            "oldest @2026-11-02T12:04:00Z",
            "Give up within a week: 16",
            "Muted (not counted above): [17](/message-store/messages/?muted=true)",
            "Succeeded at first attempt: 93 %",
            "(svg viewbox=0 0 100 1)",
            "{OK} (rect width=93 height=1)",
            "of the latest 15 processed",
            "By system and entity",
            "Messages by system and entity, those with errors first",
            "System | Entity | Messages | Progress",
            (
                "crm | customer | 87 | (svg viewbox=0 0 100 1) {done} (rect x=0.0 width=49.43 height=1) "
                "{failed} (rect x=49.43 width=50.57 height=1) {done} [43 processed](/list/?done=43) "
                "{failed} 44 errors"
            ),
            (
                "not specified | not specified | 91 | (svg viewbox=0 0 100 1) {done} (rect x=0.0 "
                "width=49.45 height=1) {failed} (rect x=49.45 width=50.55 height=1) {done} [45 "
                "processed](/list/?done=45) {failed} 46 errors"
            ),
            "47 more with fewer errors are not shown.",
            "Most frequent errors",
            "[View all groups](/message-store/errors/)",
            (
                "510 {failed} (title: Failed with an error without a specific code.) 20 general error "
                "cause 51 of 7"
            ),
            (
                "520 {failed} (title: The store has no message with this identifier.) 21 message not found "
                "no error text"
            ),
            "Missing records",
            "[View all missing records](/message-store/missing/)",
            "53 [order](/message-store/messages/?status=2,26&missing_entity=order)k1, k2",
            "> 98 [item](/message-store/messages/?status=2,26&missing_entity=item)",
        ]

    def test_shows_that_nothing_waits(self):
        nothing = replace(AGES, oldest_waiting=None, due=0, queued=0, processing=0, near_timeout=0, muted=0)
        values = {"groups": [], "missing": [], "given_up": 0, "more_lines": 0, "first_share": None}
        lines = show_dashboard(ages=nothing, monitor=replace(MONITOR, last_scan_at=None), **values)
        assert lines[0] == "Progress"
        pending = lines.index("Pending")
        assert lines[pending : lines.index("By system and entity")] == [
            "Pending",
            "the monitor has not scanned yet",
            "Oldest not processed: –",
            "Overdue: 0",
            "Queued: 0",
            "Processing: 0",
            "Give up within a week: 0",
            "Succeeded at first attempt: –",
        ]
        assert lines[-1] == (
            "not specified | not specified | 91 | (svg viewbox=0 0 100 1) {done} (rect x=0.0 width=49.45 "
            "height=1) {failed} (rect x=49.45 width=50.55 height=1) {done} [45 processed](/list/?done=45) "
            "{failed} 46 errors"
        )

    def test_shows_groups_without_missing_records_and_the_other_way_round(self):
        assert "Missing records" not in show_dashboard(missing=[])
        assert "Most frequent errors" in show_dashboard(missing=[])
        assert "Most frequent errors" not in show_dashboard(groups=[])
        assert "Missing records" in show_dashboard(groups=[])

    @pytest.mark.django_db
    def test_says_how_to_fill_an_empty_store(self):
        assert show_dashboard(whole=None) == [
            "The store is empty",
            (
                "Send messages with POST /api/v1/message-store/ or load files with the command load_messages "
                "--store."
            ),
            "[View source definitions](/message-store/definitions/)",
        ]

    def test_counts_one_as_one(self):
        assert show_dashboard(given_up=1)[0].startswith(
            "[1 message](/message-store/messages/?status=26) gave up"
        )


class TestErrors:
    def show(self, *, block: str = "store_content", **values: object) -> list[str]:
        groups = [group(61), group(62, key=(21, ""), summary="", example="")]
        drawn = make_bars([("", 5, "/list/?a"), ("", 2, "/list/?b")])
        context = {
            "lines": [(one, badge_of(one.key[0]), bar) for one, bar in zip(groups, drawn, strict=True)],
            "more": 63,
            "newest": 64,
            "grouped": 65,
        }
        return outline_of(
            show_block("messages_app/message_store/errors.html", block=block, **context | values)
        )

    def test_show_all_numbers_of_a_group(self):
        assert self.show(block="store_words") == ["The latest 65 errors, grouped by cause"]
        assert self.show() == [
            "Groups of errors, largest first",
            "Messages | Chart | Status | Entity | Error | Created | Newest message",
            (
                "[610](/list/?a) | (svg viewbox=0 0 100 1) {failed} (rect width=100.0 height=1) | {failed} "
                "(title: Failed with an error without a specific code.) 20 general error | entity-61 | "
                "Cause 61 cause 61 of 7 | @2026-11-02T13:01:00Z first @2026-11-02T10:59:00Z ago | "
                "[0193-61](/message-store/messages/0193-61/)"
            ),
            (
                "[620](/list/?b) | (svg viewbox=0 0 100 1) {failed} (rect width=40.0 height=1) | {failed} "
                "(title: The store has no message with this identifier.) 21 message not found | not "
                "specified | no error text | @2026-11-02T13:02:00Z first @2026-11-02T10:58:00Z ago | "
                "[0193-62](/message-store/messages/0193-62/)"
            ),
            "63 smaller groups are not shown.",
            "The latest 64 errors are grouped. Differences in numbers, names and ids are ignored.",
        ]

    @pytest.mark.django_db
    def test_say_that_the_list_is_empty(self):
        assert self.show(lines=[]) == ["No errors"]
        assert self.show(more=0)[-2].startswith("[620]")


def record(number: int, **columns: object) -> MissingRecord:
    values = {
        "entity": f"entity-{number}",
        "record_key": f"key-{number}",
        "messages": number,
        "waiting": number + 100,
        "given_up": number + 200,
        "has_come": True,
    }
    return MissingRecord(**values | columns)


class TestMissing:
    def show(self, **values: object) -> list[str]:
        context = {
            "records": [record(71), record(72, has_come=False), record(73, waiting=0, given_up=0)],
            "entity": None,
            "entities": [
                MissingEntity(entity="order", references=81, given_up=82, sample=[]),
                MissingEntity(entity="item", references=99, given_up=0, sample=[]),
            ],
            "is_first": True,
            "next": "?after=k",
            "given_up": 26,
            "waiting": 2,
            "may_reprocess": True,
            "most": 98,
        }
        return outline_of(
            show_block("messages_app/message_store/missing.html", block="store_content", **context | values)
        )

    def test_show_all_numbers_of_a_record(self):
        assert self.show() == [
            "* [All](/message-store/missing/)",
            "[order 81](?entity=order)",
            "[item > 98](?entity=item)",
            "Missing records, by entity and key",
            "Key | Entity | Record | Waiting | Gave up | Action",
            (
                "key-71 | entity-71 | {OK} exists | [171 "
                "waiting](/message-store/messages/?status=2&missing_entity=entity-71&missing_key=key-71) | "
                "[271 gave "
                "up](/message-store/messages/?status=26&missing_entity=entity-71&missing_key=key-71) | "
                "[Reprocess 271 "
                "messages](/jobs/new/?kind=reprocess&status=26&missing_entity=entity-71&missing_key=key-71)"
            ),
            (
                "key-72 | entity-72 | {WAITING} missing | [172 "
                "waiting](/message-store/messages/?status=2&missing_entity=entity-72&missing_key=key-72) | "
                "[272 gave "
                "up](/message-store/messages/?status=26&missing_entity=entity-72&missing_key=key-72) |"
            ),
            "key-73 | entity-73 | {OK} exists | 0 | 0 |",
            "(label: Pages) [Next page](?after=k)",
            (
                "A waiting message (2) is processed as soon as all its missing records exist. A message "
                "that gave up (26) must be reprocessed by an operator."
            ),
        ]

    def test_offer_to_reprocess_what_gave_up_for_one_entity(self):
        assert self.show(entity="order", is_first=False, next=None)[-3:] == [
            "(label: Pages) [First page](/message-store/missing/?entity=order)",
            "[Reprocess all that gave up](/jobs/new/?kind=reprocess&status=26&missing_entity=order)",
            (
                "A waiting message (2) is processed as soon as all its missing records exist. A message "
                "that gave up (26) must be reprocessed by an operator."
            ),
        ]
        assert "Reprocess all" not in str(self.show(entity="item"))
        assert "Reprocess" not in str(self.show(entity="order", may_reprocess=False))

    def test_count_one_as_one_and_say_where_counting_ended(self):
        one = self.show(records=[record(74, given_up=1)])
        assert one[5].endswith("status=26&missing_entity=entity-74&missing_key=key-74)")
        assert "Reprocess 1 message]" in one[5]
        fenced = self.show(records=[record(75, messages=10**9)])
        assert "[175+ waiting]" in fenced[5]
        assert "[275+ gave up]" in fenced[5]
        assert "[Reprocess all that gave up]" in fenced[5]

    @pytest.mark.django_db
    def test_say_that_the_list_is_empty(self):
        assert self.show(records=[], entities=[]) == [
            "No missing records",
            "All messages found the records they refer to.",
        ]
        assert self.show(records=[], entities=[], entity="order") == [
            "No missing records on this page",
            "[View all missing records](/message-store/missing/)",
        ]
        assert self.show(records=[], entities=[], is_first=False) == [
            "No missing records on this page",
            "[View all missing records](/message-store/missing/)",
        ]
