"""A window of the browser, as the page tests use it."""

from django.conf import settings
from django.test import Client
from playwright.sync_api import Page

from tests.support.factories import make_user
from tests.support.page_client import confirm_password, show_values

# The lines of htmx for a request without an answer: the name of its event, and then its details.
_HTMX_LOST = ("htmx:afterRequest", "htmx:sendError")
_PART_LOST = ("the server responded with a status of 500", "Response Status Error Code 500")
_HTMX_REFUSED = "Response Status Error Code 403"


class Window:
    """
    One window of the browser.

    Attributes:
        page: playwright's page; addresses are relative to the server.
        server: the server's own address.
        complaints: the lines of the browser's console, including policy violations.
        loses_server: the test takes the server away, which the browser writes on its console, too.
        loses_part: the test makes a part of a page fail, which the browser and htmx write on the console.
        loses_right: the test takes a right of the user away, which htmx writes on the console.
    """

    def __init__(self, page: Page, *, server: str) -> None:
        self.page = page
        self.server = server
        self.complaints: list[str] = []
        self.loses_server = self.loses_right = self.loses_part = False
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self._note(message.type, message.text))

    def _note(self, kind: str, text: str) -> None:
        # An answer of 4xx, which a test may want, is not a defect of the page.
        is_expected = "the server responded with a status of 4" in text
        is_expected |= self.loses_server and ("net::ERR_" in text or text.startswith(_HTMX_LOST))
        is_expected |= self.loses_right and text.startswith(_HTMX_REFUSED)
        is_expected |= self.loses_part and any(words in text for words in _PART_LOST)
        if kind in {"error", "warning"} and not is_expected:
            self.complaints.append(text)

    def log_in(
        self,
        *roles: str,
        username: str = "ada",
        shows_values: bool = False,
        has_confirmed: bool = False,
        **columns: object,
    ) -> None:
        """Open pages as a new user from now on; the session is made without the form, which takes long."""
        client = Client()
        client.force_login(make_user(*roles, username=username, **columns))
        if shows_values:
            show_values(client)
        if has_confirmed:
            confirm_password(client)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.page.context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": self.server}]
        )

    def choose_colours(self, name: str) -> None:
        """Choose the colours of all pages in the top bar."""
        self.page.locator("summary").filter(has_text="Colours").click()
        self.page.get_by_role("button", name=name).click()

    def open(self, path: str) -> int:
        return self.page.goto(path).status


def open_account_page(page: Page, link: str) -> None:
    """Open a page of the user by its link in the menu of the account."""
    page.locator(".c-account summary").click()
    page.get_by_role("link", name=link).click()


def log_out(page: Page) -> None:
    """Log out by the menu of the account."""
    page.locator(".c-account summary").click()
    page.get_by_role("button", name="Log out").click()
