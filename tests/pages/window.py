"""A window of the browser, as the page tests use it."""

from playwright.sync_api import Page

from tests.factories import PASSWORD, make_user


class Window:
    """
    One window of the browser.

    Attributes:
        page: playwright's page; addresses are relative to the server.
        complaints: what the browser wrote on its console, policy violations among it.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self._note(message.type, message.text))

    def _note(self, kind: str, text: str) -> None:
        # An answer of 4xx, which a test may want, is no defect of the page.
        if kind in {"error", "warning"} and "the server responded with a status of 4" not in text:
            self.complaints.append(text)

    def log_in(self, *roles: str, username: str = "ada", **columns: object) -> None:
        make_user(*roles, username=username, **columns)
        self.page.goto("/login/")
        self.page.get_by_label("Username").fill(username)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Log in").click()
        self.page.wait_for_url("**/messages/")

    def open(self, path: str) -> int:
        return self.page.goto(path).status
