import socket
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.functions import Now

from hubconsole.devserver import preflight
from messages_app.access.models import ApiToken
from messages_app.access.token_services import digest_key
from messages_app.core.embedded_servers import CannotStart, find_free_port


class TestOnlyOne:
    def test_allows_the_next_one_afterwards(self, tmp_path: Path):
        for _ in range(2):
            with preflight.only_one(tmp_path / "home"):
                pass

    def test_refuses_a_second_one(self, tmp_path: Path):
        with (
            preflight.only_one(tmp_path),
            pytest.raises(CannotStart, match="already running"),
            preflight.only_one(tmp_path),
        ):
            pass


class TestCheckAddress:
    def test_allows_a_free_port(self):
        preflight.check_address("127.0.0.1", find_free_port())

    @pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1"])
    def test_refuses_an_invalid_address_here(self, host: str):
        with pytest.raises(CannotStart, match=f"of {host} cannot be used"):
            preflight.check_address(host, find_free_port())

    def test_refuses_all_addresses_if_one_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(CannotStart, match="in use"):
            preflight.check_address("0.0.0.0", server.getsockname()[1])


class TestCheckDisk:
    def test_shows_what_is_free_and_what_is_needed(self, tmp_path: Path):
        with pytest.raises(CannotStart, match=r"has \d+ MB left; 1000000000000 MB are needed"):
            preflight.check_disk(tmp_path, needed_bytes=10**18)


@pytest.mark.django_db
class TestUseDemoHub:
    TIMES = {"HUB_POLL_SECONDS": "6", "HUB_FAILED_REST_SECONDS": "60", "HUB_POSTPONED_REST_SECONDS": "5"}

    def test_refuses_a_console_with_tables_of_its_own_in_one_line(self, settings):
        settings.HUB_RULES = ""
        with pytest.raises(CannotStart, match="set HUBCONSOLE_HOME to a new folder") as refused:
            preflight.use_demo_hub("openhub", times=self.TIMES)
        assert "\n" not in str(refused.value)

    def test_refuses_rules_of_another_hub(self, settings):
        settings.HUB_RULES = "cleverbus"
        with pytest.raises(CannotStart, match="--demo-hub openhub contradicts HUB_RULES=cleverbus"):
            preflight.use_demo_hub("openhub", times=self.TIMES)


@pytest.mark.django_db
class TestCheckVersion:
    def test_allows_our_own_migrations(self):
        preflight.check_version()

    def test_allows_tables_that_a_newer_version_has_extended(self):
        MigrationRecorder(connection).record_applied("messages_app", "9999_later")

        preflight.check_version()

    def test_refuses_tables_from_which_a_newer_version_has_removed_something(self):
        MigrationRecorder(connection).record_applied("messages_app", "9999_later_contract")

        with pytest.raises(
            CannotStart, match=r"newer version of Hub Console \(it has messages_app.9999_later_contract\)"
        ):
            preflight.check_version()

    def test_ignores_migrations_of_another_application(self):
        MigrationRecorder(connection).record_applied("another", "0001_initial")

        preflight.check_version()


@pytest.mark.django_db
class TestFirstPassword:
    def test_is_that_of_the_admin_made_then(self, tmp_path: Path):
        password = preflight.create_first_user(tmp_path)

        assert get_user_model().objects.get(is_superuser=True).check_password(password)
        assert preflight.create_first_user(tmp_path) == password

    def test_is_not_reported_once_changed(self, tmp_path: Path):
        preflight.create_first_user(tmp_path)
        admin = get_user_model().objects.get()
        admin.set_password("changed it myself")
        admin.save()

        assert preflight.create_first_user(tmp_path) is None

    def test_makes_no_second_superuser(self, tmp_path: Path):
        get_user_model().objects.create_superuser("root", password="of a longer story")

        assert preflight.create_first_user(tmp_path) is None
        assert get_user_model().objects.count() == 1


@pytest.mark.django_db
class TestServicesToken:
    def test_is_made_once_and_may_only_pull_and_read_objects(self, tmp_path: Path):
        for _ in range(2):
            key = preflight.services_token(tmp_path).read_text().strip()
        assert ApiToken.objects.get().key_sha256 == digest_key(key)
        user = get_user_model().objects.get(username="demo-services")
        assert user.get_all_permissions() == {"messages_app.pull_cp_messages", "messages_app.view_payload"}
        assert ApiToken.objects.get().scopes == ["payload:read", "queue:consume"]
        assert (tmp_path / "demo_services_token").stat().st_mode & 0o777 == 0o600

    def test_is_made_again_if_it_was_revoked(self, tmp_path: Path):
        first = preflight.services_token(tmp_path).read_text()
        ApiToken.objects.update(revoked_at=Now())
        assert preflight.services_token(tmp_path).read_text() != first
