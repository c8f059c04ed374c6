"""
The hub's intake of documents: each is stored as a message once, however often its system sends it.

So the hub's own code uses the document history, by `exactly_once`. Now and then a document is sent twice, and
now and then the process dies over one, so that there is always something to see. A gentle hub's only: another
one stores what comes, as the hub itself does.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from messages_app.demo.document_intake import IDS
from messages_app.document_history import services
from messages_app.document_history.exactly_once import exactly_once
from messages_app.messages.models import Message

logger = logging.getLogger(__name__)

# Every this many documents one is sent again at once; every this many the process dies over one.
_TWICE, _DIES = 15, 250
# The first death comes early, and of every second such document a copy comes so many documents later.
_FIRST_DEATH, _COPY_AFTER = 12, 5


@dataclass(frozen=True)
class Document:
    """A document as its system sends it; `store` makes it a message."""

    service: str
    uuid: str
    name: str
    content: str
    store: Callable[[], Message]


def _intake(trigger_id: str) -> Callable[..., Message | None]:
    @exactly_once(trigger=trigger_id)
    def store_document(
        *, uuid: str, document: str, document_name: str, store: Callable[[], Message]
    ) -> Message:
        return store()

    return store_document


_BY_SERVICE = {service: _intake(trigger_id) for service, trigger_id in IDS.items()}


class Intake:
    """Takes documents in, and sends some of them again."""

    def __init__(self) -> None:
        self._taken = 0
        self._deaths = 0
        self._copies: list[tuple[int, Document]] = []

    def take_in(self, document: Document) -> Message | None:
        """
        Store a document as a message; None where it is not one, or not for now.

        Raises:
            IntegrityError: its correlation id is there already.
            Error: the database, as for every other write of the hub.
        """
        if document.service not in _BY_SERVICE:
            return document.store()
        self._taken += 1
        if self._taken % _DIES == _FIRST_DEATH:
            self._die_over(document)
            return None
        message = self._ask(document)
        if self._taken % _TWICE == 0:
            self._ask(document)
        self._send_copies()
        return message

    def _die_over(self, document: Document) -> None:
        """Begin to process a document, as a process does that is killed then."""
        services.check(trigger_id=IDS[document.service], uuid=document.uuid, redelivery_count=0)
        self._deaths += 1
        if self._deaths % 2:
            self._copies.append((self._taken + _COPY_AFTER, document))

    def _send_copies(self) -> None:
        due = [document for number, document in self._copies if number <= self._taken]
        self._copies = [(number, document) for number, document in self._copies if number > self._taken]
        for document in due:
            self._ask(document)

    def _ask(self, document: Document) -> Message | None:
        try:
            return _BY_SERVICE[document.service](
                uuid=document.uuid,
                document=document.content,
                document_name=document.name,
                store=document.store,
            )
        except services.HistoryUnavailable as error:
            raise error.__cause__ or error from None
        except (services.TriggerSuspended, services.TriggerNotFound) as error:
            logger.warning("%s %r is not taken in: %s", document.name, document.uuid, error)
            return None
