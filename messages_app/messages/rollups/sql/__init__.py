"""The hand-written SQL of the counts, one statement a file."""

from messages_app.sending import Sender
from messages_app.statements import Statements

statement = Statements(__name__)
sender = Sender(statement)
