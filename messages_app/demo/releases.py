"""Releases of the demo's services, as a pipeline would have reported them; one is just before the outage."""

from datetime import UTC, datetime

from messages_app.demo.arrival_times import DAY, HOUR, last_outage
from messages_app.incidents.deployments.models import Deployment

# Service, version, note, and how long before the demo was loaded, in seconds.
_RELEASES = (
    ("order", "4.1.3", "Fewer log lines", 9 * DAY),
    ("customer", "7.0.1", "", 6 * DAY + 5 * HOUR),
    ("payment", "2.8.0", "New bank holidays", 3 * DAY + 2 * HOUR),
    ("order", "4.2.0", "Delivery notes", DAY + 4 * HOUR),
)
# Shortly before the outage of the billing system.
_LAST = ("billing", "12.4.0", "New connection pool", 480)


def load_releases(*, now: float) -> None:
    """Store the releases of the last days, unless there are some."""
    if Deployment.objects.exists():
        return
    before_outage = now - last_outage(now).begins_at
    service, version, note, seconds = _LAST
    rows = [*_RELEASES, (service, version, note, before_outage + seconds)]
    Deployment.objects.bulk_create(
        Deployment(
            service_name=service,
            version=version,
            note=note,
            at=datetime.fromtimestamp(now - ago, UTC),
            noted_by="pipeline",
        )
        for service, version, note, ago in rows
    )
