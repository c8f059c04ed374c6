"""The hand-written SQL of the search for ids, one statement a file."""

from messages_app.statements import Statements

statement = Statements(__name__)
