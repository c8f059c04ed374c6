"""The only write to deployments: someone reports one."""

from datetime import datetime, timedelta

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.clock import database_clock
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.incidents.deployments.models import Deployment

statements = Statements("messages_app.incidents.deployments")

# The clock of a build server can be ahead.
MAX_AHEAD = timedelta(minutes=5)


def note_deployment(
    *,
    service_name: str,
    version: str,
    actor: audit.Actor,
    at: datetime | None = None,
    note: str = "",
) -> tuple[Deployment, bool]:
    """
    Record that a version of a service went into operation. Return the deployment, and whether it is new.

    A deployment of the same version at the same time is the same deployment, which is not changed.

    Args:
        at: when; None: now, by the database's clock.

    Raises:
        Problem: 400, `at` is in the future.
    """
    if at is not None and at > database_clock() + MAX_AHEAD:
        raise bad_field("at", "out_of_range", "at must not be in the future.")
    values = {"service_name": service_name, "version": version, "at": at, "note": note}
    with transaction.atomic():
        row = statements.fetch_row("add_deployment", values | {"noted_by": actor.username})
        if row is None:
            key = {"service_name": service_name, "version": version, "at": at}
            return Deployment.objects.get(**key), False
        deployment = Deployment.objects.get(pk=row[0])
        audit.record_entry(
            actor=actor,
            action="note_deployment",
            details={**values, "deployment_id": deployment.pk, "at": deployment.at.isoformat()},
        )
    return deployment, True
