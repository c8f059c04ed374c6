"""The page of a group of failures with numbers and times that all differ."""

from django.template.loader import render_to_string

from messages_app.messages.failures.chart import draw_group
from messages_app.messages.failures.listing import Windows
from messages_app.messages.failures.models import FailureGroup, GroupState
from messages_app.messages.failures.selectors import AffectedObject, GroupOutcome
from messages_app.messages.failures.views import DescribeForm, MarkForm
from messages_app.messages.models import Message
from tests.messages_app.messages.failures.shown_groups import (
    FAILED,
    KNOWN,
    NEW,
    NOON,
    RESTART,
    SNOOZED,
    group,
    line,
    moment,
)
from tests.support.page_outlines import outline_of, show_block

OUTCOME = GroupOutcome(failed=61, ok=62, cancelled=63, in_progress=64, gone=65)


def show_group(shown: FailureGroup | None = None, *, block: str = "content", **values: object) -> str:
    shown = shown or group(40)
    failures = [(moment(-60 * 24), 3), (moment(-60 * 24 + 1), 1), (moment(-60), 8)]
    described = {"failing_now": 71, "systems": ["bank.example"], "error_code": KNOWN}
    names = ("failing_now", "is_exact", "systems", "error_code", "windows")
    described |= {name: values.pop(name) for name in names if name in values}
    context = {
        "group": shown,
        "line": line(40, group=shown, **described),
        "test_batch": "&canary=20",
        "is_repaired": False,
        "outcome": OUTCOME,
        "may_close": False,
        "close_form": MarkForm(initial={"saying": "fixed", "reason": "All repaired."}),
        "newest": [
            Message(
                msg_id=81, state="FAILED", object_id="i-1", source_system="WEB", receive_timestamp=moment(3)
            )
        ],
        "chart": draw_group(shown, failures, now=NOON),
        "affected": [
            AffectedObject(entity_type="invoice", object_id="i-1", messages=83, failed=84, msg_id=85),
            AffectedObject(entity_type="", object_id="i-2", messages=86, failed=87, msg_id=88),
        ],
        "incidents": [91, 92],
        "checked_messages": 1_000,
        "may_change": False,
        "may_restart": True,
        "may_view_jobs": True,
        "mark_form": MarkForm(auto_id="mark_%s"),
        "describe_form": DescribeForm(initial={"owner": "ana", "ticket": "T-1", "note": "see"}),
    }
    return show_block("messages_app/failures/group.html", block=block, **context | values)


ANALYSIS = "/jobs/analyses/of-failure-group/40/"


def group_lines(shown: FailureGroup | None = None, **values: object) -> list[str]:
    return outline_of(show_group(shown, **values))


