"""
Incidents over REST: lists, one incident with its messages, and the decisions of people.

Source: docs/contributing/spec/interfaces.md, "Incidents".
"""

from collections.abc import Sequence
from functools import partial

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.calls import Action
from messages_app.access.reads import Listing, Read
from messages_app.audit.services import Actor
from messages_app.core.api_schema import paging_parameters
from messages_app.core.filters.table import describe_parameters
from messages_app.core.parameters import MAX_ID, MIN_ID, read_address_id, read_addressed_row
from messages_app.core.problems import Problem, not_found, problems_for
from messages_app.core.serializers import (
    ReasonField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.incidents import composition, services
from messages_app.incidents.listing import INCIDENTS, IncidentLine, describe_incidents, incident_page
from messages_app.incidents.models import MAX_OWNER, Incident
from messages_app.incidents.serializers import IncidentSerializer
from messages_app.messages.api import MESSAGE_PAGE, list_selected_messages
from messages_app.messages.filters.message_filter import FILTERS, INCIDENT, MAX_IDS
from messages_app.messages.selectors import API_ORDERS
from messages_app.notes.serializers import NewNoteSerializer

_NOUN = "incident"
MAX_INCIDENTS = 100


class DecideSerializer(StrictSerializer):
    reason = ReasonField()


class MergeSerializer(DecideSerializer):
    incident_ids = serializers.ListField(
        child=StrictIntegerField(min_value=MIN_ID, max_value=MAX_ID),
        allow_empty=False,
        max_length=MAX_INCIDENTS,
        help_text="The incidents that become part of this one.",
    )


class SplitSerializer(DecideSerializer):
    msg_ids = serializers.ListField(
        child=StrictIntegerField(min_value=MIN_ID, max_value=MAX_ID),
        allow_empty=False,
        max_length=MAX_IDS,
        required=False,
        help_text="The messages that become an incident of their own.",
    )
    group_ids = serializers.ListField(
        child=StrictIntegerField(min_value=MIN_ID, max_value=MAX_ID),
        allow_empty=False,
        max_length=MAX_INCIDENTS,
        required=False,
        help_text="The failure groups that become one. Exactly one of both is required.",
    )


class AssignSerializer(DecideSerializer):
    user = StrictCharField(max_length=MAX_OWNER, allow_null=True, help_text="The new owner; null: no one.")


def incident_id_of(text: str) -> int:
    return read_address_id(text, noun=_NOUN)


as_problems = problems_for(
    {
        services.IncidentNotFound: lambda error: not_found(str(error)),
        services.IncidentConflict: lambda error: Problem(
            409, "state_conflict", str(error), extra={"current_state": error.current_state}
        ),
    }
)


def read_incident(*, incident_id: int) -> IncidentLine:
    incident = read_addressed_row(Incident.objects.all(), str(incident_id), noun=_NOUN)
    return describe_incidents([incident])[0]


def list_messages_of_incident(*, incident_id: int, request: Request) -> Response:
    read_addressed_row(Incident.objects.all(), str(incident_id), noun=_NOUN)
    return list_selected_messages(request, **{INCIDENT: str(incident_id)})


def _describe_incident(incident: Incident) -> IncidentLine:
    return describe_incidents([incident])[0]


def close_incident(*, incident_id: int, actor: Actor, reason: str) -> IncidentLine:
    return _describe_incident(services.close_incident(incident_id=incident_id, actor=actor, reason=reason))


def reopen_incident(*, incident_id: int, actor: Actor, reason: str) -> IncidentLine:
    return _describe_incident(services.reopen_incident(incident_id=incident_id, actor=actor, reason=reason))


def acknowledge_incident(*, incident_id: int, actor: Actor, reason: str) -> IncidentLine:
    return _describe_incident(
        services.acknowledge_incident(incident_id=incident_id, actor=actor, reason=reason)
    )


def assign_incident(*, incident_id: int, user: str | None, actor: Actor, reason: str) -> IncidentLine:
    return _describe_incident(
        services.assign_incident(incident_id=incident_id, user=user, actor=actor, reason=reason)
    )


def note_incident(*, incident_id: int, text: str, actor: Actor) -> IncidentLine:
    return _describe_incident(services.note_incident(incident_id=incident_id, text=text, actor=actor))


def merge_incidents(
    *, incident_id: int, incident_ids: Sequence[int], actor: Actor, reason: str
) -> IncidentLine:
    merged = composition.merge_incidents(
        incident_id=incident_id, incident_ids=incident_ids, actor=actor, reason=reason
    )
    return _describe_incident(merged)


def split_incident(
    *,
    incident_id: int,
    actor: Actor,
    reason: str,
    msg_ids: Sequence[int] | None = None,
    group_ids: Sequence[int] | None = None,
) -> IncidentLine:
    new = composition.split_incident(
        incident_id=incident_id, msg_ids=msg_ids, group_ids=group_ids, actor=actor, reason=reason
    )
    return _describe_incident(new)


_decide = partial(
    Action,
    right=roles.CAN_CHANGE_INCIDENTS,
    key=incident_id_of,
    body=DecideSerializer,
    answer=IncidentSerializer,
    errors=as_problems,
)
_handle = partial(_decide, right=roles.CAN_HANDLE_INCIDENTS)
_ONE = "incidents/<str:incident_id>/"

CALLS = [
    Listing(
        "incidents/",
        incident_page,
        name="Incident List",
        right=roles.CAN_VIEW_MESSAGES,
        filters=INCIDENTS,
        answer=IncidentSerializer,
        lines=describe_incidents,
        operation_id="incidents_list",
        description="List incidents, newest first. Incidents that were merged into others are left out.",
    ),
    Read(
        _ONE,
        read_incident,
        name="Incident",
        right=roles.CAN_VIEW_MESSAGES,
        key=incident_id_of,
        answer=IncidentSerializer,
        description="Return one incident.",
    ),
    Read(
        f"{_ONE}messages/",
        list_messages_of_incident,
        name="Incident Messages",
        right=roles.CAN_VIEW_MESSAGES,
        key=incident_id_of,
        answer=MESSAGE_PAGE,
        parameters=[
            *describe_parameters({name: one for name, one in FILTERS.items() if name != INCIDENT}),
            *paging_parameters(tuple(order.name for order in API_ORDERS)),
        ],
        query=None,
        operation_id="incidents_messages_list",
        description="List the messages that belong to an incident, as `messages/` does.",
    ),
    _decide(
        f"{_ONE}close/",
        close_incident,
        audited_as="close_incident",
        description="Close an incident. A failure within a day reopens it.",
    ),
    _decide(
        f"{_ONE}reopen/",
        reopen_incident,
        audited_as="reopen_incident",
        description="Reopen an incident. It then stays open until a person closes it.",
    ),
    _handle(
        f"{_ONE}acknowledge/",
        acknowledge_incident,
        audited_as="acknowledge_incident",
        description="Record that someone knows about an incident.",
    ),
    _handle(
        f"{_ONE}assign/",
        assign_incident,
        audited_as="assign_incident",
        body=AssignSerializer,
        description="Set or remove the owner of an incident.",
    ),
    _handle(
        f"{_ONE}note/",
        note_incident,
        audited_as="add_note",
        body=NewNoteSerializer,
        description="Write a note on an incident, and return the incident.",
    ),
    _decide(
        f"{_ONE}merge/",
        merge_incidents,
        audited_as="merge_incidents",
        body=MergeSerializer,
        description="Make other incidents a part of this one. The rule keeps them merged.",
    ),
    _decide(
        f"{_ONE}split/",
        split_incident,
        audited_as="split_incident",
        body=SplitSerializer,
        description=(
            "Make an incident of its own from some messages or failure groups of this one, and return it. "
            "The rule keeps them apart."
        ),
    ),
]
