"""
Changes just before an incident began: deployments, configuration, jobs, the first new error text; and the
range of the chart that shows them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.urls import reverse

from messages_app.core.charts.columns import Event
from messages_app.core.statements import Statements
from messages_app.incidents.deployments.selectors import deployments_between
from messages_app.incidents.models import Incident
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.shared.error_titles import title_of_cause

statements = Statements("messages_app.incident_pages")

# Changes from this long before the first failure until this long after it, which the counts by minute and
# the clocks of other hosts may shift.
BEFORE, AFTER = timedelta(hours=2), timedelta(minutes=5)
MAX_OF_KIND = 10
# The number of audit entries that are searched.
_FENCE = 20_000

# Changes of the configuration in the audit log, in words, with the page that shows it.
_CONFIGURATION = {
    "create_watch_rule": ("Watch rule added", "watch-rules"),
    "change_watch_rule": ("Watch rule changed", "watch-rules"),
    "delete_watch_rule": ("Watch rule removed", "watch-rules"),
    "create_trigger": ("Document trigger added", "document-triggers"),
    "change_trigger": ("Document trigger changed", "document-triggers"),
    "delete_trigger": ("Document trigger deleted", "document-triggers"),
    "resume_trigger": ("Document trigger resumed", "document-triggers"),
    "define_source": ("Source definition added", "source-definitions"),
    "remove_source": ("Source definition removed", "source-definitions"),
    "set_store_monitor": ("Monitor of the message store changed", "store-monitor"),
    "pause_cp_queue": ("CP queue paused", "cp-queues"),
    "resume_cp_queue": ("CP queue resumed", "cp-queues"),
    "create_schedule": ("Schedule added", "schedule-list"),
    "change_schedule": ("Schedule changed", "schedule-list"),
    "delete_schedule": ("Schedule removed", "schedule-list"),
}


@dataclass(frozen=True, kw_only=True)
class Change(Event):
    """
    A change just before an incident.

    Args:
        kind: deployment, configuration, job or text.
        text: in words, without the time.
        address: of the page that shows it.
    """

    kind: str


def changes_before(incident: Incident) -> list[Change]:
    """Return the changes just before an incident began, the latest first."""
    start, stop = incident.began_at - BEFORE, incident.began_at + AFTER
    changes = [
        *_list_deployments(start, stop),
        *_fold_repeated(_list_entries(start, stop)),
        *_list_first_texts(incident),
    ]
    return sorted(changes, key=lambda change: change.at, reverse=True)


def _fold_repeated(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield equal changes once, at the time of the first: a job has an entry for each of its chunks."""
    alike: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        alike[change.text].append(change)
    for same in alike.values():
        first = min(same, key=lambda change: change.at)
        is_counted = len(same) > 1 and first.kind != "job"
        yield replace(first, text=f"{first.text}, {len(same)} times") if is_counted else first


def _list_deployments(start: datetime, stop: datetime) -> list[Change]:
    return [
        Change(
            at=one.at,
            kind="deployment",
            text=f"Release {one.service_name} {one.version} ({one.noted_by})",
            address=f"{reverse('deployment-list')}?{urlencode({'service_name': one.service_name})}",
        )
        for one in deployments_between(start, stop, most=MAX_OF_KIND)
    ]


def _list_entries(start: datetime, stop: datetime) -> list[Change]:
    kinds = {spec.kind: spec.words.verb for spec in kind_specs.values()}
    values = {
        "start": start,
        "stop": stop,
        "actions": [*_CONFIGURATION, *kinds],
        "fence": _FENCE,
        "most": MAX_OF_KIND,
    }
    changes = []
    for _, at, action, actor, job_id, _, _ in statements.fetch_rows("entries_between", values):
        if action in _CONFIGURATION:
            words, route = _CONFIGURATION[action]
            changes.append(
                Change(at=at, kind="configuration", text=f"{words} ({actor})", address=reverse(route))
            )
        elif job_id is not None:
            text = f"Job {job_id}: {kinds[action].lower()} ({actor})"
            changes.append(Change(at=at, kind="job", text=text, address=reverse("job-detail", args=[job_id])))
    return changes


def _list_first_texts(incident: Incident) -> list[Change]:
    """Return the first of the error texts that are new with the incident."""
    values = {"incident_id": incident.pk, "since": incident.began_at - AFTER, "most": 1}
    return [
        Change(
            at=at,
            kind="text",
            text=f"First “{title_of_cause(cause)}” in {service}",
            address=reverse("failure-group", args=[group_id]) if group_id else reverse("failure-list"),
        )
        for cause, service, group_id, at in statements.fetch_rows("first_texts", values)
    ]


_MARGIN = timedelta(minutes=10)


def range_of_chart(
    incident: Incident, changes: Iterable[Change], *, now: datetime
) -> tuple[datetime, datetime]:
    """Return the range from the first change before an incident until it ended, or until now."""
    start = min([incident.began_at, *(change.at for change in changes)]) - _MARGIN
    stop = now if incident.is_open else incident.last_failure_at + _MARGIN
    return start, max(min(stop, now), start + 2 * _MARGIN)
