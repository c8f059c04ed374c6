"""Reads of jobs and their ledgers. Progress is always counted from the ledger."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import QuerySet

from messages_app.core.lists.branches import Indexes, Part, branch_of
from messages_app.core.pagination.keyset import Position
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Branch, Order, Page, fetch_page
from messages_app.core.parameters import MAX_ID, MIN_ID
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import Job, JobChunk, JobRefusal, LedgerRow
from messages_app.jobs.outcomes import End, rows_with_end
from messages_app.messages.models import ResentMessage
from messages_app.shared.job_states import ChunkContent, Outcome, outcome_kind, skipped_outcome

statements = Statements("messages_app.jobs")


@dataclass(frozen=True, kw_only=True)
class JobProgress:
    """
    A job with the sums of its ledger.

    Args:
        planned, done, skipped, failed: numbers of messages; when the job has ended, planned is the sum of the
            others.
        outcomes: (outcome with its reason, number of messages), without open items.
        orphans: rows that belong to no message, by kind, then by outcome or "planned".
    """

    job: Job
    planned: int
    done: int
    skipped: int
    failed: int
    outcomes: list[tuple[str, int]]
    orphans: dict[str, dict[str, int]]

    @property
    def left(self) -> int:
        return self.planned - self.done - self.skipped - self.failed

    @cached_property
    def moved(self) -> dict[str, int]:
        """Rows that have been moved, by live table. Read from the database on first use."""
        return {} if self.job.dry_run else dict(statements.fetch_rows("moved_rows", {"job_id": self.job.pk}))


def job_progress(job_id: int) -> JobProgress | None:
    """Return the job with its sums, or None if there is no such job."""
    job = Job.objects.filter(pk=job_id).first()
    return progress_of(job) if job else None


def progress_of(job: Job) -> JobProgress:
    return progress_of_jobs([job])[0]


def progress_of_jobs(jobs: Sequence[Job]) -> list[JobProgress]:
    """Return the jobs with their sums, in the same order. Takes one query."""
    sums = defaultdict(list)
    job_ids = [job.pk for job in jobs if not job.dry_run]
    for job_id, *summed in statements.fetch_rows("sum_outcomes", {"job_ids": job_ids}):
        sums[job_id].append(summed)
    return [_progress_of_dry_run(job) if job.dry_run else _sum_up(job, sums[job.pk]) for job in jobs]


def _sum_up(job: Job, sums: Iterable[Sequence]) -> JobProgress:
    planned = 0
    outcomes: dict[str, int] = {}
    orphans: dict[str, dict[str, int]] = {}
    for content, outcome, rows in sums:
        if content != ChunkContent.MESSAGES:
            orphans.setdefault(content, {})[outcome or "planned"] = rows
        elif outcome is None:
            planned = rows
        else:
            outcomes[outcome] = rows
    kinds: Counter[str] = Counter()
    for outcome, rows in outcomes.items():
        kinds[outcome_kind(outcome)] += rows
    return JobProgress(
        job=job,
        planned=planned,
        done=kinds[Outcome.DONE],
        skipped=kinds[Outcome.SKIPPED],
        failed=kinds[Outcome.FAILED],
        outcomes=sorted(outcomes.items()),
        orphans=orphans,
    )


def _progress_of_dry_run(job: Job) -> JobProgress:
    """Return the sums of a dry run from its report, because a dry run has no ledger."""
    skipped_rows = job.report.get("skipped", {})
    return JobProgress(
        job=job,
        planned=job.report.get("planned", 0),
        done=0,
        skipped=sum(skipped_rows.values()),
        failed=0,
        outcomes=sorted((skipped_outcome(reason), rows) for reason, rows in skipped_rows.items()),
        orphans={},
    )


NEWEST_FIRST = Order(column="job_id", key="job_id", descending=True)
BY_MESSAGE = Order(column="msg_id", key="msg_id")
# The order of the plan, in which the ledger is stored.
BY_CHUNK = Order(column="chunk_no", key="msg_id")
_MAX_OUTCOME = 60
# The more selective column first: most jobs have ended, and each kind has a few hundred.
_INDEXES = Indexes(columns={(Job, "job_id"): ("state", "kind")})


def jobs_in(
    *,
    states: Collection[str] = (),
    kinds: Collection[str] = (),
    creator_id: int | None = None,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
) -> Page:
    """
    Return one page of jobs in any of the states and of any of the kinds, newest first. An empty collection
    means all.

    Args:
        creator_id: the user who created them; None: anyone.

    Raises:
        Problem: 400, the cursor is of another list.
    """
    by_creator: dict[str, str | int] = {} if creator_id is None else {"creator_id": creator_id}
    by_state = [{"state": str(state)} for state in sorted(states)] or [{}]
    by_kind = [{"kind": str(kind)} for kind in sorted(kinds)] or [{}]
    choices = [{**state, **kind, **by_creator} for state in by_state for kind in by_kind]
    # Each choice is read by an index if there is one.
    branches = [
        branch_of(Part(Job.objects.all(), choice, indexes=_INDEXES), NEWEST_FIRST, ranges=())
        for choice in choices
    ]
    return fetch_page(branches, order=NEWEST_FIRST, cursor=cursor, page_size=page_size, scope=str(choices))


def item_page(
    *,
    job: Job,
    outcome: str | None = None,
    end: End | None = None,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
) -> Page:
    """
    Return one page of a job's items, by message.

    Args:
        outcome: only items with this outcome: "skipped" for all reasons, "skipped:locked" for one reason.
        end: only done items whose messages have this end now; without `outcome`.

    Raises:
        Problem: 400, there is no such outcome, or the cursor is of another list.
    """
    branches = [_branch_of_end(job, end)] if end else _branches_of_items(job, outcome)
    is_ledger = branches[0].rows.model is LedgerRow
    page = fetch_page(
        branches,
        order=BY_CHUNK if is_ledger else BY_MESSAGE,
        cursor=cursor,
        page_size=page_size,
        scope=f"{job.pk}:{end or outcome}",
    )
    note_sent_messages(job, page.rows)
    return page


def note_sent_messages(job: Job, rows: Sequence[LedgerRow | JobRefusal]) -> None:
    """Note in each row of a ledger the new message that the job has sent for it, if the kind sends any."""
    if not spec_of(job.kind).changes_payloads:
        return
    sent = dict(
        ResentMessage.objects.filter(pk__in=[row.msg_id for row in rows], job_id=job.pk).values_list(
            "original_id", "msg_id"
        )
    )
    for row in rows:
        row.resent_as = sent.get(row.msg_id)


def _branches_of_items(job: Job, outcome: str | None) -> list[Branch]:
    ledger = LedgerRow.objects.filter(job_id=job.pk)
    if outcome is None:
        return [Branch(rows=ledger)]
    kind, _, reason = outcome.partition(":")
    has_no_reason = ":" in outcome and (not reason or kind == Outcome.DONE)
    if kind not in set(Outcome) or len(outcome) > _MAX_OUTCOME or has_no_reason:
        kinds = ", ".join(Outcome)
        raise bad_field(
            "outcome", "invalid_value", f"outcome must be one of {kinds}, or one of them with its reason."
        )
    if kind == Outcome.DONE:
        return [_branch_by_chunks(ledger.filter(outcome=outcome), job)]
    refusals = JobRefusal.objects.filter(job_id=job.pk)
    if reason:
        return [Branch(rows=refusals.filter(outcome=outcome))]
    # One branch for each reason, because the index has complete outcomes.
    outcomes = [name for name, _ in progress_of(job).outcomes if outcome_kind(name) == kind]
    return [Branch(rows=refusals.filter(outcome=name)) for name in outcomes] or [Branch(rows=refusals.none())]


def _branch_of_end(job: Job, end: End) -> Branch:
    done = LedgerRow.objects.filter(job_id=job.pk, outcome=Outcome.DONE)
    return _branch_by_chunks(rows_with_end(done, job, end), job)


def _branch_by_chunks(done: QuerySet, job: Job) -> Branch:
    return Branch(rows=done, stretches=lambda *beyond: _chunk_by_chunk(done, job, *beyond))


def _chunk_by_chunk(
    done: QuerySet, job: Job, start: Position, descending: bool
) -> Iterator[tuple[QuerySet, Position]]:
    """Yield the done messages of each chunk that has any, because no index finds them."""
    chunks = JobChunk.objects.filter(job_id=job.pk, outcomes__has_key=Outcome.DONE)
    if start is not None:
        chunks = chunks.filter(**{"chunk_no__lte" if descending else "chunk_no__gte": start[0]})
    chunks = chunks.order_by("-chunk_no" if descending else "chunk_no")
    for chunk_no in chunks.values_list("chunk_no", flat=True):
        yield done.filter(chunk_no=chunk_no), (chunk_no, MIN_ID if descending else MAX_ID)
