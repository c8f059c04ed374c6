"""Sending the room's statements. Apart from their texts, which Spark's driver sends its own way."""

from messages_app.messages.failing.sql import statement
from messages_app.sending import Sender

sender = Sender(statement)
