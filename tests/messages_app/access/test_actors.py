import pytest
from django.test import RequestFactory

from messages_app.access.actors import actor_of, actor_of_command, actor_of_name, may_be_users
from messages_app.access.models import ApiToken
from messages_app.audit.services import Actor
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


def request(**extra: str):
    made = RequestFactory().get("/", **extra)
    made.user = make_user()
    return made


class TestActorOf:
    def test_names_user_token_address_and_request(self):
        made = request(REMOTE_ADDR="192.0.2.7")
        made.auth, made.request_id = ApiToken(name="ci"), "r-1"
        assert actor_of(made) == Actor(
            username="ada", user_id=made.user.pk, token_name="ci", address="192.0.2.7", request_id="r-1"
        )
        assert actor_of_name(made, "grace", user_id=7, token_name="nightly") == Actor(
            username="grace", user_id=7, token_name="nightly", address="192.0.2.7", request_id="r-1"
        )
        assert actor_of_name(made, "grace").user_id is None

    def test_names_no_token_for_a_session(self):
        assert actor_of(request()).token_name == ""

    @pytest.mark.parametrize("header", ["HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED"])
    def test_trusts_no_header_about_the_address(self, header):
        assert actor_of(request(REMOTE_ADDR="192.0.2.7", **{header: "1.2.3.4"})).address == "192.0.2.7"

    @pytest.mark.parametrize("address", ["", "unix:"])
    def test_has_no_address_behind_a_socket_file(self, address):
        assert actor_of(request(REMOTE_ADDR=address)).address is None


class TestActorOfCommand:
    def test_names_the_account(self):
        actor = actor_of_command()
        assert actor.username.startswith("command line (")
        assert actor == Actor(username=actor.username)


class TestMayBeUsers:
    def test_is_true_only_for_names_that_users_can_have(self):
        names = ("ada", "ada@example.org", "system", "command line (ada)", "schedule 5", "")
        assert [name for name in names if may_be_users(name)] == ["ada", "ada@example.org"]
