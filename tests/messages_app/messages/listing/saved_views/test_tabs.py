import pytest
from django.http import QueryDict

from messages_app.messages.listing.models import SavedView
from messages_app.messages.listing.saved_views.tabs import tabs_of
from tests.support.factories import make_user

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
