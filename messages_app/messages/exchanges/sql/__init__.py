"""The hand-written SQL of external calls, one statement a file."""

from messages_app.statements import Statements

statement = Statements(__name__)
