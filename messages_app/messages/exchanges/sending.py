"""Sending the room's statements."""

from messages_app.messages.exchanges.sql import statement
from messages_app.sending import Sender

sender = Sender(statement)
