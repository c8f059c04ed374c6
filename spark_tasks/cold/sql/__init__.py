"""What the Parquet archive says to PostgreSQL, one statement a file."""

from messages_app.statements import Statements

statement = Statements(__name__)
