"""
The search for incidents by their words, for business keys by value or beginning, and for values of messages
that lists filter: services, operations, source systems, error codes.
"""

from collections.abc import Iterator
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.urls import reverse

from messages_app.access import roles
from messages_app.business_keys.selectors import MAX_RESULTS, find_prefix, find_value
from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.search_results import Hit, Kind
from messages_app.finding.place_search import has_words
from messages_app.incidents.models import Incident
from messages_app.messages.filters.vocabulary import LABELS, known_values

# The name of the kind of business keys.
KEY = "key"
MIN_KEY, MAX_HITS = 3, 5
# Older incidents are not searched.
MAX_SEARCHED_INCIDENTS = 500
_MS = 300
MIN_TEXT, MAX_VALUES = 2, 4
# The columns whose values are searched, in the order of the results.
_COLUMNS = ("service_name", "operation_name", "source_system", "failed_error_code")


def find_incidents(text: str, user: User) -> Iterator[Kind]:
    """Yield the newest incidents whose title, system or services have every word; open ones first."""
    columns = ("incident_id", "title", "state", "external_system", "services", "owner")
    newest = Incident.objects.filter(merged_into=None).only(*columns).order_by("-pk")
    incidents = [
        incident
        for incident in newest[:MAX_SEARCHED_INCIDENTS]
        if str(incident.pk) == text or has_words(_join_words(incident), text)
    ]
    incidents.sort(key=lambda incident: not incident.is_open)
    hits = [
        Hit(
            url=reverse("incident", args=[incident.pk]),
            name=incident.title,
            about=" · ".join(filter(None, (incident.state, ", ".join(incident.services), incident.owner))),
        )
        for incident in incidents[:MAX_HITS]
    ]
    if hits:
        yield Kind(title="Incidents", name="incident", hits=hits, more=len(incidents) > MAX_HITS)


def _join_words(incident: Incident) -> str:
    words = " ".join((incident.title, incident.external_system, *incident.services))
    return f"{words} {words.replace('.', ' ')}"


def find_keys(text: str, user: User) -> Iterator[Kind]:
    """Yield the values of business keys that are the text or begin with it, which the user may see."""
    if len(text) < MIN_KEY:
        return
    may_view_payload = user.has_perm(roles.CAN_VIEW_PAYLOAD)
    try:
        with time_limit(_MS):
            whole = find_value(text, may_view_payload=may_view_payload)
            longer = find_prefix(text, may_view_payload=may_view_payload)
    except TooSlow:
        return
    by_value: dict[tuple[str, str], set[int]] = {}
    for match in (*whole, *longer):
        by_value.setdefault((match.name, match.value), set()).add(match.msg_id)
    least = "at least " if MAX_RESULTS in (len(whole), len(longer)) else ""
    hits = [
        Hit(
            url=reverse("key", args=[value]),
            name=value,
            about=f"{name} · {least}{len(messages)} message{'' if len(messages) == 1 else 's'}",
        )
        for (name, value), messages in by_value.items()
    ]
    if hits:
        yield Kind(
            title="Business keys", name=KEY, hits=hits[:MAX_HITS], more=len(hits) > MAX_HITS, order="first"
        )


def find_values(text: str) -> Iterator[Kind]:
    """Yield the values of live messages that contain the text, each as a link to the list of its messages."""
    if len(text) < MIN_TEXT or "\0" in text:
        return
    for column in _COLUMNS:
        values = known_values(column, containing=text, limit=MAX_VALUES + 1)
        hits = [
            Hit(url=f"{reverse('message-list')}?{urlencode({column: value})}", name=value, about="messages")
            for value in values[:MAX_VALUES]
        ]
        if hits:
            yield Kind(
                title=LABELS[column], name=column, hits=hits, more=len(values) > MAX_VALUES, order="first"
            )
