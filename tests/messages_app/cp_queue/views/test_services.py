import pytest
from django.db.models.functions import Now

from messages_app.core.clock import database_clock
from messages_app.cp_queue.models import CpService
from messages_app.cp_queue.services.pickup import get_next
from tests.support.page_client import client_of, text_of
from tests.support.queues import guid_of, remaining_messages, store

pytestmark = pytest.mark.django_db
SERVICES = "/cp-queue/services/"
DISPATCH = "/cp-queue/services/dispatch/"


class TestServiceList:
    def test_shows_the_standing_of_each(self):
        store("A")
        get_next(queues="RENDITION", service="cache-1")
        get_next(queues="PAGECOUNT", service="counter-1")
        store("B", lock="gone-1")
        CpService.objects.create(service="away-1", queues="X", last_poll="2026-01-01T00:00:00Z")
        page = text_of(client_of("support").get(SERVICES))
        for words in ("working", "polling", "probably dead", "away", "never"):
            assert words in page
        assert "/cp-queue/reset/" not in page

    def test_counts_the_messages_that_were_reserved_outside_the_console(self):
        store("A")
        get_next(queues="RENDITION", service="cache-1")
        store("B", lock="cache-1")
        store("C", lock="cache-1")
        page = text_of(client_of("support").get(SERVICES))
        assert '<div class="u-second">2 unknown</div>' in page

    def test_links_operators_to_the_reset(self):
        store("A", lock="gone 1")
        assert "/cp-queue/reset/?service=gone%201" in text_of(client_of("operator").get(SERVICES))

    def test_shows_how_services_poll_if_none_is_known(self):
        assert "No services yet" in text_of(client_of("support").get(SERVICES))

    def test_does_not_treat_a_polling_service_as_dead(self):
        store("A", lock="cache-1")
        CpService.objects.create(service="cache-1", queues="RENDITION", last_poll=Now())
        assert "probably dead</span>" not in text_of(client_of("support").get(SERVICES))


class TestDispatchService:
    def test_has_only_the_values_of_its_service(self):
        for number in range(3):
            store(f"A {number}", osid=number, lock="W9")
        store("B", osid=9, lock="W8")
        get_next(queues="RENDITION", service="alive-1")
        client = client_of("operator")
        found = {}
        for name in ("W9", "W8", "alive-1", "nobody"):
            answer = client.get(DISPATCH, {"service": name})
            context = answer.context
            assert (answer.status_code, context["name"], context["most"]) == (200, name, 1000)
            assert context["form"].initial["service"] == name
            found[name] = (context["held"], context["is_alive"])
        assert found == {"W9": (3, False), "W8": (1, False), "alive-1": (0, True), "nobody": (0, False)}

    def test_leaves_what_was_reserved_after_the_count(self):
        store("A", osid=1)
        get_next(queues="RENDITION", service="W9")
        counted_at = database_clock().isoformat()
        store("B", osid=2)
        get_next(queues="RENDITION", service="W9")
        asked = {"service": "W9", "counted_at": counted_at, "result": "RETRY", "reason": "its host is gone"}
        client = client_of("operator")
        answer = client.post(DISPATCH, asked, follow=True)
        assert answer.redirect_chain == [("/cp-queue/services/", 302)]
        assert "Dispatched 1 message: 1 deferred." in text_of(answer)
        assert remaining_messages() == {guid_of("A"): None, guid_of("B"): "W9"}
        assert "Dispatched 0 messages." in text_of(client.post(DISPATCH, asked, follow=True))

    def test_refuses_what_no_form_sends(self):
        asked = {"counted_at": database_clock().isoformat(), "result": "OK", "reason": "its host is gone"}
        client = client_of("operator")
        assert client.post(DISPATCH, asked | {"service": "x" * 129}).status_code == 404


class TestServiceContexts:
    def test_has_all_services_with_what_is_probably_dead(self, settings):
        settings.CP_SILENT_SECONDS = 90
        store("A", lock="dead-1")
        store("B", lock="dead-1", osid=6)
        store("C", osid=7)
        get_next(queues="RENDITION,PAGECOUNT", service="alive-1")
        context = client_of("support").get("/cp-queue/services/").context
        lines = [(line.service.service, line.service.reserved, line.queues) for line in context["lines"]]
        assert lines == [("dead-1", 2, []), ("alive-1", 1, ["RENDITION", "PAGECOUNT"])]
        assert [line.standing.text for line in context["lines"]] == ["probably dead", "working"]
        assert (context["is_cut"], context["most_held"]) == (False, 249)
        hint = "Probably dead: it holds messages and has not polled for 90 s"
        assert context["hint_of_states"] == hint
