import datetime as dt
import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client

from messages_app.access.admin import AuditedAdmin
from messages_app.access.models import ApiToken
from messages_app.access.token_services import create_token
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from messages_app.core.table_admin.model_admin import TableAdmin
from messages_app.jobs.models import Job
from tests.support.factories import PASSWORD, make_user
from tests.support.page_client import confirm_password
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db
NEW_PASSWORD = "a battery of correct horses"


@pytest.fixture
def superuser() -> Client:
    client = Client()
    client.force_login(make_user(is_staff=True, is_superuser=True, username="root"))
    confirm_password(client)
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
            ("/admin/auth/user/", [("/admin/", "page"), ("/admin/auth/user/", "page")]),
            ("/admin/auth/user/add/", [("/admin/", "page"), ("/admin/auth/user/", "true")]),
        ],
    )
    def test_marks_the_current_page_in_its_menus(self, superuser, address, marked):
        page = superuser.get(address).content.decode()
        assert re.findall(r'<a href="([^"]+)"[^>]* aria-current="(\w+)"', page) == marked

    def test_has_neither_jobs_nor_the_audit_log(self):
        assert not {Job, AuditEntry} & set(admin.site._registry)

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


class TestUserAdmin:
    def test_shows_and_accepts_days_in_the_order_of_all_pages(self, superuser):
        user = make_user("support")
        User.objects.filter(pk=user.pk).update(date_joined=dt.datetime(2031, 3, 4, 15, 6, 7, tzinfo=dt.UTC))
        page = f"/admin/auth/user/{user.pk}/change/"
        assert 'value="2031-03-04"' in superuser.get(page).content.decode()
        form = {"username": "ada", "date_joined_0": "2031-05-06", "date_joined_1": "15:06"}
        assert superuser.post(page, form).status_code == 302
        user.refresh_from_db()
        assert user.date_joined == dt.datetime(2031, 5, 6, 15, 6, tzinfo=dt.UTC)


def delegate(*rights: str, username: str = "hr") -> Client:
    """Return a client of a staff user with only these permissions."""
    user = make_user(is_staff=True, username=username)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    assert user.user_permissions.count() == len(rights)
    client = Client()
    client.force_login(user)
    confirm_password(client)
    return client


OVER_USERS = ("add_user", "change_user", "delete_user", "view_user")


class TestDelegatedUsers:
    """
    Staff users with permissions for users, who are not superusers: docs/contributing/spec/promises.md, S-20.
    """

    FORM = {"is_active": "on", "date_joined_0": "2026-11-21", "date_joined_1": "10:00:00"}
    PASSWORDS = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD, "usable_password": "true"}

    def powers(self, user: User) -> tuple:
        user = User.objects.get(pk=user.pk)
        groups = sorted(user.groups.values_list("name", flat=True))
        return user.is_staff, user.is_superuser, groups, sorted(user.get_all_permissions())

    def test_give_no_one_a_permission(self):
        hr, user = delegate(*OVER_USERS), make_user("support", username="grace")
        before = self.powers(user)
        given = {"is_staff": "on", "is_superuser": "on", "groups": [Group.objects.get(name="admin").pk]}
        given["user_permissions"] = [Permission.objects.get(codename="view_payload").pk]
        page = f"/admin/auth/user/{user.pk}/change/"
        answer = hr.post(page, self.FORM | given | {"username": "grace", "first_name": "Grace"})
        assert answer.status_code == 302
        assert User.objects.get(pk=user.pk).first_name == "Grace"
        assert self.powers(user) == before
        added = {"username": "linus"} | self.PASSWORDS | given
        assert hr.post("/admin/auth/user/add/", added).status_code == 302
        assert self.powers(User.objects.get(username="linus")) == (False, False, [], [])

    @pytest.mark.parametrize(
        "columns",
        [{"is_superuser": True}, {"is_staff": True}, {"is_superuser": True, "is_staff": True}, {}],
    )
    def test_change_no_administrator(self, columns):
        hr = delegate(*OVER_USERS)
        user = make_user(*([] if columns else ["admin"]), username="root2", **columns)
        for path, form in {
            "change": self.FORM | {"username": "mine"},
            "password": self.PASSWORDS | {"set-password": "1"},
            "delete": {"post": "yes"},
        }.items():
            assert hr.post(f"/admin/auth/user/{user.pk}/{path}/", form).status_code == 403, path
        assert User.objects.get(username="root2").check_password(PASSWORD)

    def test_change_not_themselves(self):
        hr = delegate(*OVER_USERS)
        user = User.objects.get(username="hr")
        form = self.FORM | {"username": "hr", "is_superuser": "on", "is_staff": "on"}
        assert hr.post(f"/admin/auth/user/{user.pk}/change/", form).status_code == 403
        assert hr.post(f"/admin/auth/user/{user.pk}/password/", self.PASSWORDS).status_code == 403
        assert not User.objects.get(username="hr").is_superuser

    def test_manage_others(self):
        hr, user = delegate(*OVER_USERS), make_user("support", username="grace")
        form = self.PASSWORDS | {"set-password": "1"}
        assert hr.post(f"/admin/auth/user/{user.pk}/password/", form).status_code == 302
        assert User.objects.get(pk=user.pk).check_password(NEW_PASSWORD)
        assert hr.post(f"/admin/auth/user/{user.pk}/delete/", {"post": "yes"}).status_code == 302
        assert not User.objects.filter(pk=user.pk).exists()

    def test_change_no_role(self):
        client = delegate(*OVER_USERS, "add_group", "change_group", "delete_group", "view_group")
        group = Group.objects.get(name="support")
        before = set(group.permissions.values_list("codename", flat=True))
        right = Permission.objects.get(codename="change_user")
        form = {"name": "support", "permissions": [right.pk]}
        assert client.get(f"/admin/auth/group/{group.pk}/change/").status_code == 200
        for path in (f"{group.pk}/change", f"{group.pk}/delete", "add"):
            assert client.post(f"/admin/auth/group/{path}/", form | {"post": "yes"}).status_code == 403
        assert set(group.permissions.values_list("codename", flat=True)) == before
        assert not Group.objects.filter(permissions=right).exists()

    def test_see_neither_second_factors_nor_sessions_nor_tokens_of_others(self):
        hr = delegate(*OVER_USERS, "change_totpdevice", "change_statictoken", "change_apitoken")
        for path in ("otp_totp/totpdevice", "otp_static/staticdevice", "messages_app/apitoken", "sessions"):
            assert hr.get(f"/admin/{path}/").status_code in {403, 404}, path


