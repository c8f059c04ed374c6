"""The pages of failures with numbers and times that all differ."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from django.template.loader import render_to_string

from messages_app.messages.failures.chart import draw_chart
from messages_app.messages.failures.models import TONES, ErrorCode, FailureGroup
from messages_app.messages.failures.selectors import AffectedObject, GroupLine, GroupOutcome, Windows
from messages_app.messages.failures.views import DescribeForm, MarkForm
from messages_app.messages.metrics.failing import FailingNow
from tests.support.page_outlines import outline_of, show_block

RESTART = "/jobs/new/?kind=restart&state=FAILED&failure_group=40&canary=20"
FAILED = "/messages/?state=FAILED&failure_group=40"
SNOOZED, NEW = "Snoozed since", "New since"
NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
KNOWN = ErrorCode(code="E103", description="The target is slow", action="Wait")
FAILING = FailingNow(count=1_201, as_of=None, groups={}, kinds={}, ungrouped=1_202, is_by_group=True)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def group(group_id: int, **columns: object) -> FailureGroup:
    values = {
        "service_name": f"service-{group_id}",
        "operation_name": f"operation-{group_id}",
        "failed_error_code": "E103",
        "summary": "timed out",
        "example": "E103: timed out after 7 s",
        "failures": group_id + 1_000,
        "first_seen": moment(-group_id),
        "last_seen": moment(group_id),
        "state": "new",
        "state_at": moment(group_id + 1),
        "owner": f"owner-{group_id}",
        "ticket": f"T-{group_id}",
        "note": f"note {group_id}",
    }
    return FailureGroup(group_id=group_id, **values | columns)


def line(number: int, **columns: object) -> GroupLine:
    windows = Windows(hour=number + 1, hours_3=number + 2, day=number + 3, days_7=number + 4)
    values = {"group": group(number), "failing_now": number + 5, "is_exact": True, "error_code": KNOWN}
    return GroupLine(windows=windows, **values | columns)


def show_list(*lines: GroupLine, block: str = "content", **values: object) -> list[str]:
    context = {"failing": FAILING, "pressing": 31, "tones": TONES, "may_change": True, "polling": None}
    page = "messages_app/failures/list.html"
    return outline_of(show_block(page, block=block, lines=lines, shown=lines, **context | values))


class TestList:
    def test_shows_all_numbers_of_its_groups(self):
        bare = group(50, summary="", failed_error_code="", owner="", state="known")
        lines = [line(40), line(50, group=bare, failing_now=0, error_code=None), line(4_300, is_exact=False)]
        assert show_list(*lines, block="heading") == ["Failures", "31 not reviewed"]
        assert show_list(*lines) == [
            "(get /failures/)",
            "[1 201 messages](/messages/?state=FAILED) failing now, 1 202 of them in no group yet.",
            "Failure groups, most urgent first",
            (
                "Error | Failing now | State | Service | Failed in 1 h | Failed in 3 h | Failed in 24 h | "
                "Failed in 7 d | Last"
            ),
            (
                "[Timed out](/failures/40/) E103 The target is slow | 45 | {failed} new owner-40 | "
                "[service-40](/services/service-40/) operation-40 | 41 | 42 | 43 | 44 | "
                "2026-11-02 12:40:00 @2026-11-02T12:40:00Z"
            ),
            (
                "[No error text](/failures/50/) | 0 | {planned} known | "
                "[service-50](/services/service-50/) operation-50 | 51 | 52 "
                "| 53 | 54 | 2026-11-02 12:50:00 @2026-11-02T12:50:00Z"
            ),
            (
                "[Timed out](/failures/4300/) E103 The target is slow | about 4 300 | {failed} new "
                "owner-4300 | [service-4300](/services/service-4300/) operation-4300 | "
                "4 301 | 4 302 | 4 303 | 4 304 | 2026-11-05 "
                "11:40:00 @2026-11-05T11:40:00Z"
            ),
            (
                "New failures are grouped automatically. [Group failures from before "
                "installation](/jobs/new/?kind=group_failures)"
            ),
        ]

    def test_says_what_is_failing_now(self):
        assert (
            show_list(block="heading", pressing=0)[1]
            == "Failing messages and failures of the last 7 days, grouped by cause"
        )
        none = replace(
            FAILING, count=0, ungrouped=0, is_by_group=False, as_of=datetime(2021, 3, 4, tzinfo=UTC)
        )
        assert show_list(failing=none)[1] == (
            "No message is failing now. As of the last poll, 2021-03 ago. The numbers of groups are "
            "estimates while more than 20 000 messages are failing."
        )
        one = replace(FAILING, count=1, ungrouped=0)
        assert show_list(failing=one)[1] == "[1 message](/messages/?state=FAILED) failing now."

    def test_says_that_the_list_is_empty(self):
        assert show_list()[2:] == [
            "Nothing failed in the last 7 days",
            "Messages that fail permanently appear here within seconds, grouped by cause.",
            "[Group failures from before installation](/jobs/new/?kind=group_failures)",
        ]
        assert (
            show_list(may_change=False)[-1]
            == "Messages that fail permanently appear here within seconds, grouped by cause."
        )
        assert show_list(line(40), may_change=False)[-1] == "New failures are grouped automatically."


OUTCOME = GroupOutcome(failed=61, ok=62, cancelled=63, in_progress=64, gone=65)
MINUTES = [(moment(-60 * 24), 3), (moment(-60 * 24 + 1), 1), (moment(-60), 8)]


def show_group(shown: FailureGroup | None = None, *, block: str = "content", **values: object) -> str:
    context = {
        "group": shown or group(40),
        "failing_count": 71,
        "is_exact": True,
        "test_batch": "&canary=20",
        "is_repaired": False,
        "outcome": OUTCOME,
        "tones": TONES,
        "may_close": False,
        "close_form": MarkForm(initial={"saying": "fixed", "reason": "All repaired."}),
        "known": KNOWN,
        "msg_ids": [81, 82],
        "chart": draw_chart(MINUTES, now=NOON),
        "affected": [
            AffectedObject(entity_type="invoice", object_id="i-1", messages=83, failed=84, msg_id=85),
            AffectedObject(entity_type="", object_id="i-2", messages=86, failed=87, msg_id=88),
        ],
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
            "(get /failures/40/)",
            "Summary",
            "E103: timed out after 7 s",
            "The target is slow. Wait",
            "Failing now: 71",
            "Failures since the first: 1 040",
            "First: 2026-11-02 11:20:00 UTC",
            "Last: 2026-11-02 12:40:00 UTC",
            "Operation: operation-40",
            f"{SNOOZED}: 2026-11-02 12:41:00 UTC, until 2026-11-02 13:39:00 UTC",
            (
                f"[Restart 71 failed messages…]({RESTART}) [View failed messages]({FAILED}) [View all "
                "messages](/messages/?failure_group=40)"
            ),
            "What they have in common",
            f"(get {ANALYSIS})",
            f"[Compare its messages with processed ones]({ANALYSIS})",
            "Last 7 days",
            "(svg viewbox=0 0 840 60) (label: 12 failures in the last 7 days, peak 8 per 2 h)",
            "(rect x=720 y=30.0 width=8.5 height=30.0) 2026-11-01 12:00 UTC: 4",
            "(rect x=830 y=0.0 width=8.5 height=60.0) 2026-11-02 10:00 UTC: 8",
            "2026-10-26 12:00:00 until now · peak 8 per 2 h",
            "As a table",
            "Failures of this group per 2 h",
            "From | Failures",
            "2026-11-01 12:00 UTC | 4",
            "2026-11-02 10:00 UTC | 8",
            "Newest messages",
            "[81](/messages/81/)",
            "[82](/messages/82/)",
            "Affected objects",
            "of the newest 1 000 messages of the group",
            "Objects of the messages that are FAILED now, most affected first",
            "Object | Entity type | Failed messages | Newest message",
            (
                "[i-1](/messages/?object_id=i-1&entity_type=invoice&state=FAILED&failure_group=40) | "
                "invoice | 84 | [85](/messages/85/)"
            ),
            "[i-2](/messages/?object_id=i-2&state=FAILED&failure_group=40) | – | 87 | [88](/messages/88/)",
            "Owner: owner-40",
            "Ticket: T-40",
            "Note: note 40",
        ]

    def test_shows_that_it_is_repaired(self):
        done = GroupOutcome(ok=62, gone=65)
        values = {"is_repaired": True, "outcome": done, "failing_count": 0, "may_restart": False}
        repaired = group_lines(may_close=True, may_change=True, **values)
        assert repaired[1:10] == [
            "Repaired: no failed messages left",
            (
                "None of the 127 messages in this group are FAILED or in progress: 62 OK, 65 archived or "
                "removed"
            ),
            "(get /jobs/of-failure-group/40/)",
            "[Show the jobs that repaired it](/jobs/of-failure-group/40/)",
            "(/failures/40/mark/)",
            "Close group",
            "Marks the group as fixed. It reopens if one of its messages fails.",
            "Summary",
            "E103: timed out after 7 s",
        ]
        assert group_lines(block="heading", may_close=True)[-1] == "{done} repaired"
        assert "Close group" not in group_lines(may_close=True, **values)
        assert "Close group" not in group_lines(may_change=True, **values)
        assert "View failed messages" not in str(repaired)
        assert "Show the jobs that repaired it" not in str(group_lines(may_view_jobs=False, **values))

    def test_shows_that_it_is_in_progress(self):
        moving = GroupOutcome(in_progress=64)
        values = {"outcome": moving, "failing_count": 0}
        assert group_lines(**values)[1:6] == [
            "In progress: no messages are FAILED",
            "64 messages: 64 in progress",
            "(get /jobs/of-failure-group/40/)",
            "[Show the jobs that restarted them](/jobs/of-failure-group/40/)",
            "Summary",
        ]
        assert "In progress: no messages are FAILED" not in group_lines(outcome=moving)
        assert "In progress: no messages are FAILED" not in group_lines(**values, checked_messages=64)
        assert "In progress: no messages are FAILED" not in group_lines(
            outcome=GroupOutcome(), failing_count=0
        )
        assert "Show the jobs" not in str(group_lines(**values, may_view_jobs=False))
        assert "every 5s" in show_group(**values)
        assert "every 5s" not in show_group(outcome=GroupOutcome(ok=1))

    def test_shows_estimates_and_one_message(self):
        estimated = group_lines(is_exact=False, failing_count=4_321)
        assert "Failing now: about 4 300" in estimated
        assert any("Restart all failed messages…](" in words for words in estimated)
        assert any("Restart 1 failed message…](" in words for words in group_lines(failing_count=1))
        assert not any("Restart" in words for words in group_lines(may_restart=False))

    def test_shows_that_nothing_is_left(self):
        bare = group(40, summary="", example="", failed_error_code="", owner="", ticket="", note="")
        lines = group_lines(
            bare, chart=draw_chart([], now=NOON), msg_ids=[], affected=[], known=None, refusal="It is fixed."
        )
        assert group_lines(bare, block="heading")[:2] == [
            "No error text",
            "in [service-40](/services/service-40/)",
        ]
        assert lines[0] == "It is fixed. Nothing was changed."
        assert lines[lines.index("Last 7 days") :] == [
            "Last 7 days",
            "No failures in the last 7 days.",
            "Newest messages",
            "Its messages are no longer stored.",
            "Owner: –",
            "Ticket: –",
            "Note: –",
        ]
        assert "No error text." in lines
        assert f"{NEW}: 2026-11-02 12:41:00 UTC" in lines

    def test_can_be_marked_and_described(self):
        lines = group_lines(may_change=True)
        assert lines[lines.index("Set status") :] == [
            "Set status",
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
            "Notes for the team",
            "(/failures/40/describe/)",
            "Owner",
            "<owner=ana>",
            "Ticket",
            "<ticket=T-1>",
            "Note",
            "<note> see",
            "Save notes",
        ]
        mark = MarkForm({"saying": "odd", "reason": ""})
        notes = DescribeForm({"owner": "o" * 200})
        wrong = group_lines(may_change=True, mark_form=mark, describe_form=notes)
        assert [words for words in wrong if words.startswith(("Select", "Enter", "Ensure"))] == [
            "Select a valid choice. odd is not one of the available choices.",
            "Enter a reason. It is recorded in the audit log.",
            "Ensure this value has at most 150 characters (it has 200).",
        ]


class TestState:
    def test_says_that_none_is_failing_only_of_groups_that_someone_has_to_review(self):
        template = "messages_app/failures/_state.html"

        def words(state: str, *, is_settled: bool) -> list[str]:
            context = {"group": group(1, state=state), "is_settled": is_settled, "tones": TONES}
            return outline_of(render_to_string(template, context))

        assert words("new", is_settled=True) == ["{skipped} new, none failing"]
        assert words("new", is_settled=False) == ["{failed} new"]
        assert words("regressed", is_settled=False) == ["{failed} regressed"]
        assert words("known", is_settled=True) == ["{planned} known"]
        assert words("snoozed", is_settled=False) == ["{paused} snoozed"]
        assert words("fixed", is_settled=True) == ["{done} fixed"]


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
