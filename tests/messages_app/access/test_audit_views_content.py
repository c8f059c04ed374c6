"""The page of the audit log with values that all differ."""

from datetime import UTC, datetime, timedelta

from messages_app.access.audit_views import Line
from messages_app.audit.folding import Fold, Step
from messages_app.audit.models import AuditEntry
from messages_app.audit.subjects import subjects_of
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)

HEAD = [
    "Filter",
    "Filter",
    (
        "(title: Every entry, at most 9) [CSV](/audit/export/?format=csv&) · (title: Every entry, at most 9) "
        "[JSON lines](/audit/export/?format=jsonl&)"
    ),
    "Audit entries, newest first",
    "When | User | Action | Object | Outcome | Reason",
]


def entry(number: int, **columns: object) -> AuditEntry:
    values = {
        "entry_id": number,
        "at": NOON + timedelta(minutes=number),
        "actor": f"user-{number}",
        "action": "restart_message",
        "outcome": "done",
        "reason": f"reason {number}",
        "details": {},
    }
    return AuditEntry(**values | columns)


def show(*entries: AuditEntry, folds: dict[str, Fold] | None = None) -> list[str]:
    folds = folds or {}
    lines = [
        Line(entry=each, subjects=list(subjects_of(each)), fold=folds.get(each.actor)) for each in entries
    ]
    return outline_of(show_block("messages_app/audit/list.html", lines=lines, newer="?n", older="?o", most=9))


class TestAuditList:
    def test_shows_all_values_of_its_entries(self):
        full = entry(
            11,
            token_name="loader",
            address="192.0.2.7",
            msg_id=21,
            job_id=22,
            before_state="FAILED",
            after_state="PARTLY_FAILED",
        )
        refused = entry(
            12, outcome="refused", details={"table": "message", "name": "row 31", "refusal": "not allowed"}
        )
        cut = entry(13, after_state="OK", subject_kind="store_message", subject="0193-" + "a" * 30)
        assert show(full, refused, cut) == [
            *HEAD,
            (
                "[@2026-11-02T12:11:00Z](/audit/11/) | [user-11](?actor=user-11) token loader | Restart "
                "message FAILED → PARTLY_FAILED | "
                "[Message 21](/messages/21/), [Job 22](/jobs/22/) | done | reason 11"
            ),
            (
                "[@2026-11-02T12:12:00Z](/audit/12/) | [user-12](?actor=user-12) | Restart message | row 31 "
                "message | {refused} refused | reason 12 not allowed"
            ),
            (
                "[@2026-11-02T12:13:00Z](/audit/13/) | [user-13](?actor=user-13) | Restart message → OK | "
                "[Store message "
                "0193-aaaaaaaaaaaaaaa…](/message-store/messages/0193-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/) "
                "| done | reason 13"
            ),
            "(label: Pages) [Newer](?n) [Older](?o)",
        ]

    def test_shows_the_steps_of_a_fold(self):
        steps = (
            Step(action="create_job", outcome="done", entries=1),
            Step(action="restart", outcome="refused", entries=1200),
        )
        line = entry(14, job_id=22)
        assert show(line, folds={line.actor: Fold(first_at=NOON, steps=steps)}) == [
            *HEAD,
            (
                "[@2026-11-02T12:14:00Z](/audit/14/) | [user-14](?actor=user-14) | Restart message 1 201+ "
                "entries, 1 200 refused Create job Restart, refused × 1 200 [Show all entries](?job_id=22) "
                "| [Job 22](/jobs/22/) | done | reason 14"
            ),
            "(label: Pages) [Newer](?n) [Older](?o)",
        ]
