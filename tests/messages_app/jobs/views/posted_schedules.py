"""Schedules that tests make by the form."""

from django.http import HttpResponse
from django.test import Client

ARCHIVE = {
    "view": "",
    "every": "cron",
    "older_than_months": "3",
    "to": "tables",
    "cron": "30 2 * * *",
    "zone": "Europe/Prague",
    "reason": "every night",
    "enabled": "on",
}


def post_schedule(client: Client, kind: str = "archive", **changes: str) -> HttpResponse:
    own = {"view": "own"} if changes.get("line") else {}
    return client.post(f"/schedules/new/?kind={kind}", ARCHIVE | own | changes)
