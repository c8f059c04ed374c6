"""The hand-written SQL of the reports, one statement a file."""

from messages_app.statements import Statements

statement = Statements(__name__)
