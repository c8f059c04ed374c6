import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from messages_app.access.second_factor.devices import device_of
from tests.messages_app.access.second_factor.factors import enrol, is_in
from tests.support.audit_entries import audit_rows, by_system
from tests.support.factories import make_user
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db


class TestRemoveSecondFactor:
    def test_ends_the_sessions_of_the_user_and_is_in_the_audit(self, client):
        bob = client_of("admin", username="bob")
        ada = make_user("admin")
        enrol(ada)
        client.force_login(ada)
        for _ in range(2):
            Client().force_login(ada)
        out = StringIO()
        call_command("remove_second_factor", "ada", stdout=out)
        assert out.getvalue() == "ada now logs in with only the password. Sessions ended: 3.\n"
        assert device_of(ada) is None
        assert (is_in(client), is_in(bob)) == (False, True)
        rows = audit_rows("remove_second_factor", "end_other_sessions")
        actor = rows[0]["actor"]
        assert actor.startswith("command line")
        assert rows == [
            by_system(
                "remove_second_factor",
                actor=actor,
                subject_kind="user",
                subject=str(ada.pk),
                details={"user": "ada"},
            ),
            by_system("end_other_sessions", actor=actor, details={"sessions": 3}),
        ]

    def test_reports_to_programs_how_many_sessions_ended(self, client):
        ada = make_user("admin")
        enrol(ada)
        client.force_login(ada)
        out = StringIO()
        call_command("remove_second_factor", "ada", "--json", stdout=out)
        assert json.loads(out.getvalue()) == {"user": "ada", "sessions": 1}

    def test_fails_for_an_unknown_user_or_none(self):
        make_user("admin")
        for user, words in (("nobody", "There is no user"), ("ada", "has no second factor")):
            with pytest.raises(CommandError, match=words):
                call_command("remove_second_factor", user)
