"""
The call that asks what failing messages have in common. It starts a job, whose report has the findings.

Source: docs/contributing/spec/interfaces.md, "Jobs".
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.calls import Action
from messages_app.access.idempotency import Answer
from messages_app.audit.services import Actor
from messages_app.core.api_schema import ACTING
from messages_app.core.parameters import MAX_ID
from messages_app.core.problems import FieldError
from messages_app.core.reason_form import MAX_REASON
from messages_app.core.serializers import StrictCharField, StrictIntegerField, StrictSerializer
from messages_app.incidents.models import Incident
from messages_app.jobs.api import schema
from messages_app.jobs.api.actions import as_problems, represent_job
from messages_app.jobs.api.serializers import JobSerializer, NewFilterField
from messages_app.jobs.errors import InvalidJob
from messages_app.jobs.kinds.registry import ANALYSE
from messages_app.jobs.permissions import may_make, refuse_without_reason
from messages_app.jobs.selectors import progress_of
from messages_app.jobs.services.create import create_job
from messages_app.messages.filters.message_filter import INCIDENT

QUESTION = "What do the failures have in common?"
_OPTION = "options."


@extend_schema_field(schema.NEW_FILTER)
class _ComparedField(serializers.DictField):
    """The filter of the messages to compare with. The service checks it."""


class AnalysisSerializer(StrictSerializer):
    filter = NewFilterField(
        required=False,
        help_text=(
            "The failing messages, by the filter names of `messages/`. Without `state`, messages that are"
            " FAILED now. Either this or `incident_id`."
        ),
    )
    incident_id = StrictIntegerField(
        required=False,
        min_value=1,
        max_value=MAX_ID,
        help_text="Instead of a filter: the messages of this incident that are FAILED now.",
    )
    compare_with = _ComparedField(
        required=False,
        allow_null=True,
        help_text=(
            "Messages to compare with, by the filter names of `messages/`; OK without `state`. null: those"
            " of the same services and times that were processed."
        ),
    )
    reason = StrictCharField(
        required=False, max_length=MAX_REASON, help_text=f"By default “{QUESTION}”. Kept in the audit log."
    )

    def validate(self, values: dict[str, object]) -> dict[str, object]:
        if "filter" not in values and "incident_id" not in values:
            raise serializers.ValidationError(
                {"filter": "filter or incident_id is required."}, code="required"
            )
        if "filter" in values and "incident_id" in values:
            raise serializers.ValidationError(
                {"incident_id": "Give either filter or incident_id."}, code="invalid_value"
            )
        return values


@contextmanager
def _naming_fields() -> Iterator[None]:
    """Convert errors of services, with the names that the call has for options."""
    with as_problems():
        try:
            yield
        except InvalidJob as invalid:
            raise InvalidJob(
                [
                    FieldError(each.field.removeprefix(_OPTION), each.code, each.message)
                    for each in invalid.errors
                ]
            ) from None


def may_analyse(user: Caller) -> bool:
    return may_make(user, ANALYSE.kind, {})


def start_analysis(
    *,
    request: Request,
    actor: Actor,
    user: Caller,
    filter: Mapping[str, Any] | None = None,
    incident_id: int | None = None,
    compare_with: Mapping[str, Any] | None = None,
    reason: str = QUESTION,
) -> Answer:
    selection = filter or {} if incident_id is None else _select_incident(incident_id)
    refuse_without_reason(user, ANALYSE.kind, selection)
    job = create_job(
        kind=ANALYSE.kind,
        filter=selection,
        options={"compare_with": compare_with},
        dry_run=False,
        reason=reason,
        actor=actor,
        user=user,
    )
    return Answer(202, represent_job(request, progress_of(job)))


def _select_incident(incident_id: int) -> Mapping[str, Any]:
    """
    Return the filter of an incident's messages.

    Raises:
        InvalidJob: no such incident, or it was merged into another one.
    """
    incident = Incident.objects.filter(pk=incident_id).first()
    if incident is None:
        text = f"No incident has the id {incident_id}."
    elif incident.merged_into is not None:
        text = f"Incident {incident_id} was merged into {incident.merged_into}."
    else:
        return {INCIDENT: incident_id}
    raise InvalidJob([FieldError("incident_id", "invalid_value", text)])


CALLS = [
    Action(
        "analyses/",
        start_analysis,
        right=roles.CAN_VIEW_JOBS,
        may_call=may_analyse,
        audited_as="create_job",
        body=AnalysisSerializer,
        answer=JobSerializer,
        statuses=(202,),
        problems=(*ACTING, 409),
        errors=_naming_fields,
        location="jobs/{job_id}/",
        description=(
            "Ask what failing messages have in common. A job of kind `analyse` compares them with processed"
            " ones; `report.findings` of the job has the answer when it is done. Values of payloads are"
            " masked for callers who may not view payloads."
        ),
    ),
]
