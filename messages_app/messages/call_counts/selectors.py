"""Reads the counts of external calls; the cost does not depend on the number of calls."""

from dataclasses import dataclass
from datetime import datetime

from messages_app.core.statements import Statements
from messages_app.messages.call_counts.models import CallPass, CallRollup

statements = Statements("messages_app.messages.call_counts")


@dataclass(frozen=True, kw_only=True)
class Flow:
    """
    The ended calls of a service to a system in a time.

    Args:
        failed_lately: of the failed ones, those of the last minutes.
        known_calls: those of a longer time.
    """

    service_name: str
    external_system: str
    succeeded: int
    failed: int
    failed_lately: int
    known_calls: int

    @property
    def calls(self) -> int:
        return self.succeeded + self.failed

    @property
    def failed_share(self) -> float:
        """The share of failed calls, 0 to 1."""
        return self.failed / self.calls if self.calls else 0.0


def read_flows(
    *,
    since: datetime,
    lately: datetime,
    known_since: datetime | None = None,
    service: str | None = None,
    system: str | None = None,
) -> list[Flow]:
    """
    Return the flows with calls since a time, the busiest first.

    Args:
        lately: a time of the last 3 hours, in which counts are by minute.
        known_since: an earlier time; flows with calls since then are also returned.
        service, system: only the flows of these.
    """
    values = {
        "since": since,
        "lately": lately,
        "known_since": known_since or since,
        "service": service,
        "system": system,
    }
    flows = statements.fetch_records("flows", values, Flow)
    return sorted(flows, key=lambda flow: (-flow.calls, flow.service_name, flow.external_system))


def read_durations(
    *, since: datetime, service: str | None = None, system: str | None = None
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Return the steps of durations with their calls since a time, by service and system."""
    values = {"since": since, "service": service, "system": system}
    durations: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for service_name, external_system, step, calls in statements.fetch_rows("took_of_flows", values):
        durations.setdefault((service_name, external_system), []).append((step, calls))
    return durations


def periods_of_system(
    name: str, *, start: datetime, end: datetime, period: str
) -> dict[datetime, tuple[int, int]]:
    """Return how many calls to a system succeeded and failed in each hour or day (UTC) with calls."""
    values = {"system": name, "start": start, "end": end, "period": period}
    return {at: (ok, failed) for at, ok, failed in statements.fetch_rows("periods_of_system", values)}


def days_of_system_within(name: str, *, start: datetime, step: int) -> dict[datetime, tuple[int, int]]:
    """Return the calls of each day with a known duration, and the number of those up to a step."""
    values = {"name": name, "start": start, "step": step}
    return {at: (calls, within) for at, calls, within in statements.fetch_rows("days_within", values)}


@dataclass(frozen=True, kw_only=True)
class Counting:
    """The time of the first counted calls, and the end of the last pass."""

    first_at: datetime | None
    done_at: datetime


def read_counting() -> Counting | None:
    """Return how current the counts are; None before the first pass."""
    row = CallPass.objects.first()
    if row is None:
        return None
    first = CallRollup.objects.order_by("minute").values_list("minute", flat=True).first()
    return Counting(first_at=first, done_at=row.done_at)
