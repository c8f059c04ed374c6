"""
Passing documents on to the data hub: each leaves a message in the message store, once.

Now and then the customer that documents refer to comes after them: they lack it, wait, and are processed when
it comes. Now and then a document breaks the schema. A gentle hub's only, as the intake is.
"""

import uuid

from messages_app.audit.services import Actor
from messages_app.demo.data_hub.definitions import ENTITIES, SYSTEM_NAME, object_fields
from messages_app.demo.documents import FIRST_NAMES, LAST_NAMES
from messages_app.message_store import services
from messages_app.messages.models import Message

_HUB = Actor(username="demo hub")
_NAMESPACE = uuid.UUID("6f1c1a52-6a3c-5c0f-9a55-2d1f3c6b7e10")
# So many documents in a row are of one customer; every so many customers one comes so many documents late.
_OF_ONE, _LATE_EVERY, _LATE_BY = 5, 3, 4
# Every so many documents one has an amount that is none.
_BROKEN_EVERY = 45


class DataHub:
    """Makes messages of the store of the documents that a hub takes in."""

    def __init__(self) -> None:
        self._passed = 0
        # Tells this hub's customers from those of one before.
        self._first_id: int | None = None

    def pass_on(self, message: Message) -> str | None:
        """
        Store a document's message, and its customer's where that is due; return the identifier.

        None: no entity is of this service.

        Raises:
            Error: the database, as for every other write of the hub.
        """
        entity = ENTITIES.get(message.service_name)
        if entity is None:
            return None
        number, self._passed = self._passed, self._passed + 1
        customer, place = divmod(number, _OF_ONE)
        self._first_id = self._first_id or message.msg_id
        name = f"C-{self._first_id}-{customer}"
        is_late = customer % _LATE_EVERY == _LATE_EVERY - 1
        if place == (_LATE_BY if is_late else 0):
            self._send("customer", name, {"id": name, "name": _name_of(customer)})
        amount = "unknown" if number % _BROKEN_EVERY == _BROKEN_EVERY - 1 else 10 + message.msg_id % 990
        record = {"id": message.object_id or str(message.msg_id), "customer": name, "amount": amount}
        record |= object_fields(message.service_name, message.object_id)
        return self._send(entity, message.correlation_id, record)

    def _send(self, entity: str, document: str, record: dict[str, object]) -> str:
        identifier = str(uuid.uuid5(_NAMESPACE, f"{entity}:{document}"))
        sent = {"identifier": identifier, "system": SYSTEM_NAME, "entity": entity, "data": [record]}
        return services.store_message(services.read_message(sent), actor=_HUB).identifier


def _name_of(customer: int) -> str:
    return f"{FIRST_NAMES[customer % len(FIRST_NAMES)]} {LAST_NAMES[customer * 7 % len(LAST_NAMES)]}"
