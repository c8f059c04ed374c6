"""The room's hand-written SQL, one statement a file."""

from messages_app.statements import Statements

statement = Statements(__name__)
