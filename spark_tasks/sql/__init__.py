"""What executors say to PostgreSQL, one statement a file."""

from messages_app.statements import reader

statement = reader(__name__)
