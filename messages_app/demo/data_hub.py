"""The source definitions of the demo's data hub, and a document as a message of one of them."""

from messages_app.audit.services import SYSTEM
from messages_app.demo.objects import object_of
from messages_app.message_store import services
from messages_app.message_store.models import SourceDefinition
from messages_app.processors import cp_messages

SYSTEM_NAME = "hub"
_TEXT, _AMOUNT = {"type": "string", "maxLength": 60}, {"type": "number", "minimum": 0}
_NUMBER = {"type": "integer", "minimum": 0}


def _schema(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": {"id": _TEXT} | properties, "required": ["id", *properties]}


def _of_documents(entity: str) -> services.Definition:
    """Return the definition of documents: of a customer, and to be indexed once they are written."""
    schema = _schema(customer=_TEXT, amount=_AMOUNT)
    schema["properties"] |= {cp_messages.OBJECT_ID: _NUMBER, cp_messages.OBJECT_TYPE: _NUMBER}
    return services.Definition(
        system=SYSTEM_NAME,
        entity=entity,
        key_fields=["id"],
        json_schema=schema,
        references={"customer": "customer"},
        processor=cp_messages.NAME,
    )


# The entity of the documents of a service.
ENTITIES = {"order": "order", "billing": "invoice", "payment": "payment"}
DEFINITIONS = (
    services.Definition(
        system=SYSTEM_NAME,
        entity="customer",
        key_fields=["id"],
        json_schema=_schema(name=_TEXT),
    ),
    *map(_of_documents, ENTITIES.values()),
)


def make_definitions() -> None:
    """Make the definitions, unless there are any: one that someone removed stays so."""
    if SourceDefinition.objects.exists():
        return
    for definition in DEFINITIONS:
        services.define(definition=definition, actor=SYSTEM, reason="The demo's data hub.")


def object_fields(service: str, object_id: str | None) -> dict[str, int]:
    """Return the fields of a document's record that number its object; none where it has none."""
    found = object_of(service, object_id)
    names = (cp_messages.OBJECT_ID, cp_messages.OBJECT_TYPE)
    return dict(zip(names, found, strict=True)) if found else {}
