"""docs/tutorial.md is followed from its first line to its last: in a shell, and in a real browser."""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.hubconsole.console import Console
from tests.support import browser
from tests.support.servers import Servers
from tests.tutorial.reader import Reader
from tests.tutorial.script import FILE, read_script
from tests.tutorial.terminals import Terminals

pytestmark = pytest.mark.slow

_WINDOW = {"width": 1440, "height": 900}
# Settings of the tests, which a reader does not have.
_OF_TESTS = ("HUB_RULES", "SPARK_MASTER", "DJANGO_SETTINGS_MODULE")
# The packages are installed, and a clone has newer files than they.
_MAKE = '#!/bin/sh\nexec {make} -o .venv/.installed -o .venv/.installed-test PY={python} "$@"\n'


@pytest.fixture
def console(servers: Servers) -> Iterator[Console]:
    console = Console(servers.home)
    yield console
    console.remove()


@pytest.fixture
def terminals(console: Console, tmp_path: Path) -> Iterator[Terminals]:
    """The terminals of a reader whose packages are installed, and whose port 8000 is in use."""
    environment = console.environment(ARGS=f"--port {console.port}", PATH=f"{tmp_path}:{os.environ['PATH']}")
    make = tmp_path / "make"
    make.write_text(_MAKE.format(make="/usr/bin/make", python=sys.executable))
    make.chmod(make.stat().st_mode | stat.S_IXUSR)
    terminals = Terminals(
        tmp_path, {name: value for name, value in environment.items() if name not in _OF_TESTS}
    )
    yield terminals
    terminals.end()


@pytest.fixture
def page() -> Iterator[Page]:
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    executable = browser.executable()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=as_root)
        context = chromium.new_context(viewport=_WINDOW, permissions=["clipboard-read", "clipboard-write"])
        yield context.new_page()
        chromium.close()


class TestTutorial:
    def test_can_be_followed_as_it_is_written(self, terminals: Terminals, console: Console, page: Page):
        reader = Reader(page, terminals, address=f"127.0.0.1:{console.port}")
        for line in read_script(FILE.read_text()):
            reader.follow(line)
