from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from messages_app.access.second_factor.devices import device_of
from messages_app.audit.models import AuditEntry
from tests.messages_app.access.second_factor.factors import enrol, is_in
from tests.support.factories import make_user
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db


class TestRemoveSecondFactor:
    def test_ends_the_sessions_of_the_user_and_is_in_the_audit(self, client):
        bob = client_of("admin", username="bob")
        ada = make_user("admin")
        enrol(ada)
        client.force_login(ada)
        out = StringIO()
        call_command("remove_second_factor", "ada", stdout=out)
        assert out.getvalue() == "ada now logs in with only the password. Sessions ended: 1.\n"
        assert device_of(ada) is None
        assert (is_in(client), is_in(bob)) == (False, True)
        entry = AuditEntry.objects.get(action="remove_second_factor")
        assert (entry.actor[:12], entry.details) == ("command line", {"user": "ada"})

    def test_fails_for_an_unknown_user_or_none(self):
        make_user("admin")
        for user, words in (("nobody", "There is no user"), ("ada", "has no second factor")):
            with pytest.raises(CommandError, match=words):
                call_command("remove_second_factor", user)
