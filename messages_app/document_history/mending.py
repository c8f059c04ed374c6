"""
Makes the list of open documents right again, after a gap in what its triggers noted.

Source: docs/decisions/0023-nothing-fails-the-hub.md.
"""

from django.db import transaction

from messages_app.document_history.sql import statement
from messages_app.sending import Sender

_sender = Sender(statement)


@transaction.atomic
def mend_open() -> int:
    """Add what is missing from the list, remove what is wrong in it, and return how many documents."""
    return _sender.count_of("add_open", {}) + _sender.count_of("remove_not_open", {})