class TestLookups:
    """Lists accept only the parameters that they offer, and none that reveals other columns."""

    def test_are_refused_of_every_list_unless_it_offers_them(self, superuser, settings):
        settings.PAGES_PER_MINUTE = 10_000
        make_user("support")
        for model in admin.site._registry:
            address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
            for field in model._meta.concrete_fields:
                for ending in ("__startswith=a", "__regex=(", "__exact=a%00b", "__gt=1", "__contains=x"):
                    answer = superuser.get(f"{address}?{field.name}{ending}")
                    assert answer.status_code == 400, (address, field.name, ending)

    @pytest.mark.parametrize(
        "query",
        [
            "messages_app/apitoken/?name__exact=sup&key_sha256__startswith=0",
            "messages_app/apitoken/?user__password__startswith=a",
            "messages_app/apitoken/?name__regex=(",
            "messages_app/apitoken/?name__exact=a%00b",
            "messages_app/errorcode/?code__regex=(",
            "messages_app/errorcode/?code__regex=[",
            "auth/user/?password__startswith=a",
            "auth/user/?groups__permissions__codename__exact=x",
        ],
    )
    def test_show_no_other_column(self, superuser, query):
        assert superuser.get(f"/admin/{query}").status_code == 400

    @pytest.mark.parametrize(
        ("query", "found"),
        [("is_staff__exact=1", ["root"]), ("is_staff__exact=0", ["ada"]), ("groups__id__exact={}", ["ada"])],
    )
    def test_filter_as_the_list_offers(self, superuser, query, found):
        make_user("support")
        query = query.format(Group.objects.get(name="support").pk)
        page = superuser.get(f"/admin/auth/user/?{query}")
        assert [user.username for user in page.context["cl"].result_list] == found

    @pytest.mark.parametrize(
        "query", ["is_staff__exact=zzz", "groups__id__exact=zzz", "q=a%00b", "o=zzz", "p=zzz"]
    )
    def test_answer_invalid_values(self, superuser, query):
        assert superuser.get(f"/admin/auth/user/?{query}", follow=True).status_code == 200

    @pytest.mark.parametrize("key", quick_first(["a%00b", "9" * 40, "0", "zzz", "%ED%A0%80"], quick=2))
    def test_find_no_row_with_an_odd_key(self, superuser, key):
        for model in admin.site._registry:
            address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/{key}"
            for path in ("change", "history", "delete"):
                assert superuser.get(f"{address}/{path}/", follow=True).status_code in {200, 403, 404}, (
                    address
                )


