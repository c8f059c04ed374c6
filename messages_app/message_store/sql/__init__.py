"""The room's hand-written SQL, one statement a file."""

from messages_app.sending import Sender
from messages_app.statements import Statements

statement = Statements(__name__)
sender = Sender(statement)
row_of, rows_of, count_of = sender.row_of, sender.rows_of, sender.count_of
