"""The pages of users."""

import re

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from messages_app.access.models import UserSession
from messages_app.access.token_services import create_token
from messages_app.access.users.grants import grants_of
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM, Actor, record_entry
from tests.messages_app.access.second_factor.factors import enrol
from tests.support.factories import PASSWORD, make_user
from tests.support.page_client import client_of, confirm_password, notices_of, text_of
from tests.support.page_tables import read_texts

pytestmark = pytest.mark.django_db

ASKED = "Confirm your password"
FORM = {"username": "linus", "first_name": "Linus", "last_name": "T", "email": "l@hub.example", "reason": "r"}
DECISIONS = ("deactivate", "reactivate", "reset-password", "reset-second-factor", "end-sessions")


@pytest.fixture
def manager() -> Client:
    """Return a client of an administrator who has entered the password."""
    client = client_of("admin", username="grace")
    confirm_password(client)
    return client


@pytest.fixture
def ada() -> User:
    return make_user("support", first_name="Ada", email="ada@hub.example")


def form_of(page) -> dict[str, object]:
    """Return the fields of the form of a user's page."""
    form = page.context["form"]
    return {name: form[name].value() or "" for name in form.fields} | {"reason": "a ticket"}


class TestUserList:
    def test_shows_each_value_in_its_column(self, manager, ada):
        enrol(ada)
        ada.user_permissions.add(Permission.objects.get(codename="view_payload"))
        Client().force_login(ada)
        for _ in range(2):
            create_token(user=ada, name="n", actor=SYSTEM)
        make_user(username="off", is_active=False, is_superuser=True)
        make_user(username="new", is_staff=True)
        User.objects.filter(username="new").update(password="!x")
        page = manager.get("/users/")
        heads = ("User", "Roles", "Second factor", "Sessions", "Tokens")
        assert read_texts(page, "Users", *heads) == [
            ("ada Ada", "Support, view_payload", "on", "1", "2"),
            ("grace", "Admin", "–", "1", "0"),
            ("new no password", "Hub tables", "–", "0", "0"),
            ("off deactivated", "Superuser", "–", "0", "0"),
        ]
        seen = [text for (text,) in read_texts(page, "Users", "Last seen")]
        assert seen[2:] == ["never", "never"]
        assert all(re.fullmatch(r"\d+ s ago", text) for text in seen[:2])

    @pytest.mark.parametrize(
        ("text", "names"), [("AD", ["ada"]), ("hub.example", ["ada"]), ("zzz", []), ("%", [])]
    )
    def test_finds_parts_of_names_and_addresses(self, manager, ada, text, names):
        page = manager.get("/users/", {"q": text})
        assert [line.username for line, _ in page.context["lines"]] == names
        assert ("No users with this text" in text_of(page)) == (not names)

    def test_leads_to_further_users(self, manager):
        User.objects.bulk_create(User(username=f"user-{number:03}") for number in range(60))
        page = manager.get("/users/").context["page"]
        assert len(page.rows) == 50
        further = manager.get("/users/", {"cursor": page.next_cursor}).context["lines"]
        assert [line.username for line, _ in further] == [f"user-{number:03}" for number in range(49, 60)]

    def test_shows_everyone_after_an_empty_search(self, manager, ada):
        texts = [read_texts(manager.get(f"/users/{query}"), "Users", "User") for query in ("", "?q=")]
        assert texts[0] == texts[1] != []

    def test_refuses_other_parameters_and_cursors(self, manager):
        for query in ("cursor=x", "q=a&q=b"):
            assert manager.get(f"/users/?{query}").status_code == 400, query

    def test_reads_any_number_of_users_by_the_same_statements(self, manager):
        def count() -> int:
            with CaptureQueriesContext(connection) as queries:
                manager.get("/users/")
            return len(queries)

        count()  # Values that are kept for a moment are read.
        before = count()
        for number in range(30):
            make_user("support", "operator", username=f"user-{number}")
        count()  # They may have expired meanwhile.
        assert count() == before