class TestApiTokenAdmin:
    def test_writes_times_in_24_hours_with_seconds_and_zone(self, superuser):
        token, _ = create_token(user=make_user("support"), name="nightly", actor=SYSTEM)
        ends = dt.datetime(2031, 3, 4, 15, 6, 7, tzinfo=dt.UTC)
        ApiToken.objects.filter(pk=token.pk).update(expires_at=ends)
        page = superuser.get("/admin/messages_app/apitoken/").content.decode()
        assert "2031-03-04 15:06:07 UTC" in page

    def test_revokes_and_records_the_user(self, superuser):
        token, _ = create_token(user=make_user("operator"), name="nightly", actor=SYSTEM)
        superuser.post("/admin/messages_app/apitoken/", {"action": "revoke", "_selected_action": [token.pk]})
        token.refresh_from_db()
        assert token.revoked_at is not None
        assert AuditEntry.objects.get(action="revoke_token").actor == "root"

    @pytest.mark.parametrize(
        ("scopes", "told"),
        [
            (None, "all permissions of the user"),
            (["jobs:run", "archive:run"], "jobs:run, archive:run"),
            (["queue:consume:" + "X" * 128, "history:use"], "history:use, queue:consume:" + "X" * 128),
        ],
    )
    @pytest.mark.parametrize("path", ["", "{pk}/change/"])
    def test_shows_the_permissions_of_a_token(self, superuser, scopes, told, path):
        token, _ = create_token(user=make_user("operator"), name="nightly", actor=SYSTEM, scopes=scopes)
        page = superuser.get(f"/admin/messages_app/apitoken/{path.format(pk=token.pk)}").content.decode()
        assert told in page

    def test_shows_unknown_scopes(self, superuser):
        create_token(user=make_user("operator"), name="nightly", actor=SYSTEM)
        ApiToken.objects.update(scopes=["messages:erase", None])
        assert "messages:erase, None" in superuser.get("/admin/messages_app/apitoken/").content.decode()

    @pytest.mark.parametrize("path", ["add/", "{pk}/delete/"])
    def test_does_not_make_or_delete_tokens(self, superuser, path):
        token, _ = create_token(user=make_user("operator"), name="nightly", actor=SYSTEM)
        address = f"/admin/messages_app/apitoken/{path.format(pk=token.pk)}"
        assert superuser.post(address, {"post": "yes"}).status_code == 403
        assert ApiToken.objects.filter(pk=token.pk).exists()

    def test_shows_no_key(self, superuser):
        token, key = create_token(user=make_user("operator"), name="nightly", actor=SYSTEM)
        page = superuser.get(f"/admin/messages_app/apitoken/{token.pk}/change/").content.decode()
        assert key not in page
        assert token.key_sha256 not in page


class TestAuditedAdmin:
    def told(self) -> AuditEntry:
        entry = AuditEntry.objects.latest("entry_id")
        assert (entry.actor, entry.address, entry.outcome) == ("root", "127.0.0.1", "done")
        return entry

    def test_exists_for_every_table_that_is_changed_there(self):
        for model, page in admin.site._registry.items():
            assert isinstance(page, AuditedAdmin | TableAdmin) or model is ApiToken, model

    def test_records_which_permissions_a_user_was_given(self, superuser):
        user, group = make_user("support", username="grace"), Group.objects.get(name="operator")
        form = {"username": "grace", "is_active": "on", "groups": [group.pk]}
        form |= {"date_joined_0": "2026-11-21", "date_joined_1": "10:00:00"}
        answer = superuser.post(f"/admin/auth/user/{user.pk}/change/", form)
        assert answer.status_code == 302, answer.context["errors"]

        entry = self.told()
        assert (entry.action, entry.details["table"], entry.details["row"]) == (
            "admin_change",
            "auth_user",
            str(user.pk),
        )
        assert (entry.details["name"], entry.details["groups"]) == ("grace", ["operator"])
        assert (entry.details["is_active"], entry.details["is_superuser"]) == (True, False)
        assert "Groups" in entry.details["changes"][0]["changed"]["fields"]
        assert "grace" in superuser.get("/audit/").content.decode()

    def test_records_new_and_deleted_users_and_no_password(self, superuser):
        form = {"username": "linus", "usable_password": "true"}
        form |= {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
        assert superuser.post("/admin/auth/user/add/", form).status_code == 302
        assert self.told().action == "admin_add"
        user = User.objects.get(username="linus")
        form = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true", "set-password": "1"}
        assert superuser.post(f"/admin/auth/user/{user.pk}/password/", form).status_code == 302
        assert self.told().details["changes"] == [{"changed": {"fields": ["password"]}}]
        assert superuser.post(f"/admin/auth/user/{user.pk}/delete/", {"post": "yes"}).status_code == 302
        assert (self.told().action, self.told().details["name"]) == ("admin_delete", "linus")
        with connection.cursor() as cursor:
            cursor.execute("SELECT string_agg(e::text, '') FROM audit_entry AS e")
            text = cursor.fetchone()[0]
        assert not [one for one in (PASSWORD, NEW_PASSWORD, user.password) if one in text]

    def test_records_the_permissions_of_a_group(self, superuser):
        group, right = Group.objects.get(name="support"), Permission.objects.get(codename="view_message")
        superuser.post(f"/admin/auth/group/{group.pk}/change/", {"name": "support", "permissions": right.pk})
        assert self.told().details["rights"] == ["view_message"]

    @pytest.mark.parametrize("path", ["auth/user/{pk}/delete/", "auth/user/{pk}/password/"])
    def test_changes_nothing_that_cannot_be_audited(self, superuser, path):
        user = make_user(username="grace")
        superuser.raise_request_exception = False
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE audit_entry ADD CHECK (action NOT LIKE 'admin%')")
        form = {"post": "yes", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
        form |= {"usable_password": "true", "set-password": "1"}
        assert superuser.post(f"/admin/{path.format(pk=user.pk)}", form).status_code == 500
        user.refresh_from_db()
        assert user.check_password(PASSWORD)
