"""A processor that workers of a test import: it notes each message, in the transaction of its records."""

from django.db import connection

from messages_app.message_store.extensions import Written, processors


@processors.register("tests.note")
def note(written: Written) -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO noted_by_test (message_identifier) VALUES (%s)", [written.identifier])
