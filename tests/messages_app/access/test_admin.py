import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.test import Client

from messages_app.access.models import ApiToken
from messages_app.audit.models import AuditEntry
from messages_app.core.table_admin.model_admin import TableAdmin
from messages_app.jobs.models import Job
from messages_app.messages.failures.models import ErrorCode
from tests.support.factories import PASSWORD, make_user
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db
NEW_PASSWORD = "a battery of correct horses"
MESSAGES = "/admin/messages_app/message/"
LOOKUPS = ("__startswith=a", "__regex=(", "__exact=a%00b", "__gt=1", "__contains=x")


@pytest.fixture
def superuser() -> Client:
    client = Client()
    client.force_login(make_user(is_staff=True, is_superuser=True, username="root"))
    return client


class TestAdmin:
    def test_opens_every_list_and_form_that_it_offers(self, superuser):
        for model in admin.site._registry:
            address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
            assert superuser.get(address).status_code == 200, address

    @pytest.mark.parametrize(
        ("address", "marked"),
        [
            ("/admin/", [("/admin/", "page")]),
            (MESSAGES, [("/admin/", "page"), (MESSAGES, "page")]),
        ],
    )
    def test_marks_the_current_page_in_its_menus(self, superuser, address, marked):
        page = superuser.get(address).content.decode()
        assert re.findall(r'<a href="([^"]+)"[^>]* aria-current="(\w+)"', page) == marked

    def test_has_nothing_that_has_its_own_pages(self, superuser):
        assert not {Job, AuditEntry, User, Group, ApiToken, ErrorCode} & set(admin.site._registry)
        for address in ("auth/user", "auth/group", "messages_app/apitoken", "messages_app/errorcode"):
            assert superuser.get(f"/admin/{address}/").status_code == 404, address

    def test_has_no_table_of_the_scheduler(self, superuser):
        assert not [model for model in admin.site._registry if model._meta.app_label == "django_celery_beat"]
        assert superuser.get("/admin/django_celery_beat/periodictask/").status_code == 404

    def test_has_no_action_without_a_permission_and_none_that_deletes_several(self, superuser):
        for model, page in admin.site._registry.items():
            request = superuser.get("/admin/").wsgi_request
            for name, (action, *_) in page.get_actions(request).items():
                assert action.allowed_permissions, (model, name)
                assert name != "delete_selected", model

    def test_is_for_staff_only(self, client):
        assert client.get("/admin/").status_code == 302
        client.force_login(make_user("admin"))
        response = client.get("/admin/", follow=True)
        assert response.status_code == 403

    def test_shows_the_consoles_own_log_in_page(self, client):
        page = client.get("/admin/login/").content.decode()
        assert 'id="id_username"' in page
        assert "data-admin-utc-offset" not in page

    def test_links_to_the_password_page_of_the_console(self, superuser):
        form = {"new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD, "old_password": PASSWORD}
        assert superuser.get("/admin/password_change/").url == "/password/"
        assert superuser.post("/admin/password_change/", form).url == "/password/"
        assert User.objects.get().check_password(PASSWORD)

    def test_offers_the_consoles_pages_in_its_menu(self, superuser):
        page = superuser.get("/admin/").content.decode()
        for address in ("/messages/", "/jobs/", "/archive/", "/audit/", "/api/v1/docs/"):
            assert f'href="{address}"' in page


class TestLookups:
    """Lists accept only the parameters that they offer, and none that reveals other columns."""

    # One lookup of each field in each run, and another one of the next field.
    @pytest.mark.parametrize("share", quick_first([len(LOOKUPS), 1]))
    def test_are_refused_of_every_list_unless_it_offers_them(self, superuser, settings, share):
        settings.PAGES_PER_MINUTE = 10_000
        make_user("support")
        for model in admin.site._registry:
            address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
            for number, field in enumerate(model._meta.concrete_fields):
                for lookup in LOOKUPS[number % share :: share]:
                    answer = superuser.get(f"{address}?{field.name}{lookup}")
                    assert answer.status_code == 400, (address, field.name, lookup)

    @pytest.mark.parametrize("key", quick_first(["a%00b", "9" * 40, "0", "zzz", "%ED%A0%80"], quick=2))
    def test_find_no_row_with_an_odd_key(self, superuser, key):
        for model in admin.site._registry:
            address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/{key}"
            for path in ("change", "history", "delete"):
                assert superuser.get(f"{address}/{path}/", follow=True).status_code in {200, 403, 404}, (
                    address
                )


class TestTables:
    def test_are_all_read_only(self):
        for model, page in admin.site._registry.items():
            assert isinstance(page, TableAdmin), model
