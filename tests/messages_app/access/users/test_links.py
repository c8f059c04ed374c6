"""Links by which users set a password."""

import re
from collections.abc import Iterator
from email.message import Message

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from messages_app.access.users import links
from messages_app.audit.models import AuditEntry
from tests.messages_app.access.sessions.test_store import is_in
from tests.support.factories import PASSWORD, make_user
from tests.support.mail_server import receive_mails
from tests.support.page_client import client_of, confirm_password, text_of
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db

NEW = "quite another story"


@pytest.fixture
def ada() -> User:
    return make_user("support", email="ada@hub.example")


def path_for(user: User) -> str:
    """Return the path of a link that an administrator has just made."""
    request = client_of("admin", username="grace").get("/users/new/").wsgi_request
    return links.make_link(request, User.objects.get(pk=user.pk)).address.removeprefix("http://testserver")


def set_password(client: Client, path: str, password: str = NEW, again: str | None = None):
    """Open a link and send its form."""
    form = client.get(path, follow=True)
    if not form.redirect_chain:
        return form
    sent = {"new_password1": password, "new_password2": password if again is None else again}
    return client.post(form.redirect_chain[-1][0], sent)


class TestSetPassword:
    def test_stores_it_and_leads_to_the_log_in(self, client, ada):
        there = Client()
        there.force_login(ada)
        answer = set_password(client, path_for(ada))
        assert (answer.status_code, answer.url) == (302, "/login/")
        log_in = text_of(client.get("/login/"))
        assert "Password set. Log in with it." in log_in
        assert re.findall(r'<input [^>]*name="(?:username|password)"[^>]*>', log_in) == [
            '<input type="text" name="username" value="ada" autocapitalize="none" autocomplete="username"'
            ' maxlength="150" required id="id_username">',
            '<input type="password" name="password" autocomplete="current-password" maxlength="4096"'
            ' autofocus required id="id_password">',
        ]
        assert 'value="ada"' not in text_of(client.get("/login/"))
        assert not is_in(there)
        assert not client.login(username="ada", password=PASSWORD)
        assert client.login(username="ada", password=NEW)
        entry = AuditEntry.objects.get(action="set_password")
        assert (entry.actor, entry.actor_id, entry.subject_kind, entry.subject, entry.details) == (
            "ada",
            ada.pk,
            "user",
            str(ada.pk),
            {},
        )

    def test_keeps_the_token_out_of_the_address_of_the_form(self, client, ada):
        path = path_for(ada)
        token = path.split("/")[3]
        answer = client.get(path)
        assert (answer.status_code, token in answer.url) == (302, False)
        assert token not in client.get(answer.url).content.decode()

    def test_works_once(self, client, ada):
        path = path_for(ada)
        set_password(client, path)
        answer = set_password(Client(), path)
        assert (answer.status_code, "no longer valid" in text_of(answer)) == (404, True)

    def test_is_refused_after_the_password_has_changed_or_the_time_is_over(self, client, ada, settings):
        path, three_days = path_for(ada), settings.PASSWORD_RESET_TIMEOUT
        settings.PASSWORD_RESET_TIMEOUT = -1
        assert client.get(path).status_code == 404
        settings.PASSWORD_RESET_TIMEOUT = three_days
        assert client.get(path).status_code == 302
        User.objects.filter(pk=ada.pk).update(password="!")
        assert client.get(path).status_code == 404

    def test_is_refused_of_deactivated_users_and_of_other_tokens(self, client, ada):
        path, other = path_for(ada), make_user(username="other")
        for wrong in (
            path.replace("/set-password/", "/set-password/x"),
            path_for_other(path, other),
            "/set-password/AAAA/%00/",
            f"/set-password/{'9' * 80}/x-y/",
        ):
            assert client.get(wrong).status_code == 404, wrong
        User.objects.filter(pk=ada.pk).update(is_active=False)
        assert client.get(path).status_code == 404

    @pytest.mark.parametrize(
        ("password", "again", "text"),
        [
            ("short", None, "at least 12 characters"),
            (NEW, "quite another storx", "The two passwords do not match"),
            ("cleverbus for all of us", None, "must not contain the product name"),
            ("", None, "Enter a password"),
            ("x" * 5000, None, "at most 4096 characters"),
        ],
    )
    def test_follows_the_rules_of_passwords(self, client, ada, password, again, text):
        answer = set_password(client, path_for(ada), password, again)
        assert (answer.status_code, text in text_of(answer)) == (400, True)
        assert User.objects.get(pk=ada.pk).check_password(PASSWORD)

    def test_logs_out_the_user_of_the_browser(self, ada):
        here = client_of("admin", username="linus")
        assert set_password(here, path_for(ada)).url == "/login/"
        assert not is_in(here)

    @pytest.mark.django_db(transaction=True)
    def test_stores_one_of_two_passwords_that_are_sent_at_the_same_time(self, ada):
        path = path_for(ada)
        clients = [Client(), Client()]
        forms = [client.get(path).url for client in clients]
        words = ("the first long story", "the second long story")
        answers = in_threads(
            *(
                lambda client=client, form=form, word=word: client.post(
                    form, {"new_password1": word, "new_password2": word}
                )
                for client, form, word in zip(clients, forms, words, strict=True)
            )
        )
        assert AuditEntry.objects.filter(action="set_password").count() == 1
        # The second may have found the link used before its form was checked.
        assert {answer.status_code for answer in answers} <= {302, 404}
        assert sum(User.objects.get(pk=ada.pk).check_password(word) for word in words) == 1


def path_for_other(path: str, user: User) -> str:
    """Return a link with the token of another user."""
    parts = path_for_key(user), path.split("/")[3]
    return f"/set-password/{parts[0]}/{parts[1]}/"


def path_for_key(user: User) -> str:
    return links.urlsafe_base64_encode(links.force_bytes(user.pk))


@pytest.fixture
def mails(settings) -> Iterator[list[Message]]:
    """Give the messages that a real mail server on this machine gets."""
    with receive_mails(settings) as server:
        yield server.messages


@pytest.fixture
def manager() -> Client:
    client = client_of("admin", username="grace")
    confirm_password(client)
    return client


class TestMail:
    FORM = {"username": "linus", "email": "linus@hub.example", "grants": ["support"], "reason": "r"}

    def test_has_the_link_of_the_page(self, manager, mails):
        page = text_of(manager.post("/users/new/", self.FORM))
        link = re.search(r'id="link">([^<]+)<', page)[1]
        assert "The link was sent to linus@hub.example" in page
        (mail,) = mails
        assert (mail["To"], mail["Subject"]) == ("linus@hub.example", "[Hub Console] Set your password")
        text = mail.get_payload(decode=True).decode()
        assert link in text
        assert "Your user name in Hub Console is linus." in text

    def test_is_not_sent_without_an_address_or_a_mail_server(self, manager, mails, settings):
        manager.post("/users/new/", self.FORM | {"email": ""})
        settings.IS_MAIL_SET_UP = False
        page = text_of(manager.post("/users/new/", self.FORM | {"username": "ken"}))
        assert "Give the link to the user." in page
        assert mails == []

    def test_that_is_not_accepted_leaves_the_link_on_the_page(self, manager, mails, settings):
        settings.EMAIL_PORT = 1
        page = text_of(manager.post("/users/new/", self.FORM))
        assert "The mail server did not accept the email. Give the link to the user." in page
        assert 'id="link">http://testserver/set-password/' in page
        assert User.objects.filter(username="linus").exists()

    def test_needs_the_setting(self):
        assert settings.IS_MAIL_SET_UP is False
        assert links.DAYS == 3
