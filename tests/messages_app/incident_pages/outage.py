"""An outage of a bank for two services, gathered by the real pass, with what was released before it."""

from datetime import timedelta

from messages_app.core.clock import database_clock
from messages_app.incidents.deployments.models import Deployment
from messages_app.incidents.models import Incident
from tests.messages_app.incidents.small_outages import fail_messages, gather, start_counting

BANK = "connection to https://pay.bank.example/v1 refused"


def make_outage(*, count: int = 9, services: tuple[str, ...] = ("billing", "order")) -> Incident:
    """Return the open incident of an outage that began ten minutes ago."""
    start_counting()
    for service in services:
        fail_messages(count, BANK, service=service, minutes_ago=10)
    Deployment.objects.create(
        service_name="billing",
        version="4.2",
        at=database_clock() - timedelta(minutes=15),
        noted_by="pipeline",
    )
    gather()
    return Incident.objects.get()
