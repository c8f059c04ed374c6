"""The status message of a job: its activity or wait, and the next step for an operator."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from messages_app.core.formatting import count_of, format_duration, format_number
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.labels import words_of
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress
from messages_app.jobs.validation import CONFIRMED
from messages_app.shared.job_states import LIVE_STATES, JobState, PauseReason, PlanStep

# Live states except stopping: the watcher ends a stopping job that no worker has.
_TAKEN_UP = LIVE_STATES - {JobState.STOPPING}

# If no worker has picked up a job after this time, it needs attention.
_TAKEN_UP_WITHIN = timedelta(seconds=30)

# The outcomes that a sentence names only if there are any.
_NOT_DONE = ("skipped", "failed")


@dataclass(frozen=True, kw_only=True)
class Situation:
    """
    Args:
        sentence: the activity of the job, or the reason why it waits.
        next_step: the expected next step, or an instruction; may be empty.
        is_stalled: a worker should run it, but there is no heartbeat.
        running: the running jobs that this one waits for.
        lasting: the time for which it has been waiting or planning; None if a bar shows its progress.
    """

    sentence: str
    next_step: str = ""
    is_stalled: bool = False
    running: tuple[int, ...] = ()
    lasting: timedelta | None = None

    @property
    def so_far(self) -> str:
        return "" if self.lasting is None else f"{format_duration(self.lasting)} so far"


def situation_of(progress: JobProgress, *, now: datetime) -> Situation:
    """
    Return the status message of a job.

    Args:
        now: by the database's clock.
    """
    job = progress.job
    if job.state in _TAKEN_UP and job.lease_until is None:
        return _waits_for_worker(job, now)
    if job.state in LIVE_STATES and job.lease_until and job.lease_until < now:
        return _describe_stalled(job, now)
    if job.state == JobState.PAUSED:
        return (
            _PAUSED[job.paused_for](progress) if job.paused_for in _PAUSED else Situation(sentence="Paused.")
        )
    if job.state == JobState.PLANNING:
        return _describe_planning(progress, now)
    return _MOVING[job.state](progress)


def _waits_for_worker(job: Job, now: datetime) -> Situation:
    """Describe a job that no worker has: a new job, or a job after a pause or a failed attempt."""
    waited = now - (job.heartbeat_at or job.created_at)
    running, waiting = _ahead_of(job)
    if running:
        also = f", {count_of(waiting, 'job')} ahead of it in the queue" if waiting else ""
        return Situation(
            sentence=f"Waiting for a worker: {count_of(len(running), 'job')} running{also}.",
            next_step="It starts when a worker is free.",
            running=running,
            lasting=waited,
        )
    if waited < _TAKEN_UP_WITHIN:
        return Situation(sentence="Waiting for a worker.", lasting=waited)
    return Situation(
        sentence=f"No worker has picked it up for {format_duration(waited)}.",
        next_step="It starts automatically as soon as a worker for the spark queue is running.",
        is_stalled=True,
    )


def _ahead_of(job: Job) -> tuple[tuple[int, ...], int]:
    """Return the running jobs, and the number of older jobs that wait. An index has all live jobs."""
    live = Job.objects.filter(state__in=sorted(LIVE_STATES)).exclude(pk=job.pk)
    running = live.filter(lease_until__isnull=False).order_by("pk").values_list("pk", flat=True)
    waiting = live.filter(lease_until=None, pk__lt=job.pk, state__in=sorted(_TAKEN_UP))
    return tuple(running), waiting.count()


def _describe_stalled(job: Job, now: datetime) -> Situation:
    silent = f" for {format_duration(now - job.heartbeat_at)}" if job.heartbeat_at else ""
    return Situation(
        sentence=f"Stalled: no heartbeat{silent}.",
        next_step=(
            "Finished work is safe. Within a minute another worker takes over where this one"
            " stopped; if it does not, check that a worker for the spark queue is running."
        ),
        is_stalled=True,
    )


def _describe_planning(progress: JobProgress, now: datetime) -> Situation:
    """Describe a job that a worker is planning."""
    job = progress.job
    lasting = now - job.created_at
    if job.step == PlanStep.STARTING_SPARK:
        return Situation(
            sentence="Waiting for Spark to start.",
            next_step="This can take more than a minute on a busy machine.",
            lasting=lasting,
        )
    slow = "Spark is still warming up after its start." if job.step == PlanStep.WARMING_UP else ""
    if job.dry_run:
        sentence = "Counting messages. Nothing is changed."
    elif progress.planned:
        sentence = "Preparing: recording each message and its state."
    else:
        sentence = "Selecting messages."
    return Situation(sentence=sentence, next_step=slow, lasting=lasting)


def _describe_planned(progress: JobProgress) -> Situation:
    if progress.job.dry_run:
        return Situation(sentence="Count finished. Nothing was changed.")
    return _waiting_for_second_person(progress)


def _waiting_for_second_person(progress: JobProgress) -> Situation:
    return Situation(
        sentence="Waiting for approval by a second person. Nothing has been changed.",
        next_step=(
            f"Someone other than {progress.job.created_by} with permission for this job must approve or "
            f"refuse it on its page. Without a decision it is stopped after {settings.BULK_GUARD_HOURS} "
            "hours."
        ),
    )


def _describe_ended(progress: JobProgress) -> Situation:
    result = words_of(progress.job).result
    if not progress.planned:
        return Situation(sentence="No messages were selected, so nothing was changed.")
    if not (progress.skipped or progress.failed):
        return Situation(sentence=f"All messages were {result}.")
    return Situation(sentence=f"Done: {_outcome_words(progress)}.")


def _describe_early_end(words: str, progress: JobProgress) -> Situation:
    """Describe a job that ended before it came to all its messages."""
    if not progress.planned:
        return Situation(sentence=f"{words} before messages were selected. Nothing was changed.")
    if not progress.done:
        return Situation(sentence=f"{words}: {_outcome_words(progress)}. Nothing was changed.")
    return Situation(
        sentence=f"{words}: {_outcome_words(progress)}.",
        next_step="Messages already processed are not undone.",
    )


def _outcome_words(progress: JobProgress) -> str:
    """Return the numbers of done messages, and of skipped and failed ones if there are any."""
    result = words_of(progress.job).result
    others = (f"{format_number(count)} {name}" for name in _NOT_DONE if (count := getattr(progress, name)))
    return ", ".join([f"{format_number(progress.done)} {result}", *others])


_MOVING: Mapping[str, Callable[[JobProgress], Situation]] = {
    JobState.PLANNED: _describe_planned,
    JobState.QUEUED: lambda progress: Situation(sentence="Messages selected. Processing starts shortly."),
    JobState.RUNNING: lambda progress: Situation(sentence=f"{words_of(progress.job).doing}."),
    JobState.STOPPING: lambda progress: Situation(sentence="Stopping: chunks in progress finish first."),
    JobState.DONE: _describe_ended,
    JobState.STOPPED: lambda progress: _describe_early_end("Stopped early", progress),
    JobState.FAILED: lambda progress: _describe_early_end("It could not be finished", progress),
}


def _waiting_for_storage(progress: JobProgress) -> Situation:
    name = "exports" if spec_of(progress.job.kind).makes_file else "the archive"
    return Situation(
        sentence=f"The storage of {name} cannot be used at the moment.",
        next_step="Check whether it answers, and its credentials. The job continues automatically.",
    )


_PAUSED: Mapping[str, Callable[[JobProgress], Situation]] = {
    PauseReason.OPERATOR: lambda progress: Situation(
        sentence="Paused by an operator.", next_step="Resume it to continue where it stopped."
    ),
    PauseReason.CANARY: lambda progress: Situation(
        sentence="Testing: waiting for the test batch to finish.",
        next_step="Then it continues automatically, or stops if too many messages failed.",
    ),
    PauseReason.CANARY_UNDECIDED: lambda progress: Situation(
        sentence="The test batch did not finish in time.",
        next_step="Check the unfinished messages. Continue without waiting for them, or stop the job.",
    ),
    PauseReason.CONFIRMATION: lambda progress: Situation(
        sentence=f"Waiting for confirmation: {progress.left} messages were selected, but"
        f" {progress.job.report.get(CONFIRMED)} were confirmed. Nothing was changed.",
        next_step=f"Type {progress.left} to continue, or stop the job.",
    ),
    PauseReason.SECOND_PERSON: _waiting_for_second_person,
    PauseReason.DISK_FULL: lambda progress: Situation(
        sentence="The disk is full, so nothing more can be written.",
        next_step="Free some space. The job continues automatically.",
    ),
    PauseReason.STORAGE_AWAY: _waiting_for_storage,
}
