import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.access.models import PersonSettings
from messages_app.audit.models import AuditEntry
from messages_app.messages.listing.models import ListPreference, SavedView
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def support() -> Client:
    return client_of("support")


def save(client: Client, **fields: str) -> HttpResponse:
    return client.post("/messages/views/", {"name": "Mine", "query": "?state=FAILED"} | fields)


class TestViewsPage:
    def test_is_closed_to_users_who_have_no_role(self):
        assert client_of().get("/messages/views/").status_code == 403

    def test_saves_a_view_and_shows_its_list(self, support):
        response = save(support)
        assert response.url == "/messages/?state=FAILED"
        assert "View Mine saved" in text_of(support.get(response.url))
        assert "state:FAILED" in text_of(support.get("/messages/views/"))

    def test_reports_errors_and_keeps_the_input(self, support):
        response = save(support, name="Postponed", query="?state=OK")
        assert response.status_code == 400
        assert "the name of a built-in view" in text_of(response)
        assert 'value="Postponed"' in text_of(response)
        assert 'value="?state=OK"' in text_of(response)

    def test_rejects_an_invalid_filter(self, support):
        response = save(support, query="?nope=<b>")
        assert response.status_code == 400
        assert "<b>" not in text_of(response)

    def test_offers_changes_to_users_who_may_make_them(self, support):
        save(client_of("support", username="bob"), shared="on")
        save(client_of("admin", username="boss"), name="Boss")
        page = text_of(support.get("/messages/views/"))
        assert "shared by bob" in page
        assert "Boss" not in page
        assert "Rename" not in page


class TestChangeView:
    @pytest.mark.parametrize(
        ("fields", "outcome"),
        [
            ({"action": "rename", "name": "New"}, {"name": "New"}),
            ({"action": "share"}, {"shared": True}),
            ({"action": "unshare"}, {"shared": False}),
        ],
    )
    def test_makes_the_requested_change(self, support, fields, outcome):
        save(support)
        view = SavedView.objects.get()
        assert support.post(f"/messages/views/{view.pk}/", fields).url == "/messages/views/"
        view.refresh_from_db()
        assert {name: getattr(view, name) for name in outcome} == outcome

    def test_deletes_a_view_and_records_it(self, support):
        save(support, shared="on")
        support.post(f"/messages/views/{SavedView.objects.get().pk}/", {"action": "delete"})
        assert not SavedView.objects.exists()
        assert AuditEntry.objects.filter(action="delete_view", actor="ada").exists()

    def test_reports_errors_next_to_the_view(self, support):
        save(support)
        response = support.post(f"/messages/views/{SavedView.objects.get().pk}/", {"action": "rename"})
        assert response.status_code == 400
        assert 'role="alert"' in text_of(response)

    def test_rejects_unknown_actions_and_views(self, support):
        save(support)
        view = SavedView.objects.get()
        assert support.post(f"/messages/views/{view.pk}/", {"action": "eat"}).status_code == 400
        assert support.post(f"/messages/views/{view.pk + 1}/", {"action": "delete"}).status_code == 404
        assert support.get(f"/messages/views/{view.pk + 1}/").status_code == 404

    def test_does_not_show_views_of_others(self, support):
        save(client_of("support", username="bob"), shared="on")
        view = SavedView.objects.get()
        assert support.post(f"/messages/views/{view.pk}/", {"action": "delete"}).status_code == 404


class TestTableChoice:
    def test_stores_columns_and_density_and_redirects_to_the_list(self, support):
        fields = {"columns": ["sent", "key"], "density": "compact", "query": "?state=FAILED"}
        assert support.post("/messages/table/", fields).url == "/messages/?state=FAILED"
        assert ListPreference.objects.get().columns == ["key", "sent"]
        assert PersonSettings.objects.get().density == "compact"
        assert '<html lang="en-GB" class="is-compact">' in text_of(support.get("/messages/"))

    def test_restores_the_default_table(self, support):
        support.post("/messages/table/", {"columns": ["sent"], "density": "compact"})
        assert support.post("/messages/table/", {"reset": "true"}).url == "/messages/"
        assert not ListPreference.objects.exists()

    @pytest.mark.parametrize(
        "query", ["//evil.example/", "https://evil.example/", "?a=\r\nx", "@evil.example"]
    )
    def test_redirects_only_to_the_list(self, support, query):
        response = support.post("/messages/table/", {"density": "compact", "query": query})
        assert response.url.startswith("/messages/?") or response.url == "/messages/"

    def test_rejects_unknown_densities(self, support):
        assert support.post("/messages/table/", {"density": "tight"}).status_code == 400
