"""The page of the handover with records in which no two numbers and times are equal."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from django.template.loader import render_to_string

from messages_app.audit.selectors import ActByHand, ActsByHand
from messages_app.dashboard.handover import BY_HAND, Handover, ShiftGroup
from messages_app.incidents.listing import IncidentLine
from messages_app.incidents.models import Incident
from messages_app.jobs.models import Job
from messages_app.jobs.outcomes import CurrentStatus
from messages_app.jobs.repairs import Repair
from messages_app.jobs.selectors import JobProgress
from messages_app.messages.alerts.models import Alert, WatchRule
from messages_app.messages.failures.models import TONES, FailureGroup
from messages_app.messages.failures.selectors import GroupOutcome
from messages_app.messages.metrics.counts import InState
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def progress(job: Job, done: int, skipped: int = 0, failed: int = 0) -> JobProgress:
    return JobProgress(
        job=job,
        planned=done + skipped + failed + 400,
        done=done,
        skipped=skipped,
        failed=failed,
        outcomes=[],
        orphans={},
    )


def job(job_id: int, kind: str, *, state: str = "done", by: str = "ana", **columns: object) -> Job:
    ended = moment(job_id % 100)
    return Job(
        job_id=job_id, kind=kind, state=state, created_by=by, **{"finished_at": ended, "reason": ""} | columns
    )


def group(group_id: int, **columns: object) -> FailureGroup:
    return FailureGroup(
        **{
            "group_id": group_id,
            "service_name": f"service-{group_id}",
            "failed_error_code": "E103",
            "summary": "timed out",
            "last_seen": moment(group_id),
            "first_seen": moment(-group_id),
            "state": "new",
        }
        | columns
    )


def incident_line(incident_id: int, failing_now: int, *, note: str = "", **columns: object) -> IncidentLine:
    named = {"incident_id": incident_id, "title": f"bank-{incident_id}: Timed out"}
    incident = Incident(last_failure_at=moment(incident_id), **named, **columns)
    return IncidentLine(incident=incident, failing_now=failing_now, waiting=failing_now, note=note)


STATUS = CurrentStatus(done=166, looked_at=165, ok=61, failed=62, cancelled=63, under_way=64, gone=65)
RESTARTED = job(101, "restart", reason="the target is back")
CANCELLED = job(102, "cancel", by="ben", reason="ordered twice")
SHIFT = Handover(
    since=moment(-480),
    open_incidents=[
        incident_line(1, 201, owner="gina", note="called the bank", began_at=moment(-1500)),
        incident_line(2, 202, began_at=moment(-20)),
        incident_line(3, 0, began_at=moment(-30), failures=5),
    ],
    ended_incidents=[
        incident_line(4, 0, state="closed", began_at=moment(-90), closed_at=moment(-15), closed_by="system")
    ],
    repairs=[
        Repair(progress=progress(RESTARTED, 11, 12, 13), status=STATUS),
        Repair(progress=progress(CANCELLED, 14), status=CurrentStatus(done=14, looked_at=0)),
    ],
    by_hand=ActsByHand(
        acts=[
            ActByHand(actor="cleo", action="restart", messages=21, last=moment(51)),
            ActByHand(actor="dora", action="retry_now_stored", messages=1, last=moment(52)),
        ],
        is_whole=True,
    ),
    repaired=[
        ShiftGroup(
            group=group(31, state="regressed", owner="emil", ticket="T-7", note="see the runbook"),
            outcome=GroupOutcome(ok=32, cancelled=33, gone=34),
            jobs=[RESTARTED, CANCELLED],
        )
    ],
    open_groups=[
        ShiftGroup(
            group=group(35, failed_error_code="", state="known"),
            outcome=GroupOutcome(failed=36, ok=37, cancelled=38, in_progress=39, gone=40),
            jobs=[],
        )
    ],
    groups=[],
    running=[progress(job(103, "archive", state="running", by="fred"), 0)],
    alerts=[
        Alert(
            rule=WatchRule(rule_id=71, name="Too many"),
            opened_at=moment(53),
            closed_at=moment(55),
            value=72.5,
            worst=73.5,
        ),
        Alert(
            rule=WatchRule(rule_id=74, name="Too old"),
            opened_at=moment(54),
            value=75,
            worst=76,
            is_quiet=True,
        ),
    ],
    jobs=[progress(job(104, "restart", state="failed", error="no room"), 81, 82, 83)],
    archive_runs=[progress(job(105, "archive"), 84, 85, 86)],
    oldest=InState(state="WAITING", count=91, long=92, since=moment(56)),
)
NOTHING = Handover(
    since=moment(-480),
    open_incidents=[],
    ended_incidents=[],
    repairs=[],
    by_hand=ActsByHand(acts=[], is_whole=False),
    repaired=[],
    open_groups=[],
    groups=[],
    running=[],
    alerts=[],
    jobs=[],
    archive_runs=[],
    oldest=None,
)


def show(shift: Handover | None, **context: object) -> str:
    values = {
        "asked": "-8h",
        "fault": False,
        "last_here": None,
        "shifts": [("-8h", "Last 8 h"), ("-3d", "Last 3 d")],
        "found": shift,
        "now": NOON,
        "tones": TONES,
        "by_hand_words": BY_HAND,
    }
    return show_block("messages_app/dashboard/handover.html", **values | context)


class TestHandover:
    def test_shows_all_its_numbers(self):
        assert outline_of(show(SHIFT)) == [
            "Since",
            "<since=-8h>",
            "Show",
            "* [Last 8 h](?since=-8h)",
            "[Last 3 d](?since=-3d)",
            (
                "From 2026-11-02 04:00:00 UTC to 2026-11-02 12:00:00 UTC. [Link to this "
                "period](?since=2026-11-02T04%3A00%3A00%2B00%3A00) · "
                "[As text](/handover/text/?since=2026-11-02T04%3A00%3A00%2B00%3A00)"
            ),
            "Open incidents",
            "Incidents that are open now, most failures first",
            "Incident | Status | Failing now | Owner | Since | Last failure",
            (
                "[bank-1: Timed out](/incidents/1/) called the bank | {planned} taken | 201 | gina | "
                "2026-11-01 11:00:00 | 2026-11-02 12:01:00"
            ),
            (
                "[bank-2: Timed out](/incidents/2/) | {failed} open | 202 | no one | 2026-11-02 11:40:00 "
                "| 2026-11-02 12:02:00"
            ),
            (
                "[bank-3: Timed out](/incidents/3/) | {done} repaired | 0 | no one | 2026-11-02 11:30:00 "
                "| 2026-11-02 12:03:00"
            ),
            "Ended incidents",
            "Incidents that ended since then, latest first",
            "Incident | Status | Failing now | Owner | Since | Last failure | Ended",
            (
                "[bank-4: Timed out](/incidents/4/) | {skipped} closed | 0 | no one | "
                "2026-11-02 10:30:00 | 2026-11-02 12:04:00 | 2026-11-02 11:45:00"
            ),
            "Repaired",
            "Jobs that changed messages and have finished since then, latest first",
            "Job | By | Reason | Messages | Result now | Ended",
            (
                "[Restart 101](/jobs/101/) | ana | the target is back | 11 done, 12 skipped, 13 failed | "
                "61 OK 62 failed again 63 cancelled 64 in progress 65 removed of 165 checked | 2026-11-02 "
                "12:01:00"
            ),
            "[Cancel 102](/jobs/102/) | ben | ordered twice | 14 done | – | 2026-11-02 12:02:00",
            "cleo restarted 21 messages without a job last 2026-11-02 12:51:00",
            "dora retried 1 message without a job last 2026-11-02 12:52:00",
            "Repaired failures",
            "Failure groups with no message FAILED or in progress",
            "Error | State | Service | Current states | Jobs | Last failure",
            (
                "[Timed out](/failures/31/) E103 emil T-7 see the runbook | {skipped} regressed, none "
                "failing | [service-31](/services/service-31/) | 32 OK, 33 cancelled, 34 archived or removed "
                "| [Restart 101](/jobs/101/) by ana, [Cancel 102](/jobs/102/) by ben | 2026-11-02 12:31:00"
            ),
            "Still open",
            "Failure groups with messages FAILED or in progress",
            "Error | State | Service | Current states | Jobs | Last failure",
            (
                "[Timed out](/failures/35/) | {planned} known | [service-35](/services/service-35/) | 37 OK, "
                "38 cancelled, 36 "
                "failed, 39 in progress, 40 archived or removed | – | 2026-11-02 12:35:00"
            ),
            "Alerts",
            "Alerts, newest first",
            "Rule | State | Opened | Closed | Value | Worst",
            (
                "[Too many](/watch-rules/71/) | {done} closed | 2026-11-02 12:53:00 @2026-11-02T12:53:00Z "
                "| 2026-11-02 12:55:00 after 2 min | 72.5 | 73.5"
            ),
            (
                "[Too old](/watch-rules/74/) | {failed} open no notification: one was sent shortly before "
                "| 2026-11-02 12:54:00 @2026-11-02T12:54:00Z | – | 75 | 76"
            ),
            "Jobs with failures",
            "[Restart 104](/jobs/104/) {failed} failed 83 failed",
            "no room",
            "Archive runs",
            "[Archive 105](/jobs/105/) {done} done 84 archived, 85 skipped 2026-11-02 12:05:00",
            "Active jobs",
            "[Archive 103](/jobs/103/) {running} running fred",
            "Oldest waiting message",
            (
                "{WAITING} WAITING since 2026-11-02 12:56:00 UTC, @2026-11-02T12:56:00Z ago. [View "
                "messages in this state, oldest first](/messages/?state=WAITING&ordering=receive_timestamp)"
            ),
            "Notes of the shift",
            "No notes yet.",
        ]

    def test_shows_that_nothing_happened(self):
        markup = show(NOTHING)
        assert outline_of(markup) == [
            "Since",
            "<since=-8h>",
            "Show",
            "* [Last 8 h](?since=-8h)",
            "[Last 3 d](?since=-3d)",
            (
                "From 2026-11-02 04:00:00 UTC to 2026-11-02 12:00:00 UTC. [Link to this "
                "period](?since=2026-11-02T04%3A00%3A00%2B00%3A00) · "
                "[As text](/handover/text/?since=2026-11-02T04%3A00%3A00%2B00%3A00)"
            ),
            "Open incidents",
            "No incidents are open.",
            "Repaired",
            (
                "Older actions on single messages are not counted: the audit log has too many entries "
                "since then."
            ),
            "No messages were restarted, cancelled or reprocessed.",
            "Still open",
            "No failures from this period are open.",
            "Alerts",
            "No alerts.",
            "Jobs with failures",
            "None.",
            "Archive runs",
            "None.",
            "Oldest waiting message",
            "No messages are waiting.",
            "Notes of the shift",
            "No notes yet.",
        ]

    def test_says_that_all_actions_were_counted_only_if_they_were(self):
        acts = replace(SHIFT.by_hand, is_whole=False)
        assert "Older actions on single messages are not counted" in show(replace(SHIFT, by_hand=acts))
        assert "Older actions" not in show(SHIFT)
        assert "No messages were restarted" not in show(replace(NOTHING, repairs=SHIFT.repairs))
        assert "No messages were restarted" not in show(replace(NOTHING, by_hand=SHIFT.by_hand))

    def test_rejects_a_time_of_the_future(self):
        markup = show(None, fault=True, asked="tomorrow")
        assert outline_of(markup) == [
            "Since",
            "<since=tomorrow>",
            "Enter a time in the past, such as -8h, today or 2026-11-21T10:00.",
            "Show",
            "[Last 8 h](?since=-8h)",
            "[Last 3 d](?since=-3d)",
        ]
        assert 'aria-invalid="true"' in markup
        assert "aria-invalid" not in show(NOTHING)

    def test_begins_at_the_last_visit_without_a_chosen_time(self):
        assert outline_of(show(NOTHING, asked="", last_here=moment(-100)), within="Since") == [
            "* [Since my last visit](/handover/)",
            "[Last 8 h](?since=-8h)",
            "[Last 3 d](?since=-3d)",
        ]
        assert outline_of(show(NOTHING, asked=""), within="Since") == [
            "* [Last 8 h](?since=-8h)",
            "[Last 3 d](?since=-3d)",
        ]
        assert outline_of(show(NOTHING, asked="-3d", last_here=moment(-100)), within="Since") == [
            "[Since my last visit](/handover/)",
            "[Last 8 h](?since=-8h)",
            "* [Last 3 d](?since=-3d)",
        ]


class TestResult:
    def test_omits_what_no_message_became(self):
        status = CurrentStatus(done=61, looked_at=61, ok=61)
        template = "messages_app/dashboard/_result.html"
        assert outline_of(render_to_string(template, {"status": status})) == ["61 OK"]
        status = CurrentStatus(done=9, looked_at=9, failed=9)
        assert outline_of(render_to_string(template, {"status": status})) == ["9 failed again"]
