import pytest
from django.contrib.auth import get_user_model

from messages_app.access.models import PersonSettings
from tests.support.factories import NOON, PASSWORD, make_message, make_user
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

FORM = {"times": "own", "time_zone": "Europe/Prague", "density": "compact", "start_page": "/incidents/"}


class TestOwnSettings:
    def test_are_kept_only_for_this_user(self):
        ada, bob = client_of("support"), client_of("support", username="bob")
        assert ada.post("/me/", FORM).url == "/me/"
        row = PersonSettings.objects.get()
        assert row.user.get_username() == "ada"
        assert (row.time_zone, row.density, row.start_page) == ("Europe/Prague", "compact", "/incidents/")
        page = text_of(ada.get("/me/"))
        assert '<html lang="en-GB" class="is-compact">' in page
        assert 'value="Europe/Prague"' in page
        assert '<html lang="en-GB">' in text_of(bob.get("/me/"))

    def test_change_in_the_same_row(self):
        ada = client_of("support")
        ada.post("/me/", FORM)
        ada.post("/me/", FORM | {"times": "hub", "density": "comfortable"})
        row = PersonSettings.objects.get()
        assert (row.time_zone, row.density) == ("", "comfortable")

    @pytest.mark.parametrize(
        ("change", "error"),
        [
            ({"time_zone": "Mars/Base"}, "&#x27;Mars/Base&#x27; is not a time zone"),
            ({"time_zone": "../../etc/passwd"}, "is not a time zone"),
            ({"time_zone": "Europe/Prague\0"}, "Null characters are not allowed"),
            ({"time_zone": ""}, "Enter a time zone, such as Europe/Prague."),
            ({"times": ""}, "Choose a time zone."),
            ({"times": "moon"}, "Select a valid choice. moon"),
            ({"density": "tight"}, "Select a valid choice. tight"),
            ({"start_page": "https://evil.example/"}, "Select a valid choice. https://evil.example/"),
            ({"start_page": "/users/"}, "Select a valid choice. /users/"),
        ],
    )
    def test_are_checked(self, change, error):
        response = client_of("support").post("/me/", FORM | change)
        assert response.status_code == 400
        assert error in response.content.decode()
        assert not PersonSettings.objects.exists()

    def test_are_not_kept_for_a_deactivated_account(self):
        ada = client_of("support")
        get_user_model().objects.update(is_active=False)
        assert ada.post("/me/", FORM).url == "/login/?next=/me/"
        assert not PersonSettings.objects.exists()


class TestZone:
    def test_is_that_of_all_times_of_pages_but_not_of_the_api(self):
        ada = client_of("support")
        message = make_message(receive_timestamp=NOON)  # received at 2026-11-21 12:00 UTC
        assert "2026-11-01 12:00:00 UTC" in text_of(ada.get(f"/messages/{message.pk}/"))
        ada.post("/me/", FORM)
        page = text_of(ada.get(f"/messages/{message.pk}/"))
        assert "2026-11-01 13:00:00 CET" in page
        assert " UTC" not in page
        received = ada.get(f"/api/v1/messages/{message.pk}/").json()["receive_timestamp"]
        assert received == "2026-11-01T12:00:00Z"

    def test_of_one_user_is_not_that_of_the_next_request(self):
        ada, bob = client_of("support"), client_of("support", username="bob")
        message = make_message(receive_timestamp=NOON)
        ada.post("/me/", FORM)
        ada.get("/me/")
        assert "2026-11-01 12:00:00 UTC" in text_of(bob.get(f"/messages/{message.pk}/"))

    def test_is_that_of_times_in_the_query_line(self):
        ada = client_of("support")
        ada.post("/me/", FORM)
        message = make_message(receive_timestamp=NOON)
        of_noon = "/messages/?receive_timestamp_from=2026-11-01T13:00%2B01:00"
        assert f"/messages/{message.pk}/" in text_of(ada.get(of_noon))
        assert "received:&gt;=2026-11-01T13:00" in text_of(ada.get(of_noon))

    def test_is_named_in_the_frame(self):
        ada = client_of("support")
        assert 'title="Times are in UTC"' in text_of(ada.get("/me/"))
        ada.post("/me/", FORM)
        assert 'title="Times are in Europe/Prague"' in text_of(ada.get("/me/"))


class TestStartPage:
    def log_in(self, client, **query):
        client.logout()
        return client.post("/login/", {"username": "ada", "password": PASSWORD}, query_params=query).url

    def test_follows_the_login_unless_another_page_was_asked_for(self):
        ada = client_of("support")
        ada.post("/me/", FORM)
        assert self.log_in(ada) == "/incidents/"
        assert self.log_in(ada, next="/jobs/") == "/jobs/"

    def test_is_the_first_page_after_the_permission_is_gone(self):
        ada = client_of("support")
        ada.post("/me/", FORM)
        get_user_model().objects.get().groups.clear()
        assert self.log_in(ada) == "/"

    def test_is_the_first_page_without_settings(self):
        make_user("support", username="bob")
        ada = client_of("support")
        assert self.log_in(ada) == "/"
