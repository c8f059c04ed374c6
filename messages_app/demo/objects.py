"""The objects that documents are about, as the CP queue numbers them."""

import re

from messages_app.cp_queue.states import SUB_TYPES
from messages_app.demo.document_intake import TRIGGERS

# The main type of an object, by the service of its documents.
MAIN_TYPES = {service: number for number, service in enumerate(TRIGGERS, start=1)}
# Numbers of objects have eight digits.
_NUMBERS = 100_000_000
_NUMBER = re.compile(r"(?<![0-9])[0-9]+$")


def object_of(service: str, object_id: str | None) -> tuple[int, int] | None:
    """Return (osid, ostype) of what a document is about; None where it is about nothing with a number."""
    number = _NUMBER.search(object_id or "")
    if number is None or service not in MAIN_TYPES:
        return None
    main_type = MAIN_TYPES[service]
    return main_type * _NUMBERS + int(number.group()) % _NUMBERS, main_type * SUB_TYPES
