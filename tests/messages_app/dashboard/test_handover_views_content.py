"""The text and the page of a handover with records in which no two numbers and times are equal."""

import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from lxml import html

from messages_app.audit.selectors import ActByHand, ActsByHand
from messages_app.dashboard.handover import Handover, OpenIncident, ShiftGroup, Watch
from messages_app.dashboard.handover_text import write_handover
from messages_app.dashboard.handover_views import _describe_parts
from messages_app.incidents.listing import IncidentLine
from messages_app.incidents.models import Incident
from messages_app.incidents.rates import Rate
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.outcomes import CurrentStatus
from messages_app.jobs.repairs import Repair
from messages_app.jobs.schedules.selectors import FailedSchedule
from messages_app.jobs.selectors import JobProgress
from messages_app.messages.alerts.models import Alert, WatchRule
from messages_app.messages.failures.listing import GroupLine, Windows
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.failures.selectors import GroupOutcome
from messages_app.messages.funnels.lanes import Sketch
from messages_app.messages.metrics.counts import InState
from messages_app.notes.models import Note
from messages_app.notes.selectors import ReadNote
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def waiting_message(msg_id: int) -> SimpleNamespace:
    return SimpleNamespace(msg_id=msg_id, receive_timestamp=moment(-58))


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


def group_line(shown: FailureGroup, failing_now: int, hour: int = 0) -> GroupLine:
    windows = Windows(hour=hour, hours_3=hour, day=hour, days_7=hour)
    return GroupLine(group=shown, windows=windows, failing_now=failing_now, is_exact=True, error_code=None)


def incident_line(incident_id: int, failing_now: int, *, note: str = "", **columns: object) -> IncidentLine:
    named = {"incident_id": incident_id, "title": f"bank-{incident_id}: Timed out"}
    incident = Incident(last_failure_at=moment(incident_id), **named, **columns)
    return IncidentLine(incident=incident, failing_now=failing_now, waiting=failing_now, note=note)


def open_incident(
    incident_id: int, failing_now: int, *, rate: Rate | None = None, groups: tuple = (), **columns: object
) -> OpenIncident:
    return OpenIncident(
        line=incident_line(incident_id, failing_now, **columns),
        rate=rate or Rate(last_hour=0, trend=""),
        groups=groups,
    )