class TestGroup:
    def test_shows_all_its_numbers(self):
        assert group_lines(block="heading") == [
            "Timed out",
            "E103 in [service-40](/services/service-40/)",
            "{failed} new",
        ]
        assert group_lines(group(40, snoozed_until=moment(99), state="snoozed")) == [
            "(get /failures/40/) {skipped}",
            "71 messages failing now 1 040 failures since the first, last 2026-11 ago",
            "The target is slow. Wait",
            "E103: timed out after 7 s",
            f"[Restart 71 failed messages…]({RESTART}) [View failed messages]({FAILED})",
            "Failures over time",
            "* [24 h](?since=day)",
            "[7 d](?since=week)",
            "{skipped}",
            "(title: Highest bar) 9",
            (
                "(svg viewbox=0 0 60 60 width=144) (label: 9 failures from 2026-11-02 11:20:00 UTC to "
                "2026-11-02 11:50:00 UTC, at most 9 in 5 min; the table below has the numbers)"
            ),
            "(rect x=0 y=0.0 width=8.5 height=60.0) 2026-11-02 11:20 UTC: 9",
            (
                "(svg width=144) (line x1=33.33% x2=33.33% y1=0 y2=4) 11:30 (line x1=83.33% x2=83.33% y1=0 "
                "y2=4) 11:45"
            ),
            "As a table",
            "Failures over time",
            "From | Failures",
            "2026-11-02 11:20 UTC | 9",
            "Newest messages",
            "[View all messages](/messages/?failure_group=40)",
            "Newest messages of the group, newest first",
            "Message | State | Object | Source | Received",
            "[81](/messages/81/) | {FAILED} FAILED | i-1 | WEB | @2026-11-02T12:03:00Z",
            "Affected objects",
            "of the newest 1 000 messages",
            "Objects of FAILED messages, most affected first",
            "Object | Failed messages | Entity type | Newest message",
            (
                "[i-1](/messages/?object_id=i-1&entity_type=invoice&state=FAILED&failure_group=40) | "
                "84 | invoice | [85](/messages/85/)"
            ),
            "[i-2](/messages/?object_id=i-2&state=FAILED&failure_group=40) | 87 | – | [88](/messages/88/)",
            "What they have in common",
            f"(get {ANALYSIS})",
            f"[Compare its messages with processed ones]({ANALYSIS})",
            "First: 2026-11-02 11:20:00 UTC",
            "Last: 2026-11-02 12:40:00",
            "Operation: operation-40",
            "System: [bank.example](/systems/bank.example/)",
            "Incidents: [91](/incidents/91/), [92](/incidents/92/)",
            f"{SNOOZED}: 2026-11-02 12:41:00, until 2026-11-02 13:39:00",
            "Owner: owner-40",
            "Ticket: T-40",
            "Note: note 40",
        ]

    def test_is_red_only_if_it_is_urgent(self):
        calm = Windows(hour=1, hours_3=9, day=9, days_7=9)
        first = {
            state: group_lines(group(40, state=state, owner=""), windows=calm)[0] for state in GroupState
        }
        assert [state for state, text in first.items() if "{failed}" in text] == ["new", "regressed"]
        assert "{failed}" not in group_lines(group(40, owner="ana"), windows=calm)[0]

    def test_shows_that_it_is_repaired(self):
        done = GroupOutcome(ok=62, gone=65)
        values = {"is_repaired": True, "outcome": done, "failing_now": 0, "may_restart": False}
        repaired = group_lines(may_close=True, may_change=True, **values)
        assert repaired[:9] == [
            "(get /failures/40/) {skipped}",
            "Repaired: no failed messages left 0 failing now",
            (
                "None of the 127 messages in this group are FAILED or in progress: 62 OK, 65 archived or "
                "removed"
            ),
            "E103: timed out after 7 s",
            "(get /jobs/of-failure-group/40/)",
            "[Show the jobs that restarted them](/jobs/of-failure-group/40/)",
            "(/failures/40/mark/)",
            "(title: Marks the group as fixed. It reopens if one of its messages fails.) Close group",
            "Failures over time",
        ]
        assert group_lines(block="heading", may_close=True)[-1] == "{done} repaired"
        assert "Close group" not in str(group_lines(may_close=True, **values))
        assert "Close group" not in str(group_lines(may_change=True, **values))
        assert "View failed messages" not in str(repaired)
        assert "Show the jobs" not in str(group_lines(may_view_jobs=False, **values))

    def test_shows_that_it_is_in_progress(self):
        moving = GroupOutcome(in_progress=64)
        values = {"outcome": moving, "failing_now": 0, "may_restart": False}
        assert group_lines(**values)[1:7] == [
            "In progress: no messages are FAILED 0 failing now",
            "64 messages: 64 in progress",
            "The target is slow. Wait",
            "E103: timed out after 7 s",
            "(get /jobs/of-failure-group/40/)",
            "[Show the jobs that restarted them](/jobs/of-failure-group/40/)",
        ]
        assert "In progress" not in str(group_lines(outcome=moving))
        assert "In progress" not in str(group_lines(**values, checked_messages=64))
        assert "In progress" not in str(group_lines(outcome=GroupOutcome(), failing_now=0))
        assert "Show the jobs" not in str(group_lines(**values, may_view_jobs=False))
        assert "every 5s" in show_group(**values)
        assert "every 5s" not in show_group(outcome=GroupOutcome(ok=1))

    def test_shows_estimates_and_one_message(self):
        estimated = group_lines(is_exact=False, failing_now=4_321)
        assert any(words.startswith("about 4 300 messages failing now") for words in estimated)
        assert any("Restart all failed messages…](" in words for words in estimated)
        assert any("Restart 1 failed message…](" in words for words in group_lines(failing_now=1))
        assert not any("Restart" in words for words in group_lines(may_restart=False))

    def test_shows_that_nothing_is_left(self):
        bare = group(40, summary="", example="", failed_error_code="", owner="", ticket="", note="")
        gone = {"chart": None, "newest": [], "affected": [], "incidents": [], "systems": []}
        lines = group_lines(bare, **gone, error_code=None, refusal="It is fixed.")
        assert group_lines(bare, block="heading")[:2] == [
            "No error text",
            "in [service-40](/services/service-40/)",
        ]
        assert lines[0] == "It is fixed. Nothing was changed."
        assert lines[lines.index("Failures over time") :] == [
            "Failures over time",
            "No counts by time are stored.",
            "Newest messages",
            "Its messages are no longer stored.",
            "What they have in common",
            f"(get {ANALYSIS})",
            f"[Compare its messages with processed ones]({ANALYSIS})",
            "First: 2026-11-02 11:20:00 UTC",
            "Last: 2026-11-02 12:40:00",
            "Operation: operation-40",
            f"{NEW}: 2026-11-02 12:41:00",
            "Owner: –",
            "Ticket: –",
            "Note: –",
        ]
        assert "No error text." in lines

    def test_can_be_marked_and_described(self):
        lines = group_lines(may_change=True)
        assert lines[lines.index("Owner and notes") :] == [
            "Owner and notes",
            "(/failures/40/describe/)",
            *("Owner", "<owner=ana>", "Ticket", "<ticket=T-1>", "Note", "<note> see", "Save notes"),
            "Status",
            "(/failures/40/mark/)",
            "Status",
            "<saying>",
            "<known> Known",
            "<fixed> Fixed (reopen if it returns)",
            "<snooze-1> Snooze for 1 hour",
            "<snooze-8> Snooze for 8 hours",
            "<snooze-24> Snooze for 1 day",
            "<snooze-168> Snooze for 1 week",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Save status",
        ]
        mark = MarkForm({"saying": "odd", "reason": ""})
        notes = DescribeForm({"owner": "o" * 200})
        wrong = group_lines(may_change=True, mark_form=mark, describe_form=notes)
        assert [words for words in wrong if words.startswith(("Select", "Enter", "Ensure"))] == [
            "Ensure this value has at most 150 characters (it has 200).",
            "Select a valid choice. odd is not one of the available choices.",
            "Enter a reason. It is recorded in the audit log.",
        ]


class TestOutcome:
    def test_separates_what_it_names(self):
        template = "messages_app/failures/_outcome.html"

        def words(**counts: int) -> list[str]:
            return outline_of(render_to_string(template, {"outcome": GroupOutcome(**counts)}))

        assert words(cancelled=2, failed=3) == ["2 cancelled, 3 failed"]
        assert words(failed=3, in_progress=4) == ["3 failed, 4 in progress"]
        assert words(ok=1, in_progress=4) == ["1 OK, 4 in progress"]
        assert words(cancelled=2, in_progress=4) == ["2 cancelled, 4 in progress"]
        assert words(ok=1, failed=3) == ["1 OK, 3 failed"]
        assert words(in_progress=4) == ["4 in progress"]
        assert words(failed=3) == ["3 failed"]
        assert words(cancelled=2) == ["2 cancelled"]
        assert words(gone=5) == ["5 archived or removed"]
        assert words() == []
