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
# An earlier time is a mistake of the sender, such as a clock that was never set.
MAX_YEARS = 10
_MAX_AGE = timedelta(days=365.25 * MAX_YEARS)


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
        Problem: 400, `at` is in the future, or more than MAX_YEARS ago.
    """
    if at is not None:
        _check_time(at, now=database_clock())
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


def _check_time(at: datetime, *, now: datetime) -> None:
    if at > now + MAX_AHEAD:
        raise bad_field("at", "out_of_range", "at must not be in the future.")
    if at < now - _MAX_AGE:
        raise bad_field("at", "out_of_range", f"at must not be more than {MAX_YEARS} years ago.")
