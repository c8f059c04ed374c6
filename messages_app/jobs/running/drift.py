"""Whether a job's frozen set is what its maker was shown before."""

from dataclasses import dataclass

from messages_app.jobs.queries import JobProgress

# Less than this is the hub's own coming and going, or an estimate that was one.
_SHARE = 0.1
_MESSAGES = 20


@dataclass(frozen=True, kw_only=True)
class Drift:
    """`expected` is the number of messages that the preview showed."""

    expected: int


def drift_of(progress: JobProgress) -> Drift | None:
    """Return what the maker of a job was shown where its set differs much from it; else None."""
    expected = progress.job.report.get("expected")
    if not isinstance(expected, int) or progress.job.chunk_count is None:
        return None
    difference = abs(progress.planned - expected)
    is_much = difference > max(_MESSAGES, _SHARE * max(expected, progress.planned))
    return Drift(expected=expected) if is_much else None
