import pytest
from django.db.models.functions import Now

from messages_app.cp_queue import services
from messages_app.cp_queue.models import CpService
from tests.support.page_client import client_of, text_of
from tests.support.queues import store

pytestmark = pytest.mark.django_db
SERVICES = "/cp-queue/services/"


class TestServiceList:
    def test_shows_the_standing_of_each(self):
        store("A")
        services.get_next(queues="RENDITION", service="cache-1")
        services.get_next(queues="PAGECOUNT", service="counter-1")
        store("B", lock="gone-1")
        CpService.objects.create(service="away-1", queues="X", last_poll="2026-01-01T00:00:00Z")
        page = text_of(client_of("support").get(SERVICES))
        for words in ("working", "polling", "probably dead", "away", "never"):
            assert words in page
        assert "/cp-queue/reset/" not in page

    def test_counts_the_messages_that_were_reserved_outside_the_console(self):
        store("A")
        services.get_next(queues="RENDITION", service="cache-1")
        store("B", lock="cache-1")
        store("C", lock="cache-1")
        page = text_of(client_of("support").get(SERVICES))
        assert '<div class="second-line">2 unknown</div>' in page

    def test_links_operators_to_the_reset(self):
        store("A", lock="gone 1")
        assert "/cp-queue/reset/?service=gone%201" in text_of(client_of("operator").get(SERVICES))

    def test_shows_how_services_poll_if_there_are_none(self):
        assert "No services yet" in text_of(client_of("support").get(SERVICES))

    def test_does_not_treat_a_polling_service_as_dead(self):
        store("A", lock="cache-1")
        CpService.objects.create(service="cache-1", queues="RENDITION", last_poll=Now())
        assert "probably dead</span>" not in text_of(client_of("support").get(SERVICES))
