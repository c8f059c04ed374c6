"""The page of the audit log with values that all differ."""

from datetime import UTC, datetime, timedelta

from messages_app.audit.models import AuditEntry
from messages_app.audit.views import subjects_of
from messages_app.core.pagination.paginator import Page
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def entry(number: int, **columns: object) -> AuditEntry:
    values = {
        "at": NOON + timedelta(minutes=number),
        "actor": f"user-{number}",
        "action": "restart_message",
        "outcome": "done",
        "reason": f"reason {number}",
        "details": {},
    }
    return AuditEntry(**values | columns)


def show(*entries: AuditEntry) -> list[str]:
    page = Page(rows=entries, next_cursor="n1", previous_cursor="p1")
    lines = [(each, list(subjects_of(each))) for each in entries]
    return outline_of(show_block("messages_app/audit/list.html", page=page, lines=lines))


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
            "Audit entries, newest first, 50 per page",
            "When | User | Action | Object | Outcome | State | Reason",
            (
                "2026-11-02 12:11:00 UTC | user-11 token loader 192.0.2.7 | Restart message | [Message "
                "21](/messages/21/)[Job 22](/jobs/22/) | {done} done | FAILED → PARTLY_FAILED | reason 11"
            ),
            (
                "2026-11-02 12:12:00 UTC | user-12 | Restart message | row 31 message | {refused} refused "
                "| | reason 12 not allowed"
            ),
            (
                "2026-11-02 12:13:00 UTC | user-13 | Restart message | [Store message "
                "0193-aaaaaaaaaaaaaaa…](/message-store/messages/0193-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/) | "
                "{done} done | → OK | reason 13"
            ),
            "(label: Pages) [Newer](?cursor=p1) [Older](?cursor=n1)",
        ]

    def test_says_that_the_list_is_empty(self):
        assert show() == [
            "No entries yet",
            "Every restart, cancel and job is listed here with its user and reason.",
        ]
