"""What became of a job's messages since, drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

from messages_app.drawing.bars import Share, shares
from messages_app.jobs.following.since import Since, since
from messages_app.jobs.models import Job
from messages_app.messages.states import MessageState

# As the bar has them: the colour of each, and how a sentence names it.
_ENDS = (
    (MessageState.OK, "ok", "OK"),
    (MessageState.FAILED, "failed", "failed"),
    (MessageState.CANCEL, "cancelled", "cancelled"),
    (MessageState.PROCESSING, "under_way", "still under way"),
    ("gone", "gone", "gone"),
)


@dataclass(frozen=True, kw_only=True)
class Fates:
    """`parts` are (state that colours it, words, messages), those that there are."""

    since: Since
    parts: Sequence[tuple[str, str, int]]
    shares: list[Share]


def fates_of(job: Job) -> Fates:
    """Return what became of the messages that the job has done; takes about a second for very many."""
    found = since(job)
    parts = [(state, words, getattr(found, name)) for state, name, words in _ENDS if getattr(found, name)]
    drawn = shares([(state, count) for state, _, count in parts], whole=found.looked_at or 1)
    return Fates(since=found, parts=parts, shares=drawn)