STATUS = CurrentStatus(done=166, looked_at=165, ok=61, failed=62, cancelled=63, under_way=64, gone=65)
RESTARTED = job(101, "restart", reason="the target is back")
CANCELLED = job(102, "cancel", by="ben", reason="ordered twice")
OF_BANK, LOOSE = group(36), group(37, owner="", service_name="crm")
OLD = group(38, state="known", owner="hal", ticket="T-8", last_seen=moment(-3000), failed_error_code="")
SHIFT = Handover(
    since=moment(-480),
    until=NOON,
    open_incidents=[
        open_incident(
            1,
            201,
            owner="gina",
            note="called the bank",
            began_at=moment(-1500),
            rate=Rate(last_hour=31, trend="falling"),
            groups=(
                ShiftGroup(
                    group=OF_BANK,
                    outcome=GroupOutcome(failed=36, in_progress=39),
                    jobs=[],
                    line=group_line(OF_BANK, 136),
                ),
            ),
        ),
        open_incident(2, 202, began_at=moment(-20), rate=Rate(last_hour=32, trend="rising")),
        open_incident(3, 0, began_at=moment(-30), failures=5),
    ],
    has_more_incidents=True,
    ended_incidents=[
        incident_line(
            4, 0, state="closed", began_at=moment(-90), closed_at=moment(-15), closed_by="system", affected=7
        ),
        incident_line(
            5, 0, state="closed", began_at=moment(-900), closed_at=moment(-16), closed_by="ida", affected=8
        ),
    ],
    repairs=[
        Repair(progress=progress(RESTARTED, 11, 12, 13), status=STATUS),
        Repair(progress=progress(CANCELLED, 14), status=CurrentStatus(done=14, looked_at=0)),
    ],
    by_hand=ActsByHand(
        acts=[
            ActByHand(actor="cleo", action="restart", messages=21, last=moment(-51)),
            ActByHand(actor="dora", action="retry_now_stored", messages=1, last=moment(-52)),
        ],
        is_whole=False,
    ),
    repaired=[
        ShiftGroup(
            group=group(31, state="regressed", owner="emil", ticket="T-7", note="see the runbook"),
            outcome=GroupOutcome(ok=32, cancelled=33, gone=34),
            jobs=[RESTARTED, CANCELLED],
        )
    ],
    loose_groups=[
        ShiftGroup(
            group=LOOSE, outcome=GroupOutcome(failed=41), jobs=[], line=group_line(LOOSE, 141, hour=42)
        ),
        ShiftGroup(group=OLD, outcome=GroupOutcome(failed=43), jobs=[], line=group_line(OLD, 143)),
    ],
    more_groups=44,
    ungrouped=45,
    failing=46,
    running=[progress(job(103, "archive", state="running", by="fred"), 87)],
    alerts=[
        Alert(
            rule=WatchRule(rule_id=71, name="Too many"),
            opened_at=moment(-57),
            closed_at=moment(-55),
            value=72.5,
            worst=73.5,
        ),
        Alert(rule=WatchRule(rule_id=74, name="Too old"), opened_at=moment(-54), value=75, worst=76),
    ],
    jobs=[
        progress(RESTARTED, 11, 12, 13),
        progress(job(104, "restart", state="failed", error="no room"), 81, 82, 83),
    ],
    archive_runs=[progress(job(105, "archive"), 84, 85, 86)],
    oldest=InState(state="WAITING", count=91, long=92, since=moment(-56)),
    watch=Watch(
        lanes=[Sketch("f", "C-1", (waiting_message(95), waiting_message(96)), ())],
        schedules=[
            FailedSchedule(
                schedule=JobSchedule(schedule_id=93, kind="archive", cron="30 2 * * *"),
                at=moment(-59),
                why="Refused: no permission.",
                job=None,
            )
        ],
        unread=["Schedules"],
    ),
    notes=[
        ReadNote(note=Note(author="jo", text="Call the bank.\nSoon.", at=moment(-1)), mentions=frozenset())
    ],
)
NOTHING = Handover(since=moment(-480), until=NOON, by_hand=ActsByHand(acts=[], is_whole=True))

TEXT = """\
Handover from 2026-11-02 04:00:00 UTC to 2026-11-02 12:00:00 UTC
3 incidents began, 47 messages were restarted or cancelled, more than 3 incidents and 46 other groups \
of failures are still open, 9 things to watch.

Opened
- bank-2: Timed out: began 11:40, 202 failing, no owner
- bank-3: Timed out: began 11:30, repaired, no owner
- bank-4: Timed out: began 10:30, closed automatically 11:45, 7 messages

Repairs
- Restart 101 by ana: 11 done, 12 skipped, 13 failed, now 61 processed, 62 failed again, 63 cancelled, \
64 in progress, 65 removed of 165 checked, ended 12:01 (the target is back)
- Cancel 102 by ben: 14 done, ended 12:02 (ordered twice)
- cleo restarted 21 messages without a job: last 11:09
- dora retried 1 message without a job: last 11:08
- Older actions on single messages are not counted: the audit log has too many entries since then
- service-31: Timed out (E103): none left to repair, 32 processed, 33 cancelled, 34 archived or \
removed, Restart 101 by ana, Cancel 102 by ben (see the runbook)
- bank-5: Timed out: closed by ida 11:44, began 2026-11-01 21:00

Still open
- bank-1: Timed out: 201 failing, 31 in the last hour, falling, gina, began 2026-11-01 11:00, last \
failure 12:01 (called the bank)
  - service-36: Timed out (E103): 136 failing, 39 in progress, last failure 12:36
- bank-2: Timed out: 202 failing, 32 in the last hour, rising, no owner, began 11:40, last failure 12:02
- bank-3: Timed out: repaired, no owner, began 11:30, last failure 12:03
- More open incidents
- crm: Timed out (E103): 141 failing, last failure 12:37
- 45 older groups of failures
  - service-38: Timed out: 143 failing, hal, T-8, last failure 2026-10-31 10:00
  - 44 more groups of failures
- 45 failing messages in no group

Watch this
- bank-2: Timed out: 32 in the last hour, rising, no owner
- crm: Timed out (E103): 42 in the last hour, rising, no owner
- Alert Too old: value 75, open for 54 min
- Funnel C-1: 2 messages wait since 11:02
- Schedule 93: Archive: Every day at 02:30, run 11:01, Refused: no permission.
- Restart 104 by ana: failed, 83 messages failed, no room
- Archive 103 by fred: running, 87 of 487
- Oldest message: WAITING for 56 min: 91 messages in this state
- Schedules could not be read: check them on their page

Alerts that closed
- Too many: 11:03 to 11:05, worst 73.5

Archived
- Archive 105 by ana: 84 archived, 85 skipped, 86 failed, ended 12:05

Notes of the shift
- jo: Call the bank. Soon.
"""
QUIET = """\
Handover from 2026-11-02 04:00:00 UTC to 2026-11-02 12:00:00 UTC
No incident began, no message was restarted or cancelled, nothing is open, nothing to watch.

Opened
- nothing

Repairs
- nothing

Still open
- nothing

Watch this
- nothing

Notes of the shift
- nothing
"""


