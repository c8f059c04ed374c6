"""
Deployments over REST, for deployment pipelines.

Source: docs/contributing/spec/interfaces.md, "Incidents".
"""

from datetime import datetime

from messages_app.access import roles
from messages_app.access.calls import Action
from messages_app.access.idempotency import Answer
from messages_app.access.reads import Listing
from messages_app.audit.services import Actor
from messages_app.core.representation import represent_value
from messages_app.core.serializers import (
    RowSerializer,
    StrictCharField,
    StrictSerializer,
    StrictTimeField,
)
from messages_app.incidents.deployments.models import MAX_NOTE, MAX_SERVICE, MAX_VERSION, Deployment
from messages_app.incidents.deployments.selectors import DEPLOYMENTS, deployment_page
from messages_app.incidents.deployments.services import MAX_YEARS, note_deployment


class NoteDeploymentSerializer(StrictSerializer):
    service_name = StrictCharField(max_length=MAX_SERVICE, help_text="As messages name it.")
    version = StrictCharField(max_length=MAX_VERSION)
    at = StrictTimeField(
        required=False,
        help_text=(
            f"When it went into operation, with a UTC offset; default: now. At most {MAX_YEARS} years ago, "
            "and not in the future."
        ),
    )
    note = StrictCharField(max_length=MAX_NOTE, allow_blank=True, required=False, default="")


class DeploymentSerializer(RowSerializer):
    class Meta:
        model = Deployment
        fields = ("deployment_id", "service_name", "version", "at", "note", "noted_by", "noted_at")


def answer_report(
    *, service_name: str, version: str, actor: Actor, note: str, at: datetime | None = None
) -> Answer:
    deployment, is_new = note_deployment(
        service_name=service_name, version=version, at=at, note=note, actor=actor
    )
    return Answer(201 if is_new else 200, represent_value(DeploymentSerializer, deployment))


CALLS = [
    Listing(
        "deployments/",
        deployment_page,
        name="Deployment List",
        right=roles.CAN_VIEW_MESSAGES,
        filters=DEPLOYMENTS,
        answer=DeploymentSerializer,
        operation_id="deployments_list",
        description="List what was released when, newest first.",
    ),
    Action(
        "deployments/",
        answer_report,
        right=roles.CAN_NOTE_DEPLOYMENTS,
        audited_as="note_deployment",
        body=NoteDeploymentSerializer,
        answer=DeploymentSerializer,
        statuses=(201, 200),
        location="deployments/?service_name={service_name}",
        operation_id="deployments_create",
        description=(
            "Report that a version of a service went into operation. Incidents show the deployments just "
            "before they began. 200: the same version at the same time was already reported."
        ),
    ),
]
