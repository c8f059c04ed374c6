from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.core import signing
from django.test import RequestFactory

from messages_app.core.problems import Problem
from messages_app.core.undo import make_undo, read_undone

ADDRESS = "/failures/7/undo-mark/"
VALUES = {"former": "new", "at": datetime(2026, 11, 1, 12, 0, 0, 123456, tzinfo=UTC), "until": None, "n": [1]}
ADA, BOB = User(pk=1, username="ada"), User(pk=2, username="bob")


def read(fields: dict[str, str], *, address: str = ADDRESS, user: User = ADA) -> dict[str, object]:
    request = RequestFactory().post(address, fields)
    request.user = user
    return read_undone(request)


@pytest.fixture
def fields() -> dict[str, str]:
    request = RequestFactory().get("/")
    request.user = ADA
    return dict(make_undo(request, ADDRESS, **VALUES).fields)


class TestReadUndone:
    def test_returns_what_was_given_with_whole_times(self, fields):
        assert read(fields) == VALUES

    @pytest.mark.parametrize(
        "options", [{"address": "/failures/8/undo-mark/"}, {"address": "/failures/7/undo/"}, {"user": BOB}]
    )
    def test_refuses_a_token_of_another_address_or_user(self, fields, options):
        with pytest.raises(Problem) as refused:
            read(fields, **options)
        assert (refused.value.status, refused.value.errors[0].field) == (400, "token")

    @pytest.mark.parametrize("token", ["", "x", "\0", "é", ".eJw:1:x"])
    def test_refuses_other_texts(self, token):
        with pytest.raises(Problem) as refused:
            read({"token": token})
        assert refused.value.errors[0].field == "token"

    def test_refuses_changed_values(self, fields):
        body, rest = fields["token"].split(":", 1)
        for changed in (f"{body[:-1]}A:{rest}", f"x{body}:{rest}"):
            with pytest.raises(Problem):
                read({"token": changed})

    def test_refuses_other_fields(self, fields):
        with pytest.raises(Problem) as refused:
            read({**fields, "former": "fixed"})
        assert refused.value.errors[0].field == "former"

    @pytest.mark.parametrize(("minutes", "is_valid"), [(9, True), (11, False)])
    def test_refuses_an_old_token(self, fields, monkeypatch, minutes, is_valid):
        later = signing.time.time() + timedelta(minutes=minutes).total_seconds()
        monkeypatch.setattr(signing.time, "time", lambda: later)
        if is_valid:
            assert read(fields) == VALUES
            return
        with pytest.raises(Problem):
            read(fields)
