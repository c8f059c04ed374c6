"""Whether a job's frozen set is what its maker has confirmed."""

from dataclasses import dataclass

from messages_app.jobs.asking.confirmed import CONFIRMED, TO_DO
from messages_app.jobs.queries import JobProgress
from messages_app.jobs.states import PauseReason

# Less than this is the hub's own coming and going, or an estimate that was one.
_SHARE = 0.1
_MESSAGES = 20


@dataclass(frozen=True, kw_only=True)
class Drift:
    """`confirmed` is the number of messages that its maker agreed to, `to_do` what the set had to do."""

    confirmed: int
    to_do: int


def drift_of(progress: JobProgress) -> Drift | None:
    """
    Return what the maker of a job has confirmed where its set differs much from it; else None.

    Nothing where the job waits for just that, for its situation says so.
    """
    if progress.job.paused_for == PauseReason.CONFIRMATION:
        return None
    confirmed, to_do = (progress.job.report.get(name) for name in (CONFIRMED, TO_DO))
    if not isinstance(confirmed, int) or not isinstance(to_do, int):
        return None
    is_much = abs(to_do - confirmed) > max(_MESSAGES, _SHARE * max(confirmed, to_do))
    return Drift(confirmed=confirmed, to_do=to_do) if is_much else None
