from pathlib import Path

from django.conf import settings
from playwright.sync_api import Page, Route, expect

# An address without encryption that is not this machine's: here the browser gives scripts no clipboard.
_SITE = "http://console.example"
_PAGE = """
<!doctype html><title>Copy</title><script src="/copy.js" type="module"></script>
<button type="button" data-copy="a text">Copy text</button>
<button type="button" data-copy-from="#source">Copy source</button>
<button type="button" data-copy-link>Copy link</button>
<pre id="source">line 1\nline 2</pre><textarea aria-label="Paste"></textarea>
"""


def serve(route: Route) -> None:
    if not route.request.url.endswith(".js"):
        return route.fulfill(body=_PAGE, content_type="text/html")
    script = Path(settings.BASE_DIR, "static/js/copy.js").read_text(encoding="utf-8")
    return route.fulfill(body=script, content_type="text/javascript")


def pasted_after(page: Page, button: str) -> str:
    page.get_by_role("button", name=button).click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    field = page.get_by_label("Paste")
    field.fill("")
    field.focus()
    page.keyboard.press("Control+v")
    return field.input_value()


class TestCopy:
    def test_works_if_the_browser_has_no_clipboard(self, window):
        page = window.page
        page.route(f"{_SITE}/**", serve)
        page.goto(f"{_SITE}/")
        assert page.evaluate("window.isSecureContext") is False
        assert pasted_after(page, "Copy text") == "a text"
        assert pasted_after(page, "Copy source") == "line 1\nline 2"
        assert pasted_after(page, "Copy link") == f"{_SITE}/"
