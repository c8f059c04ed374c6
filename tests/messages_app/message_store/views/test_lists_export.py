import csv
import json

import pytest

from messages_app.audit.models import AuditEntry
from tests.support.page_client import client_of, text_of
from tests.support.stores import set_process, store

pytestmark = pytest.mark.django_db
EXPORT = "/message-store/messages/export/"


def lines_of(answer) -> list[str]:
    return b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()


class TestExport:
    def test_returns_the_list_in_its_order_with_its_filter(self):
        first, second, other = store(), store(user="=cmd()"), store(entity="order")
        set_process(second, status=20, error_message="why")
        client = client_of("support")
        asked = "source_entity=customer&ordering=message_timestamp"
        page = text_of(client.get(f"/message-store/messages/?{asked}"))
        assert f"{EXPORT}?format=csv&amp;".replace("amp;", "") in page.replace("amp;", "")
        rows = list(csv.DictReader(lines_of(client.get(f"{EXPORT}?format=csv&{asked}"))))
        assert [row["message_identifier"] for row in rows] == [first, second]
        assert (rows[1]["status"], rows[1]["status_name"], rows[1]["error_message"]) == (
            "20",
            "general error",
            "why",
        )
        # A spreadsheet must not run it.
        assert not rows[1]["user_name"].startswith("=")
        objects = [json.loads(line) for line in lines_of(client.get(f"{EXPORT}?format=jsonl&status=0"))]
        assert [row["message_identifier"] for row in objects] == [other, first]
        assert AuditEntry.objects.filter(action="export_stored").count() == 2

    @pytest.mark.parametrize("query", ["format=xml", "status=broken", "ordering=data", "nonsense=1"])
    def test_rejects_unknown_parameters(self, query):
        assert client_of("support").get(f"{EXPORT}?{query}").status_code == 400
