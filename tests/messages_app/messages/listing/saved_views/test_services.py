import pytest
from django.core.exceptions import PermissionDenied
from django.http import QueryDict
from django.utils import timezone

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.core.filters import address
from messages_app.core.problems import Problem
from messages_app.messages.filters.message_filter import FILTERS, read_list_filter
from messages_app.messages.listing.models import SavedView
from messages_app.messages.listing.saved_views import services
from messages_app.messages.listing.saved_views.services import ViewNotFound, tabs_of
from tests.support.factories import make_user
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db

ACTOR = Actor(username="ada")


def save(user: object, **options: object) -> SavedView:
    options = {"name": "Mine", "query": "?state=FAILED", "shared": False} | options
    return services.save_view(user=user, actor=ACTOR, **options)[0]


def audited() -> list[str]:
    return list(AuditEntry.objects.order_by("entry_id").values_list("action", flat=True))


@pytest.fixture
def ada() -> object:
    return make_user("support")


@pytest.fixture
def bob() -> object:
    return make_user("support", username="bob")


@pytest.fixture
def boss() -> object:
    return make_user("admin", username="boss")


class TestBuiltIn:
    @pytest.mark.parametrize("view", services.BUILT_IN, ids=lambda view: view.name)
    def test_is_a_filter_in_the_form_of_the_address(self, view):
        params = QueryDict(view.query)
        assert address.tidy_params(params, FILTERS, now=timezone.now()) == params
        read_list_filter(params, user=None, now=timezone.now())


class TestSaveView:
    def test_keeps_relative_times_and_no_page(self, ada):
        view = save(ada, query="?state=FAILED&receive_timestamp_from=-2h&cursor=x&at=2026-11-21T00:00:00Z")
        assert view.query == "state=FAILED&receive_timestamp_from=-2h"

    def test_puts_another_query_into_the_users_own_view_of_the_name(self, ada, bob):
        save(bob, query="state=OK")
        save(ada)
        save(ada, name="  Mine ", query="state=NEW")
        assert set(SavedView.objects.values_list("owner__username", "query")) == {
            ("ada", "state=NEW"),
            ("bob", "state=OK"),
        }

    def test_records_only_changes_of_shared_views(self, ada):
        save(ada)
        assert audited() == []
        save(ada, shared=True)
        save(ada, shared=False)
        assert audited() == ["change_view", "change_view"]
        save(ada, name="Ours", shared=True)
        assert AuditEntry.objects.latest("entry_id").details == {"view": "Ours", "query": "state=FAILED"}

    @pytest.mark.parametrize(
        ("options", "field"),
        [
            ({"name": " "}, "name"),
            ({"name": "x" * 61}, "name"),
            ({"name": "a\0"}, "name"),
            ({"name": "Postponed"}, "name"),
            ({"query": ""}, "query"),
            ({"query": "ordering=msg_id"}, "query"),
            ({"query": "nope=1"}, "query"),
            ({"query": "state=NOPE"}, "query"),
            ({"query": "object_id=" + "x" * 51}, "query"),
            ({"query": "payload_contains=x&receive_timestamp_from=-2h"}, "query"),
        ],
    )
    def test_rejects_an_invalid_view(self, ada, options, field):
        with pytest.raises(Problem) as refused:
            save(ada, **options)
        assert [error.field for error in refused.value.errors] == [field]
        assert not SavedView.objects.exists()

    def test_accepts_a_search_of_payloads_from_users_who_may_read_them(self):
        reader = make_user("support", "view_payload", username="reader")
        assert "payload_contains" in save(reader, query="payload_contains=x&receive_timestamp_from=-2h").query

    def test_limits_the_number_of_views_of_a_user(self, ada):
        for number in range(services.MAX_OF_ONE_OWNER):
            SavedView.objects.create(owner=ada, name=f"View {number}", query="state=OK")
        with pytest.raises(Problem, match="Delete one first"):
            save(ada)
        save(ada, name="View 7")


class TestViewOf:
    SEARCH = "payload_contains=x&receive_timestamp_from=-2h"

    def test_returns_own_and_shared_views(self, ada, bob):
        own, others = save(ada), save(bob, name="Of bob")
        assert services.view_of(ada, own.pk) == own
        assert services.view_of(ada, others.pk) is None
        services.share_view(view_id=others.pk, user=bob, shared=True, actor=ACTOR)
        assert services.view_of(ada, others.pk) == others

    def test_leaves_out_searches_of_payloads_for_users_who_may_not_read_them(self, ada):
        reader = make_user("support", "view_payload", username="reader")
        view = SavedView.objects.create(owner=reader, name="n", query=self.SEARCH, shared=True)
        assert services.view_of(ada, view.pk) is None
        assert services.view_of(reader, view.pk) == view

    def test_rejects_a_search_of_payloads_by_a_session_that_only_lacks_a_reason(self):
        client = client_of("support", "view_payload", username="reader")
        user = client.get("/api/v1/messages/").wsgi_request.user
        view = SavedView.objects.create(owner=user, name="n", query=self.SEARCH)
        with pytest.raises(PermissionDenied):
            services.view_of(user, view.pk)
        other = save(user)
        assert services.view_of(user, other.pk) == other


