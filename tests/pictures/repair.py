"""The animation at the beginning of README.md: an outage is found and repaired in ten seconds."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.pictures.frames import Animation

CAUSE = re.compile("billing.intra.example failed")
# The demo's hub starts a few messages each second.
PATIENCE = 600_000  # ms
_JOB_FRAMES = 3


def record_repair(page: Page, folder: Path) -> str:
    """Repair the outage of the demo, save the animation, and return the address of the job."""
    animation = Animation()
    page.goto("/")
    cause = page.get_by_role("main").get_by_role("link", name=CAUSE).first
    expect(cause).to_be_visible(timeout=PATIENCE)
    animation.add(page, 1_500, at=cause)
    cause.click()
    restart = page.get_by_role("link", name=re.compile("^Restart .* messages"))
    expect(restart).to_be_visible()
    incident = page.url
    animation.add(page, 1_700, at=restart)
    restart.click()
    reason = page.get_by_label(re.compile("^Reason"))
    reason.fill("billing is back")
    start = page.get_by_role("button", name=re.compile("^Restart .* messages"))
    animation.add(page, 1_500, at=start)
    start.click()
    page.wait_for_url(re.compile(r"/jobs/\d+/"))
    job = page.url
    for _ in range(_JOB_FRAMES):
        animation.add(page, 500)
        page.wait_for_timeout(1_500)
    expect(page.get_by_text("All messages were restarted.")).to_be_visible(timeout=PATIENCE)
    animation.add(page, 1_000)
    _wait_for_end(page, incident)
    close = page.get_by_role("button", name="Close", exact=True)
    animation.add(page, 1_500, at=close)
    close.click()
    expect(close).to_be_hidden()
    animation.add(page, 1_300)
    animation.save(folder, "repair")
    return job


def _wait_for_end(page: Page, incident: str) -> None:
    """Open the incident again and again, until all of its messages are processed."""
    for _ in range(PATIENCE // 2_000):
        page.goto(incident)
        if page.get_by_text(re.compile("^All .* were processed")).count():
            return
        page.wait_for_timeout(2_000)
    raise SystemExit("The demo's hub has not processed the messages of the incident.")
