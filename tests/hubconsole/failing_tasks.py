"""Tasks whose lines a test reads in the log of a real worker (`--include tests.hubconsole.failing_tasks`)."""

import logging

from django.db import connection

from hubconsole.celery import app


@app.task
def tell(text: str) -> None:
    logging.getLogger("tests.failing_tasks").warning("No document %s", text)


@app.task
def insert_message(payload: str) -> None:
    """Insert a message without its ids: PostgreSQL refuses it, and shows the whole row in DETAIL."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO message (payload) VALUES (%s)", [payload])
