"""What the tiles of jobs, of the archive and of the other stores hold: their own reports, summed up."""

from collections import Counter
from dataclasses import asdict

from messages_app.cp_queue import queries as cp_queue
from messages_app.document_history import queries as document_history
from messages_app.first_page.look import Look
from messages_app.jobs.models import Job
from messages_app.jobs.scheduling.queries import next_start
from messages_app.jobs.states import ACTIVE_STATES, FINAL_STATES, JobKind
from messages_app.message_store import queries as message_store
from messages_app.message_store.states import class_of
from messages_app.messages.archive_totals import archive_totals

_MOST_JOBS, _MOST_QUEUES = 20, 6


def jobs(look: Look) -> dict[str, object]:
    found = Job.objects.filter(state__in=sorted(ACTIVE_STATES), dry_run=False).order_by("-job_id")
    return {"jobs": list(found.values("job_id", "kind", "state", "created_by", "created_at")[:_MOST_JOBS])}


def archive(look: Look) -> dict[str, object]:
    """Return how full the archive is, its last run and its next one."""
    totals = archive_totals()
    runs = Job.objects.filter(kind=JobKind.ARCHIVE, dry_run=False, state__in=sorted(FINAL_STATES))
    rows = [total.rows for total in totals if total.rows is not None]
    return {
        "tables": [asdict(total) for total in totals],
        "rows": sum(rows),
        "bytes": sum(total.stored_bytes for total in totals),
        "last": runs.order_by("-job_id").values("job_id", "state", "finished_at").first(),
        "next_at": next_start(JobKind.ARCHIVE, now=look.now),
    }


def documents(look: Look) -> dict[str, object]:
    found = document_history.overview()
    return asdict(found) | {"most_counted": document_history.COUNTED}


def store(look: Look) -> dict[str, object]:
    """Return how many messages of the store are how far, and since when the longest due one is."""
    classes: Counter[str] = Counter()
    for status, messages in message_store.counts_by_status().items():
        classes[class_of(status)] += messages
    ages = message_store.ages()
    return {"by_class": dict(classes), "due": ages.due, "oldest_due": ages.oldest_due}


def cp_queues(look: Look) -> dict[str, object]:
    """Return what waits in all queues together, where it waits longest, and services that are gone."""
    found = cp_queue.queue_counts()
    longest = sorted((one for one in found if one.oldest_age), key=lambda one: -one.oldest_age)
    return {
        "ready": sum(one.free - one.deferred - one.parked for one in found),
        "reserved": sum(one.reserved for one in found),
        "deferred": sum(one.deferred for one in found),
        "parked": sum(one.parked for one in found),
        "is_exact": all(one.is_exact for one in found),
        "queues": [
            {"name": one.name, "free": one.free, "oldest_created": one.oldest_created}
            for one in longest[:_MOST_QUEUES]
        ],
        "dead_services": [one.service for one in cp_queue.service_states() if one.is_probably_dead],
    }
