"""Jobs in all sorts of situations, and the addresses of the pages about them."""

from django.db.models.functions import Now

from messages_app.jobs.models import Job
from messages_app.messages.models import Message
from messages_app.shared.job_states import JobState, PauseReason
from spark_tasks.analyses.fields import Field, Source
from spark_tasks.analyses.predicates import Kind, Predicate
from spark_tasks.analyses.proportions import Shares
from spark_tasks.analyses.reports import Finding, write_finding
from tests.pages.hostile_text import HOSTILE
from tests.support.factories import NOON
from tests.support.ledgers import store_ledger


def job_paths(message: Message) -> list[str]:
    """Store jobs in all sorts of situations, and return the addresses of the pages about them."""
    asked = {"reason": "r" * 1000, "created_by": "ada", "filter": {"state": "FAILED", "object_id": "o" * 50}}
    canary = {"size": 20, "ok": 12, "failed": 3, "open": 5, "decided_at": None}
    paused = Job.objects.create(
        kind="restart",
        state=JobState.PAUSED,
        paused_for=PauseReason.CANARY_UNDECIDED,
        attempt=1,
        rate=2.5,
        options={"rate": 2.5, "canary": 20, "total": True},
        report={"canary": canary, "confirmed": 4_000, "to_do": 3},
        chunk_count=1,
        **asked,
    )
    ended = Job.objects.create(
        kind="cancel", state=JobState.DONE, attempt=2, started_at=NOON, finished_at=Now(), **asked
    )
    for each in (paused, ended):
        reasons = {f"skipped:{'s' * 50}": 1, "failed:too_slow": 1}
        store_ledger(each, {message.pk: "done"} | dict(zip((1, 2), reasons, strict=True)), new_state="CANCEL")
    stalled = Job.objects.create(kind="export", state=JobState.RUNNING, attempt=1, lease_until=NOON, **asked)
    previewed = Job.objects.create(
        kind="restart",
        state=JobState.PLANNED,
        dry_run=True,
        report={
            "planned": 9_000,
            "skipped": {"in_job": 7},
            "by_state": {"FAILED": 9_000},
            "samples": [message.pk],
        },
        **asked,
    )
    waiting = Job.objects.create(
        kind="restart", state=JobState.PLANNED, paused_for=PauseReason.SECOND_PERSON, attempt=1, **asked
    )
    store_ledger(waiting, dict.fromkeys((1, 2)))
    counting = Job.objects.create(kind="cancel", state=JobState.PLANNING, dry_run=True, **asked)
    jobs = [paused, ended, stalled, previewed, waiting, make_stored_analysis()]
    return [
        *(f"/jobs/{each.pk}/" for each in jobs),
        f"/jobs/{ended.pk}/?outcome=failed",
        f"/jobs/{ended.pk}/?msg_id=99",
        f"/jobs/{ended.pk}/since/",
        f"/jobs/of-message/{message.pk}/",
        "/jobs/of-failure-group/1/",
        "/jobs/analyses/of-failure-group/7/",
        "/jobs/analyses/of-incident/7/",
        "/jobs/new/?kind=restart&state=FAILED&total=true",
        "/jobs/new/?kind=cancel&state=OK",
        "/jobs/new/?kind=export&state=FAILED,PROCESSING",
        "/jobs/new/?kind=archive&older_than_months=2",
        "/jobs/new/?kind=restore&correlation_id=nobody",
        f"/jobs/new/?from={previewed.pk}",
        f"/jobs/new/?from={counting.pk}",
    ]


def make_stored_analysis() -> Job:
    """Store an analysis of failure group 7 that found two properties, with values as awkward as they come."""
    findings = [
        Finding(
            (Predicate(Field(Source.COLUMN, "source_system"), Kind.VALUE, HOSTILE[:15]),),
            Shares(212, 212, 30, 1_000),
            (Predicate(Field(Source.PAYLOAD, f"/{HOSTILE}"), Kind.VALUE, HOSTILE + "v" * 60),),
        ),
        Finding(
            (Predicate(Field(Source.ENVELOPE, "/Header/" + "n" * 80), Kind.AT_LEAST, length=36),),
            Shares(9, 15, 0, 40),
        ),
    ]
    compared = {"failing": 212, "passing": 1_000, "services": ["billing", "s" * 100], "comparisons": 321}
    report = {
        "findings": [write_finding(each) for each in findings],
        "comparison": compared | {"uncompared": 4, "unreadable": 2, "is_comparable": True},
    }
    return Job.objects.create(
        kind="analyse",
        state=JobState.DONE,
        filter={"state": "FAILED", "failure_group": "7"},
        report=report,
        reason=HOSTILE,
        created_by="ada",
        attempt=1,
        chunk_count=0,
    )
