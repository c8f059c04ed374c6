"""The canary of a job as a picture: how the first messages ended."""

from dataclasses import dataclass

from messages_app.drawing.bars import Share, shares
from messages_app.jobs.models import Job


@dataclass(frozen=True, kw_only=True)
class Canary:
    """How many of the first messages came to which end; `open` have not come to one."""

    size: int
    ok: int
    failed: int
    open: int
    shares: list[Share]


def canary_of(job: Job) -> Canary | None:
    """Return what a job's report says of its canary, None where it has none, or none yet."""
    found = job.report.get("canary")
    if not isinstance(found, dict) or not found.get("size"):
        return None
    size, ok, failed = (int(found.get(name) or 0) for name in ("size", "ok", "failed"))
    return Canary(
        size=size,
        ok=ok,
        failed=failed,
        open=int(found.get("open") or 0),
        shares=shares([("done", ok), ("failed", failed)], whole=size),
    )
