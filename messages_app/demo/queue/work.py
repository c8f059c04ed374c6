"""
What the demo's services do with a message: nothing, for about a second; some of it fails.

For `python -m messages_app.cp_queue.worker --callable`. Imports nothing of Django.
"""

import threading

from messages_app.cp_queue.worker.client import Message
from messages_app.cp_queue.worker.work import TryAgain

# Of so many objects one has a page that no converter knows, and one a font that is fetched again and again.
_NO_CONVERTER, _NO_FONT = 40, 55
_SECONDS = (0.3, 2.0)


def index(message: Message) -> str:
    """Index an object: always well."""
    _work(message)
    return "OK"


def render(message: Message) -> str:
    """Render an object. Raises TryAgain: a font is missing, and may come."""
    _work(message)
    if message.object_id % _NO_CONVERTER == 0:
        return "FAILED: no converter for image/x-pcx"
    if message.object_id % _NO_FONT == 0:
        raise TryAgain
    return "OK"


def _work(message: Message) -> None:
    shortest, longest = _SECONDS
    share = int(message.guid[:4], 16) / 0xFFFF
    threading.Event().wait(shortest + share * (longest - shortest))
