"""The overview of the message store: counts by status, system and entity, and the longest waits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from messages_app.core.badges import Badge
from messages_app.core.charts.bars import Bar, Share, make_bars, make_shares
from messages_app.message_store import selectors
from messages_app.message_store.selectors.failures import error_groups, missing_entities
from messages_app.message_store.selectors.summary import (
    Ages,
    Count,
    ages_of_waiting,
    count_by_system,
    sum_by_status,
)
from messages_app.message_store.states import CLASS_NAMES, CLASS_TONES, badge_of
from messages_app.message_store.views import PAGES, VIEWS
from messages_app.shared.store_states import Status, StatusClass, class_of

# The most systems and entities shown; the page says if there are more.
_MAX_LINES = 60
_GROUPS = 5
# In the order of the bars: processed messages first, errors last.
_CLASSES = (
    StatusClass.DONE,
    StatusClass.IN_WORK,
    StatusClass.WAITING,
    StatusClass.UNKNOWN,
    StatusClass.ERROR,
)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """
    A count of a class, in its colour: `address` leads to the counted messages; empty if no filter selects
    them.
    """

    text: str
    tone: str
    count: int
    address: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """The messages of one system's entity; `shares` are its classes, coloured as their names."""

    system: str
    entity: str
    total: int
    shares: Sequence[Share]
    figures: Sequence[Figure]


@VIEWS.shows_page
def show_dashboard(request: HttpRequest) -> HttpResponse:
    counts = count_by_system()
    by_status = sum_by_status(counts)
    lines = sorted(_make_lines(counts), key=_urgency_of_line)
    groups, ages = error_groups(), ages_of_waiting()
    context = {
        "total": sum(count.messages for count in counts),
        "whole": _make_line("", "", counts) if counts else None,
        "statuses": _draw_statuses(by_status),
        "lines": lines[:_MAX_LINES],
        "more_lines": max(len(lines) - _MAX_LINES, 0),
        "ages": ages,
        "first_share": _first_share(ages),
        "groups": [(group, badge_of(group.key[0])) for group in groups[:_GROUPS]],
        "missing": missing_entities()[:_GROUPS],
        "given_up": by_status.get(Status.REPROCESS_TIMEOUT, 0),
        "monitor": selectors.monitor_state(),
    }
    return PAGES.render_page(request, "dashboard", context, section="message-store")


def _first_share(ages: Ages) -> int | None:
    """Return the percentage of messages that needed one attempt; None if no message has ended."""
    return round(100 * ages.first_succeeded / ages.first_ended) if ages.first_ended else None


def _draw_statuses(by_status: Mapping[int, int]) -> list[tuple[Badge, Bar]]:
    drawn = make_bars(
        (str(status), number, _address_of_list(status=status)) for status, number in by_status.items()
    )
    return [(badge_of(int(bar.label)), bar) for bar in drawn]


def _make_lines(counts: Iterable[Count]) -> list[Line]:
    of_each: dict[tuple[str, str], list[Count]] = {}
    for count in counts:
        of_each.setdefault((count.source_system, count.source_entity), []).append(count)
    return [_make_line(*names, counts_of_line) for names, counts_of_line in of_each.items()]


def _make_line(system: str, entity: str, counts: Sequence[Count]) -> Line:
    statuses: dict[StatusClass, set[int]] = {}
    numbers = dict.fromkeys(_CLASSES, 0)
    for count in counts:
        numbers[class_of(count.status)] += count.messages
        statuses.setdefault(class_of(count.status), set()).add(count.status)
    total = sum(numbers.values())
    names = {"source_system": system, "source_entity": entity}
    is_all = not system and not entity
    return Line(
        system=system,
        entity=entity,
        total=total,
        shares=make_shares([(CLASS_TONES[each], numbers[each]) for each in _CLASSES], whole=total or 1),
        figures=[
            Figure(
                text=CLASS_NAMES[each],
                tone=CLASS_TONES[each],
                count=numbers[each],
                address=_list_address(statuses[each], {} if is_all else names),
            )
            for each in _CLASSES
            if numbers[each]
        ],
    )


def _list_address(statuses: Iterable[int], names: Mapping[str, str]) -> str:
    """Return the URL of their list; empty without a system or entity, because no filter can select these."""
    if not all(names.values()):
        return ""
    return _address_of_list(status=",".join(map(str, sorted(statuses))), **names)


def _address_of_list(**filters: object) -> str:
    return f"{reverse('store-messages')}?{urlencode(filters, safe=',')}"


def _urgency_of_line(line: Line) -> tuple:
    """Sort lines with errors first, then those with most that waits, then by size."""
    counts = {figure.text: figure.count for figure in line.figures}
    return (
        -counts.get(CLASS_NAMES[StatusClass.ERROR], 0),
        -counts.get(CLASS_NAMES[StatusClass.WAITING], 0),
        -line.total,
        line.system,
        line.entity,
    )
