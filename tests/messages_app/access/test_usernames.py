import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client

from messages_app.audit.models import AuditEntry
from tests.support.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db

RESERVED = [
    *("system", "SYSTEM", "System", "system_", "sys.tem", "@system"),
    "\u017fystem",  # a long s
    "\uff53\uff59\uff53\uff54\uff45\uff4d",  # full width
    "\u0455\u0443\u0455\u0442\u0435\u043c",  # Cyrillic
    "syst\u00e9m",
]
OTHERS = ["systems", "system1", "sys", "ada", "subsystem", "eco-system"]


@pytest.fixture
def manager() -> Client:
    client = Client()
    client.force_login(make_user(is_staff=True, is_superuser=True, username="root"))
    return client


class TestReservedNames:
    @pytest.mark.parametrize("name", RESERVED)
    def test_are_refused_in_every_spelling(self, name):
        with pytest.raises(ValidationError, match=r"name 'system' is reserved"):
            User(username=name, password="x").full_clean()

    @pytest.mark.parametrize("name", ["sys\u200btem", "system ", " system", "system\u00a0", "sys\u00adtem"])
    def test_are_refused_with_blanks_that_one_does_not_see(self, name):
        with pytest.raises(ValidationError):
            User(username=name, password="x").full_clean()

    @pytest.mark.parametrize("name", OTHERS)
    def test_do_not_include_others(self, name):
        User(username=name, password="x").full_clean()

    def test_are_refused_by_the_command_that_makes_superusers(self):
        with pytest.raises(CommandError, match="reserved"):
            call_command("createsuperuser", interactive=False, username="System", email="")
        assert not User.objects.exists()


class TestActorIds:
    def test_tell_two_users_apart_who_had_the_same_name(self):
        ids = []
        for _ in range(2):
            user = make_user("operator")
            client = Client()
            assert client.post("/login/", {"username": "ada", "password": PASSWORD}).status_code == 302
            ids.append(user.pk)
            user.delete()
        entries = AuditEntry.objects.filter(action="log_in").order_by("pk")
        assert list(entries.values_list("actor", "actor_id")) == [("ada", ids[0]), ("ada", ids[1])]

    def test_are_those_of_refused_log_ins_only_for_known_users(self):
        ada = make_user("operator")
        for name in ("ada", "eve"):
            Client().post("/login/", {"username": name, "password": "wrong"})
        entries = AuditEntry.objects.filter(action="log_in", outcome="refused").order_by("pk")
        assert list(entries.values_list("actor_id", flat=True)) == [ada.pk, None]
