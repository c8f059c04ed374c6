"""Sending the room's own statements."""

from messages_app.access.sql import statement
from messages_app.sending import Sender

_sender = Sender(statement)
row_of = _sender.row_of
count_of = _sender.count_of
