"""The sentence at the head of a message's page, and which numbers in its texts are messages."""

import logging
import re
from collections.abc import Iterable

from messages_app.messages import queries
from messages_app.messages.explaining.answer import Explanation
from messages_app.messages.inspecting.tables import MESSAGES
from messages_app.web.time_limits import time_limit

log = logging.getLogger(__name__)

# Each of the explanation's questions takes a few milliseconds; the page does not wait for one that does not.
MAX_MILLISECONDS = 300
_MOST_NUMBERS = 20
# Shorter numbers in a text are counts, ports and status codes, though an id may be as short.
_NUMBER = re.compile(r"(?<![\w.:/-])[0-9]{4,18}(?![\w/-]|\.\w)")


def explanation_of(msg_id: int) -> Explanation | None:
    """Return why the message is where it is; None where that cannot be told: the page opens all the same."""
    try:
        with time_limit(MAX_MILLISECONDS):
            return queries.explain(msg_id)
    except Exception:
        log.exception("message %s was not explained", msg_id)
        return None


def messages_named(texts: Iterable[str | None]) -> set[int]:
    """Return which numbers in these texts are ids of messages, live or archived; of the first few numbers."""
    numbers = dict.fromkeys(int(number) for text in texts for number in _NUMBER.findall(text or ""))
    wanted = list(numbers)[:_MOST_NUMBERS]
    if not wanted:
        return set()
    return {
        msg_id
        for table in MESSAGES
        for msg_id in table.objects.filter(pk__in=wanted).values_list("pk", flat=True)
    }
