import pytest
from django.test import RequestFactory

from messages_app.access.actors import actor_of, actor_of_command
from messages_app.access.models import ApiToken
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
        actor = actor_of(made)
        assert (actor.username, actor.token_name, actor.address, actor.request_id) == (
            "ada",
            "ci",
            "192.0.2.7",
            "r-1",
        )

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
        assert actor_of_command().username.startswith("command line (")
