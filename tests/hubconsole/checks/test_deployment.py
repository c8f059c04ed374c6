from pathlib import Path

import pytest
from django.core import checks

from hubconsole.checks.deployment import check_deployment


@pytest.fixture(autouse=True)
def deployed(settings, tmp_path: Path) -> None:
    """Set all as the deploy guide has it."""
    tmp_path.chmod(0o700)
    settings.ALLOWED_HOSTS = ["hub.example.org"]
    settings.IS_LOOPBACK = False
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    settings.SECOND_FACTOR, settings.BULK_GUARD = "required", "password"
    settings.DATABASE_ROLES, settings.WITHOUT_TLS = "separate", []
    settings.CELERY_BROKER_URL = "redis://127.0.0.1/0"
    settings.HUBCONSOLE_HOME = tmp_path
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
    settings.SPARK_REMOTE = ""


def _found() -> list[str]:
    return [message.id for message in check_deployment(None)]


class TestCheckDeployment:
    def test_accepts_the_settings_of_the_guide(self):
        assert _found() == []

    @pytest.mark.parametrize(
        ("name", "value", "found"),
        [
            ("ALLOWED_HOSTS", ["*"], "hubconsole.E002"),
            ("DEBUG", True, "hubconsole.E001"),
            ("CELERY_BROKER_URL", "redis://broker.example.org/0", "hubconsole.E003"),
            ("BULK_GUARD", "none", "hubconsole.I002"),
            ("TRUSTED_PROXIES", [], "hubconsole.I001"),
            ("SECOND_FACTOR", "offered", "hubconsole.I002"),
            ("SPARK_REMOTE", "sc://127.0.0.1:15002", "hubconsole.W003"),
            ("SPARK_REMOTE", "sc://spark.example.org:15002/;use_ssl=true", "hubconsole.W003"),
        ],
    )
    def test_names_what_is_open(self, settings, name, value, found):
        setattr(settings, name, value)
        assert _found() == [found]

    def test_fails_for_what_is_unsafe_and_only_names_what_a_setting_turns_off(self, settings):
        settings.DEBUG, settings.ALLOWED_HOSTS = True, ["*"]
        settings.SECOND_FACTOR = "offered"
        levels = {message.id: message.level for message in check_deployment(None)}
        assert levels == {
            "hubconsole.E001": checks.ERROR,
            "hubconsole.E002": checks.ERROR,
            "hubconsole.I002": checks.INFO,
        }

    def test_accepts_a_token(self, settings):
        settings.SPARK_REMOTE = "sc://spark.example.org:15002/;token=x;use_ssl=true"
        assert _found() == []

    def test_names_folders_that_all_users_can_enter(self, settings, tmp_path: Path):
        tmp_path.chmod(0o711)
        (tmp_path / "archive").mkdir(mode=0o755)
        (tmp_path / "archive").chmod(0o755)

        assert _found() == ["hubconsole.W002", "hubconsole.W002"]
        told = str(check_deployment(None)[0])
        assert f"HUBCONSOLE_HOME ({tmp_path}, mode 711)" in told
        assert f"chmod 700 {tmp_path}" in told

    def test_ignores_the_group(self, settings, tmp_path: Path):
        tmp_path.chmod(0o770)
        assert _found() == []

    def test_needs_no_proxy_on_loopback(self, settings):
        settings.IS_LOOPBACK = True
        settings.TRUSTED_PROXIES = []
        assert _found() == []
