"""
A masked value is in nothing that its reader gets: page, list, file or error
(docs/contributing/spec/promises.md, S-26).
"""

import re

import pytest
from django.test import Client

from messages_app.document_history.models import DocumentInDoubt
from messages_app.message_store.models import MessageStore
from messages_app.messages.models import Message, Request
from tests.messages_app.access.test_permissions import MAY
from tests.pages.every_path import every_path
from tests.support.api_client import BASE
from tests.support.canaries import CANARY, hide_canaries
from tests.support.page_client import client_of, reader_of
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db(transaction=True)

KINDS = ("payload", "envelope")


def paths_of_contents() -> list[str]:
    """Return what shows contents next to the pages of every_path: parts, files, and input that is refused."""
    message = Message.objects.filter(state="FAILED").earliest("pk")
    request = Request.objects.filter(msg_id=message.pk).earliest("pk")
    of_it = f"/messages/{message.pk}/"
    asked = ("", "?view=raw", "?view=hex", "?find=person", "?view=zzz", "?from=-1")
    return [
        *(f"{of_it}{kind}/{query}" for kind in KINDS for query in asked),
        *(f"{of_it}{kind}/download/" for kind in KINDS),
        *(f"{of_it}{part}/" for part in ("calls", "exchanges", "children", "compare", "restart")),
        *(f"{of_it}requests/{request.pk}/{query}" for query in ("", "?view=raw")),
        f"/messages/find/?id={request.pk}",
        *(f"/messages/export/?format={kind}" for kind in ("csv", "jsonl")),
    ]


def paths_of_api() -> list[str]:
    """Return every call that reads, of rows that there are."""
    message = Message.objects.filter(state="FAILED").earliest("pk")
    ids = {
        "messages/": message.pk,
        "message-store/": MessageStore.objects.earliest("pk").pk,
        "document-history/in-doubt/": DocumentInDoubt.objects.earliest("pk").pk,
    }
    found = []
    for method, address in MAY:
        if method == "GET":
            row = next((key for start, key in ids.items() if address.startswith(start)), 1)
            found.append(BASE + re.sub(r"\b777\b", str(row), address))
    return found


def told(reader: Client, paths: list[str]) -> set[str]:
    """Return the answers, of any status, that contain the secret text."""
    found = set()
    for path in paths:
        if CANARY in reader.get(path).getvalue().decode(errors="replace"):
            found.add(path)
    return found


class TestCanary:
    @pytest.mark.parametrize(
        "rights", quick_first([("view_payload",), ()]), ids=["without_a_reason", "without_right"]
    )
    def test_is_not_revealed_to_masked_readers(self, rights):
        paths = every_path()
        hide_canaries()
        paths += paths_of_contents() + paths_of_api()
        assert len(paths) > 150
        admin = reader_of("admin")
        for start in ("/messages/", "/document-history/", "/message-store/", BASE):
            assert any(told(admin, [path]) for path in paths if path.startswith(start)), start
        assert told(client_of("admin", *rights, username="grace"), paths) == set()
