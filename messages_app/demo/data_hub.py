"""
The demo's data hub: its source definitions, and documents that become messages of the message store.

Some customers arrive after the documents that refer to them, so these documents wait and are processed later.
Some documents do not match the schema. Only a gentle hub passes documents on.
"""

import json
import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from random import Random

from messages_app.audit.services import SYSTEM, Actor
from messages_app.core.statements import Statements
from messages_app.cp_queue.states import SUB_TYPES
from messages_app.demo.document_intake import TRIGGERS
from messages_app.demo.documents import FIRST_NAMES, LAST_NAMES
from messages_app.demo.world import make_dice
from messages_app.message_store.models import MessageProcess, MessageStore, SourceDefinition
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.definitions import Definition, store_definition
from messages_app.message_store.services.intake import read_message, store_message
from messages_app.messages.models import Message
from messages_app.processors import cp_messages
from messages_app.shared.store_states import Status

# The main type of an object, by the service of its documents.
MAIN_TYPES = {service: number for number, service in enumerate(TRIGGERS, start=1)}
# Numbers of objects have eight digits.
_NUMBERS = 100_000_000
_TRAILING_NUMBER = re.compile(r"(?<![0-9])[0-9]+$")


def object_of(service: str, object_id: str | None) -> tuple[int, int] | None:
    """Return (osid, ostype) of the object of a document; None if the object has no number."""
    number = _TRAILING_NUMBER.search(object_id or "")
    if number is None or service not in MAIN_TYPES:
        return None
    main_type = MAIN_TYPES[service]
    return main_type * _NUMBERS + int(number.group()) % _NUMBERS, main_type * SUB_TYPES


SYSTEM_NAME = "hub"
_TEXT, _AMOUNT = {"type": "string", "maxLength": 60}, {"type": "number", "minimum": 0}
_NUMBER = {"type": "integer", "minimum": 0}


def _make_schema(*, optional: Mapping[str, object] | None = None, **properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {"id": _TEXT, **properties, **(optional or {})},
        "required": ["id", *properties],
    }


def _of_documents(entity: str) -> Definition:
    """Return the definition of documents, which refer to a customer and are indexed once they are written."""
    numbers = {cp_messages.OBJECT_ID: _NUMBER, cp_messages.OBJECT_TYPE: _NUMBER}
    return Definition(
        system=SYSTEM_NAME,
        entity=entity,
        key_fields=["id"],
        json_schema=_make_schema(customer=_TEXT, amount=_AMOUNT, optional=numbers),
        references={"customer": "customer"},
        processor=cp_messages.NAME,
    )


# The entity of the documents of a service.
ENTITIES = {"order": "order", "billing": "invoice", "payment": "payment"}
DEFINITIONS = (
    Definition(
        system=SYSTEM_NAME,
        entity="customer",
        key_fields=["id"],
        json_schema=_make_schema(name=_TEXT),
    ),
    *map(_of_documents, ENTITIES.values()),
)


def make_definitions() -> None:
    """Create the definitions, unless some exist. A removed one is not created again."""
    if SourceDefinition.objects.exists():
        return
    for definition in DEFINITIONS:
        store_definition(definition=definition, actor=SYSTEM, reason="The demo's data hub.")


def object_fields(service: str, object_id: str | None) -> dict[str, int]:
    """Return the fields of a document's record that number its object; none where it has none."""
    numbers = object_of(service, object_id)
    names = (cp_messages.OBJECT_ID, cp_messages.OBJECT_TYPE)
    return dict(zip(names, numbers, strict=True)) if numbers else {}


_HUB = Actor(username="demo hub")
statements = Statements("messages_app.demo")
_NAMESPACE = uuid.UUID("6f1c1a52-6a3c-5c0f-9a55-2d1f3c6b7e10")
# Documents in a row from one customer; every how many customers one is late; and by how many documents.
_OF_ONE, _LATE_EVERY, _LATE_BY = 5, 3, 4
# One of this many documents has an amount that is not a number.
_BROKEN_EVERY = 200


