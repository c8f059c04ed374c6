"""The pages of failures with numbers and times that all differ."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from django.http import QueryDict
from django.template.loader import render_to_string

from messages_app.messages.failures.chart import draw_group
from messages_app.messages.failures.list_views import FailuresForm
from messages_app.messages.failures.listing import GroupLine, GroupList, Windows
from messages_app.messages.failures.models import TONES, ErrorCode, FailureGroup, GroupState
from messages_app.messages.failures.selectors import AffectedObject, GroupOutcome
from messages_app.messages.failures.views import DescribeForm, MarkForm
from messages_app.messages.metrics.failing import FailingNow
from messages_app.messages.models import Message
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
    return GroupLine(**{"windows": windows} | values | columns)


def show_list(*lines: GroupLine, block: str = "content", **values: object) -> list[str]:
    groups = GroupList(lines=lines, matches=len(lines), open=3, unreviewed=31, groups=40 if lines else 0)
    context = {
        "groups": groups,
        "failing": FAILING,
        "order": "most urgent first",
        "form": FailuresForm(QueryDict(), allowed=FailuresForm.filters.keys()),
        "list": "/failures/",
        "is_usual": True,
        "may_change": True,
        "polling": None,
    }
    page = "messages_app/failures/list.html"
    return outline_of(show_block(page, block=block, at="/failures/", **context | values))


class TestList:
    def test_shows_all_numbers_of_its_groups(self):
        bare = group(50, summary="", example="", failed_error_code="", owner="", state="known")
        calm = Windows(hour=1, hours_3=52, day=53, days_7=54)
        lines = [
            line(40, systems=["bank.example"]),
            line(50, group=bare, failing_now=0, error_code=None, windows=calm),
            line(4_300, is_exact=False, systems=["bank.example", "crm.example"]),
        ]
        shown = show_list(*lines)
        assert shown[:16] == [
            "(/failures/)",
            *("Search", "<text=>", "Service", "<service_name=>", "System", "<external_system=>", "Filter"),
            "* [Failing](?)",
            "[Mine](?show=mine)",
            "[Unowned](?show=unowned)",
            "[Not reviewed](?show=unreviewed)",
            "[None failing](?show=ended)",
            "[All](?show=all)",
            "3 groups, most urgent first",
            "(get /failures/)",
        ]
        assert shown[16:] == [
            "Failure groups, most urgent first",
            (
                "Failure | [Failing now](?ordering=-failing_now) | State | (title: Failures in the last "
                "hour) [1 h](?ordering=-hour) | (title: Failures in the last 24 hours) "
                "[24 h](?ordering=-day) | (title: Failures in the last 7 days) [7 d]"
                "(?ordering=-days_7) | [Service](?ordering=service_name) | System | "
                "[Owner](?ordering=owner) | [Last](?ordering=-last_seen)"
            ),
            (
                "[Timed out](/failures/40/) E103 timed out after 7 s | "
                "[45](/messages/?state=FAILED&failure_group=40) | {failed} new | "
                "(title: More than in the hours before) ▲ 41 | 43 | 44 | "
                "[service-40](/services/service-40/) operation-40 | [bank.example](/systems/bank.example/) | "
                "owner-40 | 2026-11 ago"
            ),
            (
                "[No error text](/failures/50/) | 0 | {skipped} known | 1 | 53 | 54 | "
                "[service-50](/services/service-50/) operation-50 | – | – | 2026-11 ago"
            ),
            (
                "[Timed out](/failures/4300/) E103 timed out after 7 s | "
                "[about 4 300](/messages/?state=FAILED&failure_group=4300) | {failed} new | "
                "(title: More than in the hours before) ▲ 4 301 | 4 303 | 4 304 | "
                "[service-4300](/services/service-4300/) operation-4300 | 2 systems | owner-4300 | "
                "2026-11 ago"
            ),
            "[Group failures from before installation](/jobs/new/?kind=group_failures)",
        ]

    def test_leads_to_the_other_groups(self):
        many = GroupList(lines=[line(40)], matches=61, open=61, unreviewed=0, groups=70)
        shown = show_list(groups=many, more="?page_size=200", may_change=False)
        assert shown[-1] == "[Show more of the 61 groups](?page_size=200)"

    def test_says_that_numbers_are_estimates(self):
        many = replace(FAILING, is_by_group=False)
        assert (
            "The numbers of groups are estimates while more than 20 000 messages are failing."
            in show_list(line(40), failing=many)
        )

    def test_says_what_is_failing_now(self):
        assert show_list(block="heading") == [
            "Failures",
            (
                "[1 201 messages](/messages/?state=FAILED) failing now, 1 202 of them in no group yet · "
                "[31 groups not reviewed](/failures/?show=unreviewed)"
            ),
        ]
        polled = replace(FAILING, count=0, ungrouped=0, as_of=datetime(2021, 3, 4, tzinfo=UTC))
        reviewed = GroupList(lines=[], matches=0, open=0, unreviewed=0, groups=0)
        assert show_list(block="heading", groups=reviewed, failing=polled) == [
            "Failures",
            "No message is failing now · as of the last poll, 2021-03 ago",
        ]

    def test_says_that_the_list_is_empty(self):
        assert show_list()[-3:] == [
            "Nothing failed in the last 7 days",
            "Messages that fail permanently appear here within seconds, grouped by cause.",
            "[Group failures from before installation](/jobs/new/?kind=group_failures)",
        ]
        assert (
            show_list(may_change=False)[-1]
            == "Messages that fail permanently appear here within seconds, grouped by cause."
        )
        assert show_list(is_usual=False)[-2:] == [
            "No failure groups found",
            "[Show failing groups](/failures/)",
        ]
        repaired = GroupList(lines=[], matches=0, open=0, unreviewed=0, groups=7)
        assert show_list(groups=repaired)[-3:] == [
            "No message of a group is failing",
            "7 groups failed in the last 7 days.",
            "[Show all groups](/failures/?show=all)",
        ]


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
            "[81](/messages/81/) | {FAILED} FAILED | i-1 | WEB | 2026-11 ago",
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