class TestNewUser:
    def test_is_created_with_a_link_that_is_shown_once(self, manager):
        page = manager.post("/users/new/", FORM | {"grants": ["operator"]})
        assert page.status_code == 200
        assert re.search(r"http://testserver/set-password/\w+/[\w-]+/", text_of(page))
        assert "no-store" in page.headers["Cache-Control"]
        linus = User.objects.get(username="linus")
        assert (linus.email, grants_of(linus)) == ("l@hub.example", ["operator"])
        assert AuditEntry.objects.get(action="create_user").actor == "grace"
        assert "/set-password/" not in text_of(manager.get(f"/users/{linus.pk}/"))

    @pytest.mark.parametrize(
        ("changes", "field", "text"),
        [
            ({"username": ""}, "username", "This field is required"),
            ({"username": "two words"}, "username", "Enter a valid username"),
            ({"username": "System"}, "username", "is reserved for the console"),
            ({"username": "x" * 151}, "username", "at most 150 characters"),
            ({"username": "GRACE"}, "username", "A user with this name already exists"),
            ({"username": "a\0"}, "username", "Null characters are not allowed"),
            ({"email": "nobody"}, "email", "Enter a valid email address"),
            ({"first_name": "x" * 151}, "first_name", "at most 150 characters"),
            ({"grants": ["king"]}, "grants", "There is no role king"),
            ({"grants": ["view_payload"]}, "grants", "There is no role view_payload"),
            ({"grants": ["is_superuser"]}, "grants", "There is no role is_superuser"),
            ({"reason": ""}, "reason", "Enter a reason"),
        ],
    )
    def test_is_refused_with_the_field(self, manager, changes, field, text):
        page = manager.post("/users/new/", FORM | changes)
        assert page.status_code == 400
        assert text in page.context["form"].errors[field][0]
        assert text in text_of(page)
        assert not User.objects.filter(email="l@hub.example").exists()

    def test_can_get_what_a_superuser_has(self):
        root = Client()
        root.force_login(make_user(username="root", is_superuser=True))
        confirm_password(root)
        root.post("/users/new/", FORM | {"grants": ["admin", "view_payload", "is_staff", "is_superuser"]})
        assert grants_of(User.objects.get(username="linus")) == [
            "admin",
            "is_staff",
            "is_superuser",
            "view_payload",
        ]

    def test_gets_a_sentence_for_each_role(self, manager):
        Group.objects.create(name="night_shift").permissions.add(Permission.objects.get(codename="view_job"))
        page = text_of(manager.get("/users/new/"))
        assert "Also restarts, cancels and reprocesses messages, one or many." in page
        assert "A role of this installation: view_job." in page


