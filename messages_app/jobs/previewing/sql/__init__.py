"""What a quick preview asks the database, one statement a file."""

from messages_app.statements import Statements

statement = Statements(__name__)
