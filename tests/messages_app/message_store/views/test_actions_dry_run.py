import pytest

from messages_app.message_store.models import TargetRecord
from tests.support.page_client import client_of, text_of
from tests.support.stores import define, process, store

pytestmark = pytest.mark.django_db


class TestDryRun:
    def test_names_each_record_and_the_fields_that_would_differ(self):
        define()
        process(store([{"id": 1, "name": "Ada"}]))
        key = store([{"id": 1, "name": "Grace"}, {"id": 2}])
        page = text_of(client_of("operator").get(f"/message-store/messages/{key}/rehearsal/"))
        for words in ("10 processed", "[2]", "changed", ">name<"):
            assert words in page
        assert "Grace" not in page
        assert TargetRecord.objects.count() == 1

    def test_shows_what_would_go_wrong(self):
        key = store()
        page = text_of(client_of("operator").get(f"/message-store/messages/{key}/rehearsal/"))
        assert "There is no source definition for the system" in page

    def test_is_for_operators(self):
        assert client_of("support").get(f"/message-store/messages/{store()}/rehearsal/").status_code == 403