class TestUserPage:
    def test_shows_sessions_changes_and_recent_actions(self, manager, ada):
        client = Client(headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0"})
        client.post("/login/", {"username": "ada", "password": PASSWORD})
        record_entry(actor=Actor(username="ada"), action="restart", msg_id=7, reason="<b>back</b>")
        record_entry(actor=Actor(username="other"), action="cancel", msg_id=8)
        manager.post(f"/users/{ada.pk}/", form_of(manager.get(f"/users/{ada.pk}/")) | {"first_name": "A"})
        page = manager.get(f"/users/{ada.pk}/")
        assert read_texts(page, "Sessions", "Browser") == [("Firefox on Linux",)]
        assert read_texts(page, "Changes to this user", "User", "Action") == [("grace", "Change user")]
        assert read_texts(page, "Recent actions", "Action", "Object", "Reason") == [
            ("Restart", "Message 7", "<b>back</b>"),
            ("Log in", "–", ""),
        ]

    def test_shows_no_actions_to_managers_without_the_audit_log(self, ada):
        manager = make_user(username="hr")
        manager.user_permissions.add(Permission.objects.get(codename="manage_users"))
        client = Client()
        client.force_login(manager)
        page = text_of(client.get(f"/users/{ada.pk}/"))
        assert "Recent actions" not in page
        assert "ada has the permission" in page

    def test_saves_names_and_roles(self, manager, ada):
        form = form_of(manager.get(f"/users/{ada.pk}/")) | {"last_name": "L", "grants": ["operator"]}
        answer = manager.post(f"/users/{ada.pk}/", form)
        assert (answer.status_code, notices_of(answer)) == (302, ["User saved."])
        changed = User.objects.get(pk=ada.pk)
        assert (changed.last_name, grants_of(changed)) == ("L", ["operator"])

    def test_is_not_saved_over_a_change_of_someone_else(self, manager, ada):
        form = form_of(manager.get(f"/users/{ada.pk}/"))
        ada.groups.add(Group.objects.get(name="operator"))
        answer = manager.post(f"/users/{ada.pk}/", form | {"first_name": "Late"})
        assert answer.status_code == 409
        labels = [each.label for each in answer.context["differences"]]
        assert labels == ["First name", "Roles"]
        assert User.objects.get(pk=ada.pk).first_name == "Ada"

    @pytest.mark.parametrize("address", ["", *(f"{how}/" for how in DECISIONS)])
    def test_does_not_change_users_who_have_more(self, manager, address):
        root = make_user(username="root", is_superuser=True)
        page = manager.get(f"/users/{root.pk}/{address}")
        assert "Only superusers change superusers." in text_of(page)
        answer = manager.post(f"/users/{root.pk}/{address}", FORM | {"username": "mine"})
        assert answer.status_code in {400, 409}
        stored = User.objects.get(pk=root.pk)
        assert (stored.username, stored.is_active, stored.has_usable_password()) == ("root", True, True)
        assert not AuditEntry.objects.exists()

    def test_offers_no_decision_about_oneself(self, manager):
        own = User.objects.get(username="grace")
        page = text_of(manager.get(f"/users/{own.pk}/"))
        assert "Another administrator has to change your own account." in page
        assert "Deactivate user" not in page
        assert manager.post(f"/users/{own.pk}/deactivate/", {"reason": "r"}).status_code == 409
        assert User.objects.get(pk=own.pk).is_active


class TestDecisions:
    @pytest.mark.parametrize(
        ("how", "notice"),
        [
            ("deactivate", "User deactivated. 1 session ended, 1 token revoked."),
            ("reset-second-factor", "Second factor removed. 1 session ended."),
            ("end-sessions", "1 session ended."),
        ],
    )
    def test_are_made_once_with_a_reason(self, manager, ada, how, notice):
        enrol(ada)
        create_token(user=ada, name="n", actor=SYSTEM)
        Client().force_login(ada)
        address = f"/users/{ada.pk}/{how}/"
        assert manager.get(address).status_code == 200
        assert manager.post(address, {"reason": ""}).status_code == 400
        answer = manager.post(address, {"reason": "a ticket"})
        assert (answer.url, notices_of(answer)) == (f"/users/{ada.pk}/", [notice])
        assert AuditEntry.objects.latest("pk").reason == "a ticket"
        again = manager.post(address, {"reason": "a ticket"})
        assert (again.status_code, "Nothing was changed." in text_of(again)) == (409, True)
        assert not UserSession.objects.filter(user=ada).exists()

    def test_activate_a_user_again(self, manager, ada):
        manager.post(f"/users/{ada.pk}/deactivate/", {"reason": "r"})
        page = text_of(manager.get(f"/users/{ada.pk}/"))
        assert "This user is deactivated and cannot log in." in page
        assert f'href="/users/{ada.pk}/reactivate/"' in page
        manager.post(f"/users/{ada.pk}/reactivate/", {"reason": "r"})
        assert User.objects.get(pk=ada.pk).is_active

    def test_show_the_link_after_a_reset_of_the_password(self, manager, ada):
        page = manager.post(f"/users/{ada.pk}/reset-password/", {"reason": "r"})
        assert (page.status_code, "The old password is no longer valid." in text_of(page)) == (200, True)
        link = re.search(r"http://testserver(/set-password/[^<]+)<", text_of(page))[1]
        assert Client().get(link).status_code == 302

    def test_of_other_names_and_users_do_not_exist(self, manager, ada):
        assert manager.get(f"/users/{ada.pk}/promote/").status_code == 404
        for address in ("/users/777/", "/users/9223372036854775807/", "/users/777/deactivate/"):
            assert manager.get(address).status_code == 404
            assert manager.post(address, {"reason": "r"}).status_code == 404