class TestRenameView:
    def test_renames_the_users_own_view(self, ada):
        services.rename_view(view_id=save(ada).pk, user=ada, name="New", actor=ACTOR)
        assert SavedView.objects.get().name == "New"
        assert audited() == []

    def test_rejects_a_name_that_the_owner_already_uses(self, ada):
        save(ada, name="Taken")
        view = save(ada)
        with pytest.raises(Problem, match="already"):
            services.rename_view(view_id=view.pk, user=ada, name="Taken", actor=ACTOR)

    def test_is_allowed_for_the_owner_and_for_admins_if_shared(self, ada, bob, boss):
        view = save(ada)
        for stranger in (bob, boss):
            with pytest.raises(ViewNotFound):
                services.rename_view(view_id=view.pk, user=stranger, name="New", actor=ACTOR)
        services.share_view(view_id=view.pk, user=ada, shared=True, actor=ACTOR)
        with pytest.raises(ViewNotFound):
            services.rename_view(view_id=view.pk, user=bob, name="New", actor=ACTOR)
        services.rename_view(view_id=view.pk, user=boss, name="New", actor=ACTOR)
        assert audited() == ["share_view", "rename_view"]


class TestShareView:
    def test_shows_it_to_everyone_and_back(self, ada, bob):
        view = save(ada)
        services.share_view(view_id=view.pk, user=ada, shared=True, actor=ACTOR)
        assert services.views_of(bob) == [view]
        services.share_view(view_id=view.pk, user=ada, shared=False, actor=ACTOR)
        assert services.views_of(bob) == []
        assert audited() == ["share_view", "unshare_view"]


class TestDeleteView:
    def test_deletes_the_users_own_view(self, ada):
        services.delete_view(view_id=save(ada).pk, user=ada, actor=ACTOR)
        assert not SavedView.objects.exists()
        assert audited() == []

    def test_records_the_deletion_of_a_shared_view(self, ada, boss):
        view = save(ada, shared=True)
        services.delete_view(view_id=view.pk, user=boss, actor=ACTOR)
        assert audited() == ["save_view", "delete_view"]

    def test_does_not_show_views_of_others(self, ada, bob):
        view = save(ada, shared=True)
        for view_id in (view.pk, view.pk + 1):
            with pytest.raises(ViewNotFound):
                services.delete_view(view_id=view_id, user=bob, actor=ACTOR)


class TestMayChange:
    def test_agrees_with_the_writes(self, ada, bob, boss):
        view = save(ada)
        assert [services.may_change(view, user) for user in (ada, bob, boss)] == [True, False, False]
        view.shared = True
        assert [services.may_change(view, user) for user in (ada, bob, boss)] == [True, False, True]


pytestmark = pytest.mark.django_db


class TestTabsOf:
    def test_lists_built_in_views_then_the_users_own_then_shared_ones(self):
        ada, bob = make_user("support"), make_user("support", username="bob")
        SavedView.objects.create(owner=bob, name="A shared one", query="state=OK", shared=True)
        SavedView.objects.create(owner=bob, name="Bob's own", query="state=OK")
        SavedView.objects.create(owner=ada, name="Mine", query="state=NEW")
        names = [tab.name for tab in tabs_of(ada, QueryDict(""))]
        built_in = ["All", "Failing now", "Retrying", "Waiting too long", "Postponed"]
        assert names == [*built_in, "Mine", "A shared one"]

    def test_marks_the_one_that_is_shown_in_any_order_and_on_any_page(self):
        ada = make_user("support")
        SavedView.objects.create(owner=ada, name="Mine", query="state=NEW&service_name=a")
        params = QueryDict("service_name=a&state=NEW&cursor=c&ordering=msg_id")
        assert [tab.name for tab in tabs_of(ada, params) if tab.is_on] == ["Mine"]
        assert [tab.name for tab in tabs_of(ada, QueryDict("")) if tab.is_on] == ["All"]
        assert not [tab for tab in tabs_of(ada, QueryDict("state=CANCEL")) if tab.is_on]

    def test_leaves_out_views_that_the_user_may_not_search(self):
        bob = make_user("support", "view_payload", username="bob")
        SavedView.objects.create(owner=bob, name="Deep", query="payload_contains=x", shared=True)
        assert "Deep" not in [tab.name for tab in tabs_of(make_user("support"), QueryDict(""))]
        assert "Deep" in [tab.name for tab in tabs_of(bob, QueryDict(""))]
