"""
The content of the map.

Source: docs/how_it_works/calls.md, "The map".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.clock import database_clock
from messages_app.core.filters.table import Filter, Values, filters_by_name, text_filter
from messages_app.core.filters.values import parse_choice, parse_flag
from messages_app.incidents.listing import MAX_SERVICE, open_incidents
from messages_app.messages.call_counts.selectors import Counting, read_counting
from messages_app.messages.metrics.counts import count_ends
from messages_app.service_map.flows import (
    DEFAULT_WINDOW,
    WINDOWS,
    Node,
    TimedFlow,
    Tone,
    choose_nodes,
    find_causes,
    read_timed_flows,
)
from messages_app.shared.system_names import MAX_SYSTEM

MAP = filters_by_name(
    Filter(
        name="window",
        lookup="",
        parse=parse_choice,
        choices=tuple(WINDOWS),
        description=f"The time that is shown, up to now; by default {DEFAULT_WINDOW}.",
    ),
    text_filter("service_name", MAX_SERVICE, lookup=""),
    text_filter("external_system", MAX_SYSTEM, lookup=""),
    Filter(
        name="failing",
        lookup="",
        parse=parse_flag,
        description="true: only calls of which at least 1 % failed, or in an open incident without an owner.",
    ),
)
# The filters that leave out calls.
_NARROWING = ("service_name", "external_system", "failing")
# The busiest names are those of the longest time, whatever time is shown.
_KNOWN = WINDOWS["7d"]


@dataclass(frozen=True, kw_only=True)
class ServiceMap:
    """
    The calls of a time.

    Args:
        window: the name of the time.
        week: all flows of the last 7 days, the busiest of the time first.
        flows: the flows with calls in the time that the filters choose.
        services: the names of services whose messages ended in the last day.
        counting: how current the counts are; None before the first pass.
    """

    window: str
    since: datetime
    values: Values
    week: Sequence[TimedFlow]
    flows: Sequence[TimedFlow]
    services: Sequence[str]
    counting: Counting | None

    @property
    def is_narrowed(self) -> bool:
        return any(self.values.get(name) for name in _NARROWING)

    def choose_services(self) -> list[Node]:
        """Return the services of the picture, also those without calls."""
        calling = [(each.flow.service_name, each.flow.calls, each.flow.known_calls) for each in self.week]
        chosen = self.values.get("service_name", "")
        return choose_nodes([*calling, *((name, 0, 0) for name in self.services)], chosen=chosen)

    def choose_systems(self) -> list[Node]:
        """Return the systems of the picture."""
        called = ((each.flow.external_system, each.flow.calls, each.flow.known_calls) for each in self.week)
        return choose_nodes(called, chosen=self.values.get("external_system", ""))


def read_map(values: Values) -> ServiceMap:
    """Return the map. `values` are of MAP."""
    now = database_clock()
    window = values.get("window", DEFAULT_WINDOW)
    since = WINDOWS[window].find_start(now)
    causes = find_causes(open_incidents())
    week = read_timed_flows(since=since, now=now, causes=causes, known_since=_KNOWN.find_start(now))
    return ServiceMap(
        window=window,
        since=since,
        values=values,
        week=week,
        flows=list(_narrow_flows(week, values)),
        services=list(count_ends(since=WINDOWS[DEFAULT_WINDOW].find_start(now))),
        counting=read_counting(),
    )


def _narrow_flows(week: Iterable[TimedFlow], values: Values) -> Iterable[TimedFlow]:
    service, system = values.get("service_name"), values.get("external_system")
    return (
        each
        for each in week
        if each.flow.calls
        and service in (None, each.flow.service_name)
        and system in (None, each.flow.external_system)
        and not (values.get("failing") and each.tone is Tone.QUIET)
    )
