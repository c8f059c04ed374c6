"""The search finds whole ids first, then everything else that a text can mean."""

import pytest
from django.contrib.auth import get_user_model

from messages_app.finding.search_sources import search_everything
from messages_app.jobs.models import Job
from tests.support.factories import make_message
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def support():
    client_of("support")
    return get_user_model().objects.get()


class TestSearchEverything:
    def test_separates_whole_ids_from_other_results(self, support):
        make_message(correlation_id="order-1", service_name="orders", process_id="order-12")
        matches = search_everything("order-1", support)
        assert [kind.name for kind in matches.ids] == ["correlation_id"]
        assert [kind.name for kind in matches.others] == ["process_id"]
        assert matches.kinds == [*matches.ids, *matches.others]
        assert [kind.name for kind in search_everything("order", support).kinds] == [
            "correlation_id",
            "process_id",
            "service_name",
            "documentation",
        ]

    def test_ignores_white_space_for_words(self, support):
        assert [kind.name for kind in search_everything("  handover ", support).others] == [
            "page",
            "documentation",
        ]

    @pytest.mark.parametrize("text", ["", "h", " ", "x" * 151, "hand\0over"])
    def test_finds_nothing_without_a_word(self, support, text):
        assert search_everything(text, support).kinds == []

    def test_shows_nothing_that_the_user_may_not_see(self, support):
        make_message(service_name="handover")
        Job.objects.create(kind="restart", reason="handover", created_by="ada", state="done")
        assert {kind.name for kind in search_everything("handover", support).kinds} == {
            "service_name",
            "page",
            "job",
            "documentation",
        }
        client_of(username="eve")
        blind = get_user_model().objects.get(username="eve")
        # Everyone may read the manual.
        assert [kind.name for kind in search_everything("handover", blind).kinds] == ["documentation"]

    def test_takes_few_queries(self, support, django_assert_max_num_queries):
        support.get_all_permissions()
        with django_assert_max_num_queries(90):
            search_everything("nothing like this", support)
