"""`hubconsole up` from an installed package, without the clone, by a user who cannot write to its files."""

import re
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from hubconsole import __version__
from tests.hubconsole.console import Console, ways
from tests.support.eventually import eventually
from tests.support.packages import build_wheel, install_alone, install_next_to_libraries

PAGES = ("/", "/messages/", "/jobs/", "/docs/howto/install/", "/static/css/tokens.css")
USER = "nobody" if "nobody" in ways() else "ourselves"


class Browser:
    """The first administrator in a browser without scripts."""

    def __init__(self, console: Console) -> None:
        self._address = f"http://127.0.0.1:{console.port}"
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._password = re.search(r"user admin  password (\S+)", console.told())[1]

    def log_in(self) -> None:
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.open("/login/")[1])[1]
        form = {"csrfmiddlewaretoken": token, "username": "admin", "password": self._password}
        address, _ = self.open("/login/", urllib.parse.urlencode(form).encode())
        assert address == "/"

    def open(self, path: str, body: bytes | None = None) -> tuple[str, str]:
        """Return the path at which the browser arrives, and the text of the page. Raises for an error."""
        with self._opener.open(self._address + path, body, timeout=60) as answer:
            return urllib.parse.urlsplit(answer.url).path, answer.read().decode()


def make_folder(parent: Path) -> Path:
    """Make a folder that every user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="package-", dir=parent))
    folder.chmod(0o755)
    return folder


def use_package(
    home: Path, install: Callable[[Path, Path], Path], *, until: Callable[[Console], None]
) -> None:
    """Install the package, start it, log in, open pages and stop it; nothing may be written to its files."""
    folder = make_folder(home)
    scripts = install(build_wheel(make_folder(home)), folder / "environment")
    before = list_files(folder)
    console = Console(home, user=USER, script=scripts / "hubconsole")
    try:
        done = console.run("--version")
        assert (done.stdout, done.stderr) == (f"Hub Console {__version__}\n", "")
        console.start("--no-demo")
        assert f"the data is in {console.home}" in console.told()
        browser = Browser(console)
        browser.log_in()
        assert [browser.open(page)[0] for page in PAGES] == list(PAGES)
        until(console)
        assert console.stop() == 0
    finally:
        console.remove()
    assert list_files(folder) == before


def list_files(folder: Path) -> dict[str, int]:
    """Return the times at which the files of a folder were changed."""
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


# In each run, tests/test_wheel.py has the commands and pages of an installed package, and test_up.py a start.
@pytest.mark.slow
class TestUp:
    def test_serves_pages_from_files_that_the_user_cannot_write(self, servers):
        use_package(servers.home, install_next_to_libraries, until=lambda console: None)

    def test_is_healthy_in_an_empty_environment(self, servers):
        def wait_until_healthy(console: Console) -> None:
            eventually(lambda: console.page("/health/") == 200, 300, every=1)
            done = console.run("doctor")
            assert done.returncode == 0, done.stdout

        use_package(servers.home, install_alone, until=wait_until_healthy)
