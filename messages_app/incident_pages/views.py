"""The pages of incidents: the list, and one incident with everything that is known about it."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from messages_app.access import roles
from messages_app.access.decorators import PageViews
from messages_app.audit.selectors import entries_about
from messages_app.core.charts.columns import draw_columns
from messages_app.core.clock import database_clock
from messages_app.core.lists.filter_form import Link, ListForm
from messages_app.core.lists.views import ListRequest
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.store_pages import StorePages
from messages_app.incident_pages.circumstances import changes_before, range_of_chart
from messages_app.incident_pages.outcomes import MAX_READ, describe_repair, read_outcome
from messages_app.incident_pages.reasons import count_affected, explain_memberships
from messages_app.incidents.listing import (
    INCIDENTS,
    IncidentLine,
    describe_incidents,
    open_incidents,
    recently_closed_incidents,
)
from messages_app.incidents.models import SUBJECT_KIND, Incident
from messages_app.incidents.rates import RATED, compare_hours, read_rates
from messages_app.incidents.selectors import failures_by_minute, memberships_of
from messages_app.jobs.labels import title_of
from messages_app.jobs.models import Job
from messages_app.jobs.repairs import repairs_of_incident
from messages_app.messages.failures.incident_source import count_open, newest_messages_of
from messages_app.messages.filters.message_filter import INCIDENT, MessageFilter
from messages_app.messages.metrics.failing import failing_now
from messages_app.messages.selectors import message_page

PAGES = StorePages(
    folder="incidents",
    sections={"incident-list": "Incidents", "deployment-list": "Deployments"},
    rights={
        "may_change": roles.CAN_CHANGE_INCIDENTS,
        "may_handle": roles.CAN_HANDLE_INCIDENTS,
        "may_view_jobs": roles.CAN_VIEW_JOBS,
    },
)
VIEWS = PageViews(roles.CAN_VIEW_MESSAGES)

# The test batch with which a restart of a larger incident begins, and the share of failures that stops it.
_TEST_BATCH, _STOP_AT = 20, 20
_BATCH_FROM = 50
_MAX_MESSAGES = 14
# Old failures are counted by the day.
_MAX_COUNT_SPAN = timedelta(days=1)


class IncidentsForm(ListForm):
    """The form of the list."""

    filters = INCIDENTS
    labels: Mapping[str, str] = {
        "state": "State",
        "owner": "Owner",
        "unowned": "Unowned",
        "external_system": "System",
        "service_name": "Service",
    }
    field_names = ("external_system", "service_name", "owner")
    linked_names = ("state", "unowned")

    @property
    def states(self) -> list[Link]:
        return self.one_of("state", [("All", None), ("Open", "open"), ("Closed", "closed")])

    def list_owners(self, username: str) -> list[Link]:
        """Return the links for whose incidents are shown."""
        choices = {
            "Anyone": (None, None),
            "Mine": (username, None),
            "Unowned": (None, "true"),
        }
        chosen = (self.params.get("owner"), self.params.get("unowned"))
        return [
            Link(
                text=text,
                query=self.query_with(owner=owner, unowned=unowned),
                is_on=chosen == (owner, unowned),
            )
            for text, (owner, unowned) in choices.items()
        ]


@VIEWS.shows_page
@checks_parameters
def incident_list(request: HttpRequest) -> HttpResponse:
    return PAGES.answer_list(
        request,
        "list",
        IncidentsForm,
        _make_list,
        section="incident-list",
        make_more=lambda form: {
            "owners": form.list_owners(request.user.get_username())
            if isinstance(form, IncidentsForm)
            else [],
            "failing": failing_now(),
        },
    )


def _make_list(requested: ListRequest) -> Mapping[str, object]:
    values, now = requested.values, database_clock()
    state = values.get("state")
    lines = [
        *([] if state == "closed" else open_incidents(values)),
        *([] if state == "open" else recently_closed_incidents(values)),
    ]
    messages, rates = _count_failing_messages(lines), read_rates([line.incident for line in lines], now=now)
    return {"rows": [(line, rates[line.incident.pk], messages.get(line.incident.pk, 0)) for line in lines]}


def _count_failing_messages(lines: Sequence[IncidentLine]) -> Mapping[int, int]:
    """Return how many of the failing rows of incidents are messages of the hub."""
    rows = count_open([line.incident.pk for line in lines]) if lines else {}
    return {incident_id: open_rows.failing for incident_id, open_rows in rows.items()}


@VIEWS.shows_page
def incident_page(request: HttpRequest, incident_id: int) -> HttpResponse:
    incident = get_incident_or_404(incident_id)
    if incident.merged_into is not None:
        return redirect("incident", incident.merged_into)
    line = describe_incidents([incident])[0]
    failing_messages = _count_failing_messages([line]).get(incident.pk, 0)
    memberships = memberships_of(incident.pk)
    msg_ids = newest_messages_of(incident.pk, most=MAX_READ)
    jobs = repairs_of_incident(incident.pk, msg_ids=msg_ids, began_at=incident.began_at)
    context = {
        "line": line,
        "incident": incident,
        "why": explain_memberships(incident, memberships),
        "affected": count_affected(memberships),
        "first_id": msg_ids[-1] if msg_ids else None,
        "jobs": [(job, title_of(job)) for job in jobs],
        "history": [
            (entry, entry.action.replace("_", " ")) for entry in entries_about(SUBJECT_KIND, str(incident.pk))
        ],
        "failing_messages": failing_messages,
        "restart": _describe_restart(request, incident, failing_messages),
        **_read_times(incident),
        **_read_messages(line, msg_ids, jobs),
    }
    return PAGES.render_page(request, "incident", context, section="incident-list")


def get_incident_or_404(incident_id: int) -> Incident:
    incident = Incident.objects.filter(pk=incident_id).first()
    if incident is None:
        raise Http404(f"No incident has the id {incident_id}.")
    return incident


def _read_times(incident: Incident) -> dict[str, object]:
    """Return the rate of failures, the changes before the incident, and the chart of both."""
    now = database_clock()
    changes = changes_before(incident)
    start, stop = range_of_chart(incident, changes, now=now)
    minutes = failures_by_minute([incident.pk], min(start - _MAX_COUNT_SPAN, now - RATED))[incident.pk]
    return {
        "rate": compare_hours(minutes, now=now),
        "changes": changes,
        "chart": draw_columns(minutes, start=start, stop=stop, events=changes),
        "lasted": (now if incident.is_open else incident.closed_at or now) - incident.began_at,
    }


def _read_messages(line: IncidentLine, msg_ids: Sequence[int], jobs: Sequence[Job]) -> dict[str, object]:
    """Return the newest messages, and how they ended."""
    outcome = read_outcome(msg_ids)
    page = message_page(filters=MessageFilter({INCIDENT: line.incident.pk}), page_size=_MAX_MESSAGES)
    return {
        "outcome": outcome,
        "repair": describe_repair(line, outcome, jobs) if line.is_repaired else "",
        "messages_of_incident": page.rows,
    }


def _describe_restart(request: HttpRequest, incident: Incident, failing_messages: int) -> str:
    """Return the query of the form that restarts the failing messages; empty if the user may not."""
    if not failing_messages or not request.user.has_perm(roles.CAN_RESTART):
        return ""
    query = f"?kind=restart&state=FAILED&{INCIDENT}={incident.pk}"
    if failing_messages > _BATCH_FROM:
        query += f"&canary={_TEST_BATCH}&stop_at_failure_rate={_STOP_AT}"
    return query
