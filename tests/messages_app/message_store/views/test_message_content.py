"""The page of a stored message with values that all differ."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from messages_app.audit.models import AuditEntry
from messages_app.core.charts.bars import make_bars
from messages_app.core.pagination.paginator import Page
from messages_app.message_store.models import (
    MessageHistory,
    MessageLine,
    MessageProcess,
    MessageStore,
    TargetRecord,
)
from messages_app.message_store.retry_times import Timing, Wait
from messages_app.message_store.selectors.explanation import Explanation
from messages_app.message_store.selectors.messages import ListedMessage
from messages_app.message_store.states import badge_of
from messages_app.message_store.views.message import FORMS
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
KEY = "0193-aa"
DRY_RUN = "/message-store/messages/0193-aa/rehearsal/"
MUTED, HELD = "Muted since", "Held since"


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def message(*, store: dict[str, object] | None = None, **columns: object) -> ListedMessage:
    line = {
        "message_identifier": KEY,
        "has_store": True,
        "has_process": True,
        "message_timestamp": moment(1),
        "source_system": "crm",
        "source_entity": "customer",
        "status": 2,
        "attempts": 11,
        "abandoned": 12,
        "last_started_at": moment(2),
        "last_ended_at": moment(6),
        "muted_at": moment(7),
        "claimed_at": moment(8),
    }
    stored = {
        "message_identifier": KEY,
        "effective_timestamp": moment(9),
        "user_name": "ana",
        "refresh": True,
        "file_path": "in/customers.json",
    }
    return ListedMessage(
        line=MessageLine(**line | columns),
        store=MessageStore(**stored | (store or {})),
        process=MessageProcess(
            message_identifier=KEY, processed_timestamp=moment(10), error_message="no customer"
        ),
    )


WAITS = make_bars([("by age", 31, ""), ("at least", 32, ""), ("at most", 33, ""), ("wait", 34, "")])
EXPLANATION = Explanation(
    summary="It waits for a record.",
    next_attempt=datetime(2021, 3, 4, 12, 21, tzinfo=UTC),
    wait=Wait(age=3_600, duration=4, raw=5, floor=6, cap=14_400, seconds=7),
    timing=Timing(),
    missing=[],
    gives_up_at=moment(22),
)


def attempt(minute: int, status: int, **columns: object) -> tuple[MessageHistory, object]:
    row = MessageHistory(message_identifier=KEY, processed_timestamp=moment(minute), status=status, **columns)
    return row, badge_of(status)


def show(shown: ListedMessage | None = None, *, block: str = "store_content", **values: object) -> str:
    shown = shown or message()
    context = {
        "message": shown,
        "line": shown.line,
        "badge": badge_of(shown.status),
        "explanation": EXPLANATION,
        "missing": [("order", "7", "k-7"), ("item", "8", "k-8")],
        "waits": list(zip(WAITS, ("CANCEL", "CANCEL", "CANCEL", "WAITING"), strict=True)),
        "attempts": [
            attempt(41, 2, error_message="missing", log_text="the log"),
            attempt(42, 20, error_message=None, log_text=None),
        ],
        "is_archive": False,
        "has_archived": True,
        "strip": [("WAITING", 0.0), ("FAILED", 98.8)],
        "page": Page(rows=[], next_cursor="older", previous_cursor="newer"),
        "records": [
            TargetRecord(entity="customer", record_key="k-1", valid_from=moment(51), valid_to=moment(52)),
            TargetRecord(entity="address", record_key="k-2", valid_from=moment(53), valid_to=None),
        ],
        "are_more_records": True,
        "data_bytes": 61_000,
        "options": '{"a": 1}',
        "activity": [
            AuditEntry(
                at=moment(62),
                actor="ben",
                action="retry_now_stored",
                outcome="done",
                reason="soon",
                before_state="2",
                after_state="0",
            ),
            AuditEntry(at=moment(63), actor="cleo", action="mute_stored", outcome="refused", reason="why"),
        ],
        "may_download_file": True,
        "may_act": True,
        "perms": {"messages_app": {"view_job": True}},
    }
    return show_block("messages_app/message_store/message.html", block=block, **context | values)


class TestMessage:
    def test_shows_all_its_values(self):
        assert outline_of(show(block="store_title")) == ["customer of crm"]
        assert outline_of(show()) == [
            "0193-aa",
            "Reason and next step",
            "It waits for a record.",
            "no customer",
            "Missing records",
            (
                "[order 7](/message-store/messages/?missing_entity=order&missing_key=k-7), [item "
                "8](/message-store/messages/?missing_entity=item&missing_key=k-8)"
            ),
            "Next attempt: 2021-03-04 12:21:00 UTC",
            "2021-03 ago, or as soon as all missing records exist",
            "Gives up (26) after: 2026-11-02 12:22:00 UTC",
            "Age at last attempt: 60 min",
            "Duration of last attempt: 4 min",
            "Wait before the next attempt",
            "Wait",
            "Figure | Wait | Chart",
            "by age | 31 s | (svg viewbox=0 0 100 1) {CANCEL} (rect width=91.18 height=1)",
            "at least | 32 s | (svg viewbox=0 0 100 1) {CANCEL} (rect width=94.12 height=1)",
            "at most | 33 s | (svg viewbox=0 0 100 1) {CANCEL} (rect width=97.06 height=1)",
            "wait | 34 s | (svg viewbox=0 0 100 1) {WAITING} (rect width=100.0 height=1)",
            "Message",
            "System: crm",
            "Entity: customer",
            "Created: 2026-11-02 12:01:00 UTC",
            "Data valid from: 2026-11-02 12:09:00 UTC",
            "User: ana",
            "Refresh: yes: ends records it does not contain",
            "Attempts: 11, 12 abandoned",
            "Last attempt: 2026-11-02 12:10:00 UTC",
            f"{MUTED}: 2026-11-02 12:07:00 UTC",
            f"{HELD}: 2026-11-02 12:08:00 UTC",
            "File in the file store: in/customers.json",
            "[Download file](/message-store/messages/0193-aa/file/download/)",
            'Options: {"a": 1}',
            "(get /message-store/messages/0193-aa/data/)",
            "Data",
            "61 kB",
            "[Open the data](/message-store/messages/0193-aa/data/)",
            "Attempts",
            "[View archived attempts](?attempts=archived)",
            "(svg viewbox=0 0 100 8) (label: 2 attempts over time)",
            "{WAITING} (rect x=0.0 width=1.2 height=8)",
            "{FAILED} (rect x=98.8 width=1.2 height=8)",
            (
                "2026-11-02 12:41:00 UTC {planned} (title: Refers to missing records; retried at its next "
                "attempt.) 2 requires reprocessing missing"
            ),
            "Log of 2026-11-02 12:41:00 UTC",
            "the log",
            (
                "2026-11-02 12:42:00 UTC {failed} (title: Failed with an error without a specific code.) "
                "20 general error"
            ),
            "(label: Pages) [Newer](?cursor=newer) [Older](?cursor=older)",
            "Records written",
            "the first 2",
            "Versions of records whose source is this message",
            "Entity | Key | Valid from | Valid to",
            "customer | k-1 | 2026-11-02 12:51:00 UTC | 2026-11-02 12:52:00 UTC",
            "address | k-2 | 2026-11-02 12:53:00 UTC | now",
            f"[Dry run: preview the changes of an attempt]({DRY_RUN})",
            "Jobs with this message",
            "(get /jobs/of-store-message/0193-aa/)",
            "[Show the jobs of this message](/jobs/of-store-message/0193-aa/)",
            "Operator actions",
            "2026-11-02 13:02:00 UTC ben retry now stored from 2 to 0soon",
            "2026-11-02 13:03:00 UTC cleo mute stored refusedwhy",
        ]

    def test_leaves_out_what_there_is_not(self):
        empty = message(
            source_system=None,
            source_entity=None,
            muted_at=None,
            claimed_at=None,
            abandoned=0,
            status=10,
            store={"user_name": None, "refresh": False, "file_path": None, "effective_timestamp": None},
        )
        empty = replace(empty, process=None)
        markup = show(
            empty,
            explanation=replace(EXPLANATION, next_attempt=None),
            missing=[],
            waits=[],
            attempts=[],
            strip=[],
            records=[],
            options="",
            activity=[],
            has_archived=False,
            may_act=False,
            perms={},
            page=Page(rows=[], next_cursor=None, previous_cursor=None),
        )
        assert outline_of(show(empty, block="store_title")) == ["Message of no system"]
        assert outline_of(markup) == [
            "0193-aa",
            "Reason and next step",
            "It waits for a record.",
            "Message",
            "System: not specified",
            "Entity: not specified",
            "Created: 2026-11-02 12:01:00 UTC",
            "Data valid from: –",
            "User: –",
            "Refresh: no",
            "Attempts: 11",
            "Last attempt: –",
            "(get /message-store/messages/0193-aa/data/)",
            "Data",
            "61 kB",
            "[Open the data](/message-store/messages/0193-aa/data/)",
            "Attempts",
            "No attempt has ended yet.",
            "Operators can reprocess, retry and release messages.",
        ]

    def test_shows_an_orphan_and_a_refusal(self):
        orphan = replace(message(has_store=False), store=None)
        lines = outline_of(show(orphan, refusal="It is in progress.", records=[]))
        assert lines[:5] == [
            "0193-aa",
            "It is in progress. Nothing was changed.",
            "Reason and next step",
            "It waits for a record.",
            "no customer",
        ]
        assert "Data valid from: –" in lines
        assert lines[lines.index("Data") : lines.index("Attempts")] == [
            "Data",
            "Content not available: not in the store",
        ]
        assert not any("Dry run" in line for line in lines)
        no_process = outline_of(show(message(has_process=False)))
        assert no_process[4] == "Orphaned: no process row."

    def test_shows_archived_attempts(self):
        lines = outline_of(show(is_archive=True, are_more_records=False))
        attempts = lines.index("Archived attempts")
        assert lines[attempts : attempts + 2] == ["Archived attempts", "[View newer attempts](/)"]
        assert lines[lines.index("Records written") + 1] == "2"
        assert "View archived attempts" not in show(has_archived=False)

    def test_shows_a_next_attempt_without_its_figures(self):
        lines = outline_of(show(explanation=replace(EXPLANATION, wait=None, gives_up_at=None)))
        assert any(line.startswith("Next attempt: 2021-03-04 12:21:00 UTC") for line in lines)
        assert not any(line.startswith(("Gives up", "Age at", "Duration")) for line in lines)

    def test_offers_no_download_of_a_file_without_permission(self):
        assert "File in the file store: in/customers.json" in outline_of(show(may_download_file=False))
        assert "Download file" not in show(may_download_file=False)

    def test_offers_the_actions_that_its_status_allows(self):
        for name in FORMS:
            lines = outline_of(
                show(**{f"{name}_form": FORMS[name](auto_id=f"{name}_%s")}), within=ACTIONS[name][0]
            )
            assert lines[:3] == [
                ACTIONS[name][1],
                f"(/message-store/messages/{KEY}/{ACTIONS[name][0]}/)",
                ACTIONS[name][2],
            ]
            assert lines[-1] == ACTIONS[name][3]

    def test_offers_no_other_action(self):
        forms = {f"{name}_form": FORMS[name](auto_id=f"{name}_%s") for name in FORMS}
        for name, (_, title, _, verb) in ACTIONS.items():
            lines = outline_of(
                show(**{other: form for other, form in forms.items() if other != f"{name}_form"})
            )
            assert title not in lines
            assert verb not in lines
        assert not {title for _, title, _, _ in ACTIONS.values()} & set(outline_of(show()))

    def test_explains_what_processing_again_does(self):
        form = FORMS["reprocess"](auto_id="reprocess_%s")
        assert outline_of(show(message(status=10), reprocess_form=form), within="reprocess") == [
            "Reprocess",
            "(/message-store/messages/0193-aa/reprocess/)",
            (
                "It is already processed. The same data changes nothing, but the steps after writing run "
                "again and may store further messages."
            ),
            (
                "This message refreshes customer: it ends all records of customer that it does not "
                "contain, including records of newer messages that became valid before it."
            ),
            "Entity (to confirm the refresh)",
            "<confirm_refresh>",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Reprocess message",
        ]
        plain = message(store={"refresh": False})
        assert outline_of(show(plain, reprocess_form=form), within="reprocess") == [
            "Reprocess",
            "(/message-store/messages/0193-aa/reprocess/)",
            "Processes it again from the start. Its history is kept.",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Reprocess message",
        ]
        release = FORMS["release"](auto_id="release_%s")
        assert outline_of(show(release_form=release), within="release")[3:4] == [
            "<is_worker_dead> The worker is dead: do not wait for the timeout"
        ]


ACTIONS = {
    "retry_now": ("retry-now", "Retry now", "Makes its next attempt due immediately.", "Retry message"),
    "reprocess": (
        "reprocess",
        "Reprocess",
        "Processes it again from the start. Its history is kept.",
        "Reprocess message",
    ),
    "release": (
        "release",
        "Release",
        "Takes it from a worker that does not finish. Its attempt is recorded as abandoned, and it is queued "
        "again. If the worker is still alive, it can no longer change the message.",
        "Release message",
    ),
    "mute": (
        "mute",
        "Mute",
        "The monitor ignores it, and it is not counted as an error or as waiting. Its status does not "
        "change.",
        "Mute message",
    ),
    "unmute": ("unmute", "Unmute", "The monitor processes it again when its turn comes.", "Unmute message"),
}
