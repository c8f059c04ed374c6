"""The source definitions of the demo's data hub, and a document as a message of one of them."""

from messages_app.audit.services import SYSTEM
from messages_app.message_store import services
from messages_app.message_store.models import SourceDefinition

SYSTEM_NAME = "hub"
_TEXT, _AMOUNT = {"type": "string", "maxLength": 60}, {"type": "number", "minimum": 0}


def _schema(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": {"id": _TEXT} | properties, "required": ["id", *properties]}


DEFINITIONS = (
    services.Definition(
        system=SYSTEM_NAME,
        entity="customer",
        key_fields=["id"],
        json_schema=_schema(name=_TEXT),
    ),
    services.Definition(
        system=SYSTEM_NAME,
        entity="order",
        key_fields=["id"],
        json_schema=_schema(customer=_TEXT, amount=_AMOUNT),
        references={"customer": "customer"},
    ),
    services.Definition(
        system=SYSTEM_NAME,
        entity="invoice",
        key_fields=["id"],
        json_schema=_schema(customer=_TEXT, amount=_AMOUNT),
        references={"customer": "customer"},
    ),
    services.Definition(
        system=SYSTEM_NAME,
        entity="payment",
        key_fields=["id"],
        json_schema=_schema(customer=_TEXT, amount=_AMOUNT),
        references={"customer": "customer"},
    ),
)
# The entity of the documents of a service.
ENTITIES = {"order": "order", "billing": "invoice", "payment": "payment"}


def make_definitions() -> None:
    """Make the definitions, unless there are any: one that somebody removed stays so."""
    if SourceDefinition.objects.exists():
        return
    for definition in DEFINITIONS:
        services.define(definition=definition, actor=SYSTEM, reason="The demo's data hub.")
