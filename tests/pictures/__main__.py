"""
`make pictures`: the pictures of README.md and the tutorial, light and dark, from a demo that this starts.

Run it after a change that they show. Each takes the page as a new user sees it at 1280 by 800.
"""

import os
import re
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.hubconsole.console import Console
from tests.pictures.frames import save_picture
from tests.pictures.repair import CAUSE, PATIENCE, record_repair
from tests.pictures.scenes import FOLDER, SCENES
from tests.pictures.shown_pages import record_shown_pages
from tests.support import browser
from tests.support.files import ROOT

_WINDOW = {"width": 1280, "height": 800}
_DEMO = ("--messages", "20000")
# The demo's outage is over: its incident would end on its own, at times before it is closed in the recording.
_OPEN_UNTIL_CLOSED = {"HUBCONSOLE_INCIDENT_QUIET_MINUTES": "1440"}
# Charts draw and counts arrive within it.
_SETTLED = 2_500  # ms


def main() -> None:
    browser.main()
    with tempfile.TemporaryDirectory() as parent:
        Path(parent).chmod(0o711)
        console = Console(Path(parent))
        try:
            console.start(*_DEMO, **_OPEN_UNTIL_CLOSED)
            _take_pictures(console)
            record_shown_pages(ROOT)
        finally:
            console.remove()


def _take_pictures(console: Console) -> None:
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    executable = browser.executable()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=as_root)
        context = chromium.new_context(base_url=f"http://127.0.0.1:{console.port}", viewport=_WINDOW)
        page = context.new_page()
        _log_in(page, (console.home / "admin_password").read_text().strip())
        _wait_for_demo(page)
        for scene in SCENES:
            scene.open(page)
            page.wait_for_timeout(_SETTLED)
            save_picture(page, FOLDER, scene.name)
        page.goto(record_repair(page, FOLDER))
        page.wait_for_timeout(_SETTLED)
        save_picture(page, FOLDER, "job")
        chromium.close()


def _log_in(page: Page, password: str) -> None:
    page.goto("/login/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label(re.compile("^Password")).fill(password)
    page.keyboard.press("Enter")
    page.wait_for_url("**/")


def _wait_for_demo(page: Page) -> None:
    """Wait until the demo has its outage, and close what the first page shows to new users only."""
    expect(page.get_by_role("main").get_by_role("link", name=CAUSE).first).to_be_visible(timeout=PATIENCE)
    # The menu reads its numbers less often than the page.
    expect(page.locator('[data-menu-count="incidents"]')).to_be_visible(timeout=PATIENCE)
    dismiss = page.get_by_role("button", name="Dismiss")
    while dismiss.count():
        dismiss.first.click()
        page.wait_for_load_state("networkidle")


if __name__ == "__main__":
    main()
