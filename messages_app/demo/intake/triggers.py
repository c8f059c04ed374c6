"""The triggers of the demo's intake, one for each service whose documents it takes in."""

from messages_app.audit.services import SYSTEM
from messages_app.document_history import services
from messages_app.document_history.models import DocumentTrigger

_DAY = 86_400
# By the service: the trigger's id, and its properties.
TRIGGERS = {
    "order": {"trigger_id": "demo-orders", "name": "Orders", "history_ttl_seconds": 2 * _DAY},
    "billing": {"trigger_id": "demo-invoices", "name": "Invoices", "history_ttl_seconds": 7 * _DAY},
    "payment": {"trigger_id": "demo-payments", "name": "Payments", "history_ttl_seconds": 2 * _DAY},
    "metering": {"trigger_id": "demo-readings", "name": "Meter readings", "use_history": False},
}
IDS = {service: properties["trigger_id"] for service, properties in TRIGGERS.items()}
# Those whose trigger uses the history.
RECORDED = [service for service, properties in TRIGGERS.items() if properties.get("use_history", True)]


def make_triggers() -> None:
    """Make the triggers that are not there; one that somebody deleted stays so."""
    known = set(DocumentTrigger.objects.values_list("trigger_id", flat=True))
    for properties in TRIGGERS.values():
        if properties["trigger_id"] not in known:
            services.create_trigger(actor=SYSTEM, reason="The demo's intake of documents.", **properties)
