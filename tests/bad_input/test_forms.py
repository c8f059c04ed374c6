"""Every form of every page with what it refuses. A page takes part by being in tests/pages/every_path.py."""

from collections.abc import Callable, Iterator, Mapping
from urllib.parse import urlsplit

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client, RequestFactory

from messages_app.access.second_factor.devices import begin_enrolment
from messages_app.access.users.links import make_link
from tests.bad_input.forms import SentForm, list_forms, list_gaps
from tests.pages.every_path import every_path, kind_of_path
from tests.support.factories import make_message, make_user
from tests.support.page_client import confirm_password, show_values
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db(transaction=True)

REFUSED = {
    "empty": "",
    "too long": "x" * 20_000,
    "a NUL byte": "a\0b",
    "a word": "nonsense",
    "a negative number": "-1",
    "a huge number": "9" * 40,
    "no number": "NaN",
}
# In each run, because every form refuses some of them; few refuse the others.
TEXTS = {"empty", "too long", "a NUL byte", "a huge number"}
# Values of fields that most forms require, so that the answer is about the field in question.
VALID = {"reason": "a reason", "username": "new-user", "name": "A name", "code": "X901", "version": "1.0"}


@pytest.fixture
def client() -> Client:
    """A client of a user with every permission, whose pages show values."""
    client = Client(raise_request_exception=False)
    client.force_login(make_user("admin", "view_payload", "edit_payload", username="root", is_superuser=True))
    show_values(client)
    confirm_password(client)
    return client


@pytest.fixture
def forms(client) -> list[SentForm]:
    """One form of each kind, of all pages."""
    found: dict[tuple[str, ...], SentForm] = {}
    for path in every_path():
        response = client.get(path)
        if response.headers["Content-Type"].startswith("text/html"):
            for form in list_forms(path, response):
                found.setdefault((kind_of_path(form.address), *form.names), form)
    return list(found.values())


def find_gaps(client: Client, form: SentForm, inputs: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Send a form with each of these inputs, which change nothing, and yield what the answers lack."""
    for title, changes in inputs.items():
        with transaction.atomic():
            response = form.send(client, changes)
            transaction.set_rollback(True)
        for gap in list_gaps(form, response, changes):
            yield f"{form.page} to {form.address}, {title}: {gap}"


class TestForms:
    @pytest.mark.parametrize("titles", quick_first([TEXTS, REFUSED.keys() - TEXTS]), ids=["texts", "numbers"])
    def test_show_what_to_correct_and_keep_what_was_typed(self, client, forms, titles):
        assert len(forms) > 60
        gaps = [
            gap
            for form in forms
            for gap in find_gaps(
                client, form, {title: dict.fromkeys(form.names, REFUSED[title]) for title in titles}
            )
        ]
        assert gaps == []

    @pytest.mark.slow
    def test_show_it_for_each_field(self, client, forms):
        gaps = [
            gap
            for form in forms
            for name in form.names
            for gap in find_gaps(
                client,
                form,
                {f"{name} {title}": _valid_values(form) | {name: text} for title, text in REFUSED.items()},
            )
        ]
        assert gaps == []


def _valid_values(form: SentForm) -> dict[str, str]:
    return {name: text for name, text in VALID.items() if name in form.names}


class TestFormsAfterAnotherStep:
    """Forms that no address of every_path.py shows to a user who sees everything."""

    @pytest.mark.parametrize("name", ["revealing", "several", "password", "first password", "second factor"])
    def test_show_what_to_correct_too(self, name):
        client = Client(raise_request_exception=False)
        inputs = {title: REFUSED[title] for title in ("empty", "too long", "a NUL byte")}
        gaps = [
            gap
            for form in list_forms(*OPENED[name](client))
            for gap in find_gaps(
                client, form, {title: dict.fromkeys(form.names, text) for title, text in inputs.items()}
            )
        ]
        assert gaps == []


def _open_revealing(client: Client) -> tuple[str, HttpResponse]:
    client.force_login(make_user("support", "view_payload", username="ada"))
    return "/reveal/", client.get("/reveal/")


def _open_several(client: Client) -> tuple[str, HttpResponse]:
    client.force_login(make_user("operator", username="bob"))
    sent = {"action": "restart", "msg_id": make_message(state="FAILED").pk}
    return "/messages/act/", client.post("/messages/act/", sent)


def _open_password_question(client: Client) -> tuple[str, HttpResponse]:
    client.force_login(make_user("admin", username="eve"))
    sent = {"username": "new", "grants": "support", "reason": "r", "version": ""}
    return "/users/new/", client.post("/users/new/", sent)


def _open_new_password(client: Client) -> tuple[str, HttpResponse]:
    link = make_link(RequestFactory().get("/"), make_user("support", username="joe", email=""))
    path = client.get(urlsplit(link.address).path).headers["Location"]
    return path, client.get(path)


def _open_second_factor(client: Client) -> tuple[str, HttpResponse]:
    user = make_user("support", username="zoe")
    client.force_login(user)
    begin_enrolment(user=user)
    return "/second-factor/", client.get("/second-factor/")


OPENED: Mapping[str, Callable[[Client], tuple[str, HttpResponse]]] = {
    "revealing": _open_revealing,
    "several": _open_several,
    "password": _open_password_question,
    "first password": _open_new_password,
    "second factor": _open_second_factor,
}
