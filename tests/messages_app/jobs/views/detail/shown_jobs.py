"""The page of a job with values that all differ."""

from datetime import UTC, datetime, timedelta

from messages_app.audit.models import AuditEntry
from messages_app.core.charts.bars import make_bars, make_shares
from messages_app.core.pagination.paginator import Page
from messages_app.core.reason_form import ReasonForm
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress
from messages_app.jobs.services.retry_undo import Deadline
from messages_app.jobs.stores.store import Item, Present
from messages_app.jobs.views.detail.forms import RateForm, ResumeForm
from messages_app.jobs.views.detail.ledger import Ledger, Row, Tab
from messages_app.jobs.views.detail.page import Afterwards, OfferedFile
from messages_app.jobs.views.detail.status_message import Situation
from messages_app.jobs.views.detail.throughput import Pace
from tests.support.page_outlines import show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def job(job_id: int = 71, **columns: object) -> Job:
    return Job(
        **{
            "job_id": job_id,
            "kind": "restart",
            "state": "running",
            "reason": "the target is back",
            "created_by": "ana",
            "created_at": moment(1),
            "watermark": moment(2),
            "started_at": moment(3),
            "finished_at": moment(8),
            "attempt": 1,
            "lease_until": moment(9),
        }
        | columns
    )


def progress(job: Job, **counts: object) -> JobProgress:
    numbers = {"planned": 100, "done": 41, "skipped": 22, "failed": 13}
    orphans = {"orphan_requests": {"planned": 31, "done": 32}, "orphan_responses": {"planned": 33}}
    return JobProgress(job=job, outcomes=[], **{**numbers, "orphans": orphans, **counts})


def item(number: int) -> Item:
    return Item(item_id=number, name=f"m-{number}", address=f"/messages/{number}/")


def row(number: int, **columns: object) -> Row:
    values = {
        "item": item(number),
        "head": item(number),
        "old_state": "FAILED",
        "new_state": "PARTLY_FAILED",
        "kind": "done",
        "why": "",
        "now": Present(state="OK", about=f"billing {number}"),
    }
    return Row(**values | columns)


LEDGER = Ledger(
    rows=[
        row(201),
        row(
            202,
            head=item(203),
            new_state=None,
            kind="skipped",
            why="Its state does not allow it",
            now=Present(state="FAILED", about="shipping", error="E104", is_archived=True),
        ),
        row(204, kind="", new_state=None, now=None),
    ],
    tabs=[
        Tab(name="all", count=51, query="?", is_on=False),
        Tab(name="failed", count=52, query="?outcome=failed", is_on=True),
    ],
    outcome="failed:too_slow",
    end=None,
    msg_id=None,
    page=Page(rows=[], next_cursor="n1", previous_cursor="p1"),
    export="?outcome=failed",
)
FORMS = {
    "resume": ResumeForm(auto_id="resume_%s"),
    "stop": ReasonForm(auto_id="stop_%s"),
    "refuse": ReasonForm(auto_id="refuse_%s"),
    "rate": RateForm(initial={"rate": 2.5}, auto_id="rate_%s"),
    "undo": ReasonForm(auto_id="undo_%s"),
    "retry": ReasonForm(auto_id="retry_%s"),
}
AFTERWARDS = Afterwards(
    undo=Deadline(until=moment(21), is_over=False),
    may_retry=True,
    undone_by=[job(81, state="done", created_by="ben", created_at=moment(22))],
    retried_by=[job(82, state="failed", created_by="cleo", created_at=moment(23))],
)
FILE = OfferedFile(name="export-71.jsonl", rows=61, size=62_000, sha256="abc123", kept_until=moment(24))


_COUNTS = ("planned", "done", "skipped", "failed", "orphans")


def context_of(shown: Job, **values: object) -> dict[str, object]:
    """Return all values of the page of a job, as an operator sees it while it runs."""
    counts = {name: values.pop(name) for name in _COUNTS if name in values}
    now = progress(shown, **counts)
    spec = spec_of(shown.kind)
    parts = [("done", now.done), ("skipped", now.skipped), ("failed", now.failed)]
    return {
        "progress": now,
        "job": shown,
        "kind": spec.words,
        "is_live": True,
        "phase": f"{shown.state}:{shown.paused_for}",
        "asked": "?outcome=failed",
        "percent": 76,
        "shares": make_shares(parts, whole=now.planned or 1),
        "pace": Pace(rate=3.5, is_now=True, seconds_left=120.0, samples="1.5:7"),
        "situation": Situation(sentence="Restarting."),
        "canary": None,
        "has_current_status": True,
        "chart": None,
        "stopped_by": None,
        "reasons": {
            "failed": make_bars([("Too slow", 13, "?outcome=failed%3Atoo_slow")]),
            "skipped": make_bars([("Another state", 20, "?outcome=a"), ("Another job", 2, "?outcome=b")]),
        },
        "rows": [("message", 91), ("request", 92)],
        "ledger": LEDGER,
        "has_ledger": not shown.dry_run,
        "may_steer": True,
        "may_pause": False,
        "may_resume": False,
        "waits_for_test_batch": False,
        "has_to_be_confirmed": False,
        "may_stop": False,
        "may_decide": False,
        "forms": FORMS,
        "drift": None,
        "options": [("Max rate", "2.5/s"), ("From scratch", "yes")],
        "activity": [
            AuditEntry(at=moment(31), action="pause_job", outcome="done", actor="dora", reason="lunch"),
            AuditEntry(at=moment(32), action="stop_job", outcome="refused", actor="emil", reason=""),
        ],
        "title": "Restart",
        "words": [("State", "FAILED"), ("Service", "billing")],
        "list_link": "/messages/?state=FAILED",
        "after": None,
        "file": None,
        "kept": [],
        "tried": "",
        "passwords": {},
    } | values


def show(shown: Job, *, block: str = "content", **values: object) -> str:
    return show_block("messages_app/jobs/detail.html", block=block, **context_of(shown, **values))
