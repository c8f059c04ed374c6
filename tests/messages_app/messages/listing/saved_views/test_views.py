import pytest
from django.contrib.auth.models import Group, User
from django.http import HttpResponse
from django.test import Client

from messages_app.access.models import PersonSettings
from messages_app.audit.models import AuditEntry
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.listing.models import ListPreference, SavedView
from messages_app.messages.listing.saved_views import undoing
from tests.support.page_client import client_of, notices_of, text_of
from tests.support.page_undo import has_undo, press_undo

pytestmark = pytest.mark.django_db

NOT_UNDONE = "Not undone: the view has changed since then."


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


class TestUndo:
    """Of changes of views: name, query, audience, and deletion."""

    @staticmethod
    def change(client: Client, view: SavedView, **fields: str) -> HttpResponse:
        return client.post(f"/messages/views/{view.pk}/", fields, follow=True)

    @pytest.mark.parametrize(
        "fields",
        [
            {"action": "delete"},
            {"action": "rename", "name": "New"},
            {"action": "unshare"},
        ],
    )
    def test_restores_a_view_once_and_is_audited(self, support, fields):
        save(support, shared="on")
        before = SavedView.objects.values().get()
        page = self.change(support, SavedView.objects.get(), **fields)
        assert list(SavedView.objects.values()) != [before]
        response = press_undo(support, page)
        assert (response.url, notices_of(response)[-1]) == ("/messages/views/", "Undone.")
        assert SavedView.objects.values().get() == before
        entry = AuditEntry.objects.latest("pk")
        assert (entry.action, entry.reason, entry.details) == (
            "save_view" if fields["action"] == "delete" else "change_view",
            "Undone.",
            {"view": "Mine", "query": "state=FAILED"},
        )
        assert notices_of(press_undo(support, page))[-1] == NOT_UNDONE
        assert AuditEntry.objects.latest("pk") == entry

    def test_restores_the_query_of_a_view_that_was_saved_over(self, support):
        assert not has_undo(support.get(save(support).url))
        page = support.get(save(support, query="?state=OK", name=" Mine ").url)
        assert SavedView.objects.get().query == "state=OK"
        press_undo(support, page)
        assert SavedView.objects.get().query == "state=FAILED"
        assert not AuditEntry.objects.filter(reason="Undone.").exists()

    def test_restores_a_shared_view_of_someone_else(self, support):
        save(support, shared="on")
        boss = client_of("admin", username="boss")
        page = self.change(boss, SavedView.objects.get(), action="delete")
        assert notices_of(press_undo(boss, page))[-1] == "Undone."
        assert (SavedView.objects.get().owner.username, SavedView.objects.get().shared) == ("ada", True)

    def test_gives_the_view_back_to_its_watch_rules(self, support):
        save(support)
        view = SavedView.objects.get()
        rules = [
            WatchRule.objects.create(name=name, measure="saved_view", saved_view=view, limit=1)
            for name in "ab"
        ]
        page = self.change(support, view, action="delete")
        save(support, name="other")
        other = SavedView.objects.get()
        WatchRule.objects.filter(name="b").update(saved_view=other)
        press_undo(support, page)
        views = WatchRule.objects.filter(pk__in=[rule.pk for rule in rules]).order_by("name")
        assert list(views.values_list("saved_view_id", flat=True)) == [view.pk, other.pk]

    def test_leaves_a_view_that_has_changed_since(self, support):
        save(support)
        page = self.change(support, SavedView.objects.get(), action="rename", name="New")
        self.change(support, SavedView.objects.get(), action="rename", name="Newer")
        assert notices_of(press_undo(support, page))[-1] == NOT_UNDONE
        assert SavedView.objects.get().name == "Newer"

    @pytest.mark.parametrize("fields", [{"action": "delete"}, {"action": "rename", "name": "New"}])
    def test_does_not_take_a_name_that_is_used_again(self, support, fields):
        save(support)
        page = self.change(support, SavedView.objects.get(), **fields)
        save(support, query="?state=OK")
        assert notices_of(press_undo(support, page))[-1] == NOT_UNDONE
        assert SavedView.objects.get(name="Mine").query == "state=OK"

    def test_does_not_exceed_the_views_of_one_owner(self, support, monkeypatch):
        monkeypatch.setattr(undoing, "MAX_OF_ONE_OWNER", 1)
        save(support)
        page = self.change(support, SavedView.objects.get(), action="delete")
        save(support, name="other")
        assert notices_of(press_undo(support, page))[-1] == NOT_UNDONE
        assert SavedView.objects.get().name == "other"

    def test_needs_the_permission_for_shared_views_of_others(self, support):
        save(support, shared="on")
        boss = client_of("admin", username="boss")
        page = self.change(boss, SavedView.objects.get(), action="delete")
        User.objects.get(username="boss").groups.set(Group.objects.filter(name="support"))
        assert press_undo(boss, page).status_code == 404
        assert not SavedView.objects.exists()


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
