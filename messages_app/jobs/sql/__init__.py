"""The room's hand-written SQL, one statement a file."""

from messages_app.statements import reader

statement = reader(__name__)
