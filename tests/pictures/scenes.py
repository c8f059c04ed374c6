"""The pages of which README.md and the tutorial have a picture."""

import re
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

FOLDER = Path(__file__).resolve().parent.parent.parent / "docs" / "tutorial"


@dataclass(frozen=True, kw_only=True)
class Scene:
    """
    One picture.

    Args:
        path: the address that is opened.
        link: the text of a link on it that is then followed; None if the page itself is shown.
    """

    name: str
    path: str
    link: re.Pattern[str] | None = None

    def open(self, page: Page) -> None:
        page.goto(self.path)
        if self.link:
            page.get_by_role("main").get_by_role("link", name=self.link).first.click()


SCENES = (
    Scene(name="overview", path="/"),
    Scene(name="incident", path="/incidents/", link=re.compile("billing.intra.example failed")),
    Scene(name="messages", path="/messages/?state=FAILED&service_name=billing"),
    Scene(name="message", path="/messages/?state=FAILED&service_name=billing", link=re.compile("^BILLING-X")),
    Scene(name="funnels", path="/funnels/"),
    Scene(name="map", path="/map/"),
    Scene(name="services", path="/cp-queue/services/"),
)
