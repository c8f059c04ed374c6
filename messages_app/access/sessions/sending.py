"""Sending the sessions' own statements."""

from messages_app.access.sessions.sql import statement
from messages_app.sending import Sender

_sender = Sender(statement)
row_of = _sender.row_of
rows_of = _sender.rows_of
count_of = _sender.count_of
