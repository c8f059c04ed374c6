"""
The intake's history before the hub starts: both entries of the documents of the last days.

Some processes died while they processed a document; some documents arrived twice or without an identifier,
and wait for a person. The same for the same seed and present.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NotRequired, TypedDict

from django.db import connection

from messages_app.audit.services import SYSTEM
from messages_app.core.statements import Statements
from messages_app.demo import documents
from messages_app.demo.drafts import Draft
from messages_app.demo.senders import Senders
from messages_app.demo.world import OPERATIONS, Operation, make_dice
from messages_app.document_history.models import (
    DocumentHistory,
    DocumentInDoubt,
    DocumentOutcome,
    DocumentSweep,
    DocumentTrigger,
)
from messages_app.document_history.services.triggers import create_trigger
from messages_app.document_history.states import (
    RULES,
    EntryStatus,
    InDoubtState,
    Rule,
    Verdict,
)

statements = Statements("messages_app.demo")


_DAY = 86_400


class TriggerProperties(TypedDict):
    """The arguments of `create_trigger`."""

    trigger_id: str
    name: str
    history_ttl_seconds: NotRequired[int]
    use_history: NotRequired[bool]


# By service.
TRIGGERS: dict[str, TriggerProperties] = {
    "order": {"trigger_id": "demo-orders", "name": "Orders", "history_ttl_seconds": 2 * _DAY},
    "billing": {"trigger_id": "demo-invoices", "name": "Invoices", "history_ttl_seconds": 7 * _DAY},
    "payment": {"trigger_id": "demo-payments", "name": "Payments", "history_ttl_seconds": 2 * _DAY},
    "metering": {"trigger_id": "demo-readings", "name": "Meter readings", "use_history": False},
}
IDS = {service: properties["trigger_id"] for service, properties in TRIGGERS.items()}
# Those whose trigger uses the history.
RECORDED = [service for service, properties in TRIGGERS.items() if properties.get("use_history", True)]


def make_triggers() -> None:
    """Create missing triggers. A deleted one is not created again."""
    trigger_ids = set(DocumentTrigger.objects.values_list("trigger_id", flat=True))
    for properties in TRIGGERS.values():
        if properties["trigger_id"] not in trigger_ids:
            create_trigger(actor=SYSTEM, reason="The demo's intake of documents.", **properties)


_MINUTE, _HOUR = timedelta(minutes=1), timedelta(hours=1)
# How long ago a process died while it processed a document, and whether a copy has arrived.
_DIED = ((40 * _MINUTE, False), (3 * _HOUR, True), (9 * _HOUR, True), (26 * _HOUR, True))
_DUPLICATES = 120
_SWEEPS = 24


def load_intake(*, seed: int, now: float) -> None:
    """Create the history of the loaded messages, including failures, unless one exists."""
    if DocumentHistory.objects.exists():
        return
    make_triggers()
    _take_in_all()
    past = _Past(at=datetime.fromtimestamp(now, UTC), random=make_dice(f"intake {seed}"))
    past.write()


def _take_in_all() -> None:
    """Store both entries of each document that came within the time to live of its trigger."""
    with connection.cursor() as cursor:
        for service in RECORDED:
            cursor.execute(statements.read_text("taken_in"), {"trigger_id": IDS[service], "service": service})


class _Past:
    """The history of the intake before the demo was loaded."""

    def __init__(self, *, at: datetime, random: Random) -> None:
        self._at = at
        self._random = random
        self._senders = Senders(random=random, name="D")
        self._doubts: list[DocumentInDoubt] = []

    def write(self) -> None:
        for service in RECORDED:
            for age, has_come_again in _DIED:
                self._add_unfinished(service, age * self._random.uniform(0.8, 1.1), has_come_again)
        self._add_doubts()
        # Ids follow the order of time.
        DocumentInDoubt.objects.bulk_create(sorted(self._doubts, key=lambda line: line.received_at))
        self._add_duplicates()
        self._sweep()

    def _add_unfinished(self, service: str, age: timedelta, has_come_again: bool) -> None:
        """Add a document whose process died; a copy that arrived later is in doubt."""
        operation, uuid = self._make_document(service)
        began = self._at - age
        trigger_id = IDS[service]
        DocumentHistory.objects.create(
            trigger_id=trigger_id, document_uuid=uuid, status=EntryStatus.PROCESSING, time=began
        )
        if has_come_again:
            came = began + self._random.uniform(1, 9) * _MINUTE
            self._add_doubt(
                Rule.PROCESSING_ONLY, operation, trigger_id, uuid=uuid, identifier=uuid, at=came, count=1
            )

    def _add_doubts(self) -> None:
        """Add documents without a usable identifier, and two of the trigger without a history."""
        settled = {
            "state": InDoubtState.SETTLED,
            "resolved_by": SYSTEM.username,
            "resolved_at": self._at - 29 * _HOUR,
            "reason": "The readings of that day are in the meter system.",
        }
        doubts: Sequence[tuple[Rule, str, int, dict[str, Any]]] = (
            (Rule.NO_UUID, "payment", 5, {}),
            (Rule.UUID_TOO_LONG, "billing", 17, {}),
            (Rule.REDELIVERED, "metering", 2, {"count": 2}),
            (Rule.REDELIVERED, "metering", 30, {"count": 2, **settled}),
        )
        for rule, service, hours, columns in doubts:
            operation, uuid = self._make_document(service)
            if rule is Rule.UUID_TOO_LONG:
                columns["identifier"] = f"https://billing.intra.example/documents/{uuid}/" + "revision/" * 8
            elif rule is Rule.REDELIVERED:
                columns |= {"uuid": uuid, "identifier": uuid}
            self._add_doubt(rule, operation, IDS[service], at=self._at - hours * _HOUR, **columns)

    def _add_doubt(
        self,
        rule: Rule,
        operation: Operation,
        trigger_id: str,
        *,
        at: datetime,
        uuid: str = "",
        identifier: str = "",
        count: int = 0,
        **columns: object,
    ) -> None:
        line = DocumentInDoubt(
            trigger_id=trigger_id,
            document_uuid=uuid,
            identifier=identifier,
            document_name=operation.name,
            redelivery_count=count,
            rule=rule,
            message=RULES[rule].words,
            document=self._make_content(operation, at),
            received_at=at,
            last_received_at=at,
            **columns,
        )
        self._doubts.append(line)
        self._add_outcome(rule, trigger_id, operation.name, identifier, at, count)

    def _add_duplicates(self) -> None:
        """Add documents that their systems sent twice, more of them while the network was bad."""
        for number in range(_DUPLICATES):
            service = RECORDED[number % len(RECORDED)]
            operation, uuid = self._make_document(service)
            hours = 6 + self._random.random() if number % 4 == 0 else 48 * self._random.random() ** 2
            at = self._at - hours * _HOUR
            self._add_outcome(Rule.BOTH_ENTRIES, IDS[service], operation.name, uuid, at, number % 2)

    def _add_outcome(
        self, rule: Rule, trigger_id: str, name: str, identifier: str, at: datetime, count: int
    ) -> None:
        DocumentOutcome.objects.create(
            trigger_id=trigger_id,
            document_name=name,
            identifier=identifier,
            status=RULES[rule].verdict or Verdict.IN_DOUBT,
            at=at,
            redelivery_count=count,
            decided_by=RULES[rule].decided_by,
            rule=rule,
            message=RULES[rule].words,
        )

    def _sweep(self) -> None:
        """Add the last runs of the sweeper, ten minutes apart."""
        for number in range(_SWEEPS, 0, -1):
            began = self._at - number * 10 * _MINUTE
            removed = {IDS[service]: 2 * self._random.randrange(0, 8) for service in RECORDED}
            removed = {key: count for key, count in removed.items() if count}
            DocumentSweep.objects.create(
                started_at=began,
                finished_at=began + timedelta(milliseconds=20 + self._random.randrange(60)),
                actor=SYSTEM.username,
                removed=sum(removed.values()),
                removed_by_trigger=removed,
            )

    def _make_document(self, service: str) -> tuple[Operation, str]:
        """Return the type of a document of a service, and its UUID."""
        operations = [one for one in OPERATIONS.values() if one.service == service and one.weight]
        operation = self._random.choice(operations)
        return operation, self._senders.make_root(operation, self._at.timestamp()).correlation_id

    def _make_content(self, operation: Operation, at: datetime) -> str:
        draft = self._senders.make_root(operation, at.timestamp())
        return content_of(draft, at=at.timestamp(), random=self._random)


def content_of(draft: Draft, *, at: float, random: Random) -> str:
    """Return the document that a draft represents, as its system sends it."""
    fill = documents.fill_template(draft, at=at, number=draft.number, random=random)
    return documents.payload_template(draft.operation, random) % fill