class DataHub:
    """Turns the documents that a hub takes in into messages of the store."""

    def __init__(self) -> None:
        self._passed = 0
        # Distinguishes this hub's customers from those of an earlier one.
        self._first_id: int | None = None

    def pass_on(self, message: Message) -> str | None:
        """
        Store a document's message, and its customer's if that is due; return the identifier.

        None: the service has no entity.

        Raises:
            Error: the database failed, as in every other write of the hub.
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
        record: dict[str, object] = {
            "id": message.object_id or str(message.msg_id),
            "customer": name,
            "amount": amount,
        }
        record |= object_fields(message.service_name, message.object_id)
        return self._send(entity, message.correlation_id, record)

    def _send(self, entity: str, document: str, record: Mapping[str, object]) -> str:
        identifier = str(uuid.uuid5(_NAMESPACE, f"{entity}:{document}"))
        sent = {"identifier": identifier, "system": SYSTEM_NAME, "entity": entity, "data": [record]}
        return store_message(read_message(sent), actor=_HUB).identifier


def _name_of(customer: int) -> str:
    return f"{FIRST_NAMES[customer % len(FIRST_NAMES)]} {LAST_NAMES[customer * 7 % len(LAST_NAMES)]}"


# The history of the demo's data hub: messages of two months that were stored, processed and retried. They use
# the store's own services, so each has its history and its records; only their times are in the past. A
# system that was switched off for weeks left orders that gave up waiting for their customers. The customers
# have arrived meanwhile, so one bulk reprocess fixes the orders.
_CUSTOMERS, _DOCUMENTS, _GAVE_UP, _WAITING, _BROKEN = 40, 120, 24, 6, 5
_DAY = timedelta(days=1)
# The system gave up its orders when it was switched on again, an hour before their customers arrived.
_SWITCHED_ON, _ARRIVED = timedelta(hours=3), timedelta(hours=2)
_SERVICES = {entity: service for service, entity in ENTITIES.items()}


def load_data_hub(*, seed: int, now: float) -> None:
    """Store and process what came in the last two months; in the caller's transaction."""
    make_definitions()
    past = _Past(datetime.fromtimestamp(now, UTC), make_dice(f"data hub {seed}"))
    past.load()


class _Past:
    def __init__(self, now: datetime, random: Random) -> None:
        self._now = now
        self._random = random

    def load(self) -> None:
        late = [self._name_of(number) for number in range(_CUSTOMERS, _CUSTOMERS + 4)]
        for number in range(_GAVE_UP):
            self._store_document(late[number % len(late)], age=45 * _DAY + number * _DAY / 8)
        for number in range(_CUSTOMERS):
            self._store_customer(self._name_of(number), number, age=(58 - number) * _DAY)
        for number, name in enumerate(late):
            self._store_customer(name, number, age=_ARRIVED)
        for _ in range(_DOCUMENTS):
            name = self._name_of(self._random.randrange(_CUSTOMERS))
            self._store_document(name, age=self._random.random() ** 2 * 17 * _DAY, is_processed=True)
        for number in range(_BROKEN):
            self._store_document(self._name_of(number), age=number * _DAY, amount="unknown")
        for number in range(_WAITING):
            self._store_document(self._name_of(900 + number // 2), age=timedelta(hours=1 + 5 * number))
        self._store_record("supplier", {"id": "S-1"}, age=3 * _DAY)
        self._time_attempts()

    def _time_attempts(self) -> None:
        """Move the attempts to the times at which the messages came; the store made them all just now."""
        values = {
            "gave_up": Status.REPROCESS_TIMEOUT,
            "ended_from": Status.PROCESSED,
            "switched_on_at": self._now - _SWITCHED_ON,
        }
        statements.count("past_attempts", values)

    def _name_of(self, number: int) -> str:
        return f"C-{10_000 + number}"

    def _store_customer(self, key: str, number: int, *, age: timedelta) -> None:
        name = f"{FIRST_NAMES[number % len(FIRST_NAMES)]} {LAST_NAMES[number * 3 % len(LAST_NAMES)]}"
        self._store_record("customer", {"id": key, "name": name}, age=age)

    def _store_document(
        self, customer: str, *, age: timedelta, amount: object = None, is_processed: bool = False
    ) -> None:
        entity = self._random.choice(tuple(_SERVICES))
        key = f"{entity[0].upper()}-{self._random.randrange(10**6):06}"
        amount = self._random.randrange(10, 900) if amount is None else amount
        record = {"id": key, "customer": customer, "amount": amount}
        # Earlier messages are already indexed; the ones that succeed from now on must be.
        record |= {} if is_processed else object_fields(_SERVICES[entity], key)
        self._store_record(entity, record, age=age)

    def _store_record(self, entity: str, record: dict[str, object], *, age: timedelta) -> None:
        """Store one message of that age, and make its first attempt."""
        at = self._now - age
        key = str(uuid.UUID(int=self._random.getrandbits(128), version=4))
        MessageStore.objects.create(
            message_identifier=key,
            source_system=SYSTEM_NAME,
            source_entity=entity,
            message_timestamp=at,
            effective_timestamp=at,
            user_name="demo hub",
            refresh=False,
            data=json.dumps([record]),
        )
        MessageProcess.objects.create(message_identifier=key, status=Status.NOT_PROCESSED)
        process_message(key)
