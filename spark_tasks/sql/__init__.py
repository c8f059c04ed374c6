"""What executors say to PostgreSQL, one statement a file."""

from messages_app.statements import Statements

statement = Statements(__name__)
