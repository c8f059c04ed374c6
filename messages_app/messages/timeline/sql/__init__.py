"""The hand-written SQL of the history of states, one statement a file."""

from messages_app.sending import Sender
from messages_app.statements import Statements

sender = Sender(Statements(__name__))