def show(shift: Handover | None, **context: object) -> str:
    values = {
        "asked": "-8h",
        "fault": False,
        "last_here": None,
        "shifts": [("-8h", "Last 8 h"), ("-3d", "Last 3 d")],
        "found": shift,
        **(_describe_parts(shift) if shift else {}),
    }
    return show_block("messages_app/dashboard/handover.html", **values | context)


def lines_of(part: html.HtmlElement, indent: str = "") -> list[str]:
    """Return the lines of a part of the page as the text writes them."""
    lines = []
    for item in part.xpath("./li"):
        [title] = item.xpath("./div/*[contains(@class, 'c-summary-title')]")
        facts = item.xpath("./div/div[@class='u-second']")
        note = item.xpath("./div/div[@class='c-summary-note']")
        line = f"{indent}- {words_of(title)}"
        line += f": {words_of(facts[0])}" if facts else ""
        lines.append(line + (f" ({words_of(note[0])})" if note else ""))
        for inner in item.xpath("./ul | ./details/ul"):
            lines += lines_of(inner, f"{indent}  ")
    return lines


def words_of(element: html.HtmlElement) -> str:
    return re.sub(r"[ \n]+", " ", element.text_content()).strip()


class TestText:
    def test_has_all_numbers(self):
        assert write_handover(SHIFT) == TEXT

    def test_says_that_nothing_happened(self):
        assert write_handover(NOTHING) == QUIET


class TestPage:
    def test_says_what_the_text_says(self):
        page = html.fromstring(show(SHIFT))
        parts = [block.splitlines() for block in TEXT.split("\n\n")[1:-1]]
        assert len(parts) == 6
        for title, *lines in parts:
            [shown] = page.xpath(f"//*[@aria-label='{title}']//ul[@class='c-summary-lines']")
            assert lines_of(shown) == lines

    def test_links_each_line(self):
        page = html.fromstring(show(SHIFT))
        assert set(page.xpath("//a[@class='c-summary-title']/@href")) == {
            "/failures/",
            "/failures/31/",
            "/failures/36/",
            "/failures/37/",
            "/failures/38/",
            "/funnels/?value=C-1&component=f",
            "/incidents/",
            "/incidents/1/",
            "/incidents/2/",
            "/incidents/3/",
            "/incidents/4/",
            "/incidents/5/",
            "/jobs/101/",
            "/jobs/102/",
            "/jobs/103/",
            "/jobs/104/",
            "/jobs/105/",
            "/messages/?state=FAILED",
            "/messages/?state=WAITING&ordering=receive_timestamp",
            "/schedules/",
            "/watch-rules/71/",
            "/watch-rules/74/",
        }

    def test_marks_only_what_fails_and_is_new_growing_or_unowned(self):
        page = html.fromstring(show(SHIFT))
        red = page.xpath("//li[span[@data-state='failed']]/div/*[contains(@class, 'c-summary-title')]")
        assert [words_of(one) for one in red] == [
            "bank-2: Timed out",
            "Restart 101 by ana",
            "bank-2: Timed out",
            "bank-2: Timed out",
            "crm: Timed out (E103)",
            "Schedule 93: Archive",
            "Restart 104 by ana",
        ]

    def test_rejects_a_time_of_the_future(self):
        markup = show(None, fault=True, asked="tomorrow")
        assert outline_of(markup) == [
            "Since",
            "<since=tomorrow>",
            "Enter a time in the past, such as -8h, today or 2026-11-21T10:00.",
            "Show",
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
