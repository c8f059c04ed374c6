import pytest
from playwright.sync_api import Page

from tests.pages.every_path import every_path
from tests.support.factories import make_message

# A4 upright without its margins, in CSS pixels.
PAPER = {"width": 703, "height": 1030}
PAGES = (
    "/",
    "/handover/",
    "/failures/",
    "/messages/",
    "/jobs/",
    "/document-history/",
    "/message-store/",
    "/audit/",
)

# Returns what no paper needs, and what it cannot show, in words.
_CHECK = """
() => {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility());
  const say = (text) => (element) => `${text}: ${element.outerHTML.slice(0, 100)}`;
  const style = (element) => getComputedStyle(element);
  const room = document.documentElement.clientWidth;
  const light = (element) => style(element).colorScheme === "light";
  return [
    ...shown(".c-side, .c-find, .c-pager :not(p), kbd").map(say("of the screen")),
    ...shown("button:not(.c-term), .c-button, input[type=checkbox], input[type=submit], select")
      .map(say("pressed")),
    ...shown(".c-table-box, .c-rows").filter((e) => style(e).overflowX !== "visible" ||
      e.scrollWidth > room).map(say("cut")),
    ...shown("tbody td *").filter((e) => style(e).textOverflow === "ellipsis").map(say("shortened")),
    ...shown("main a[href]").filter((e) => !style(e).textDecorationLine.includes("underline"))
      .map(say("link like text")),
    ...shown("tbody tr").filter((e) => style(e).display !== "table-row").map(say("no row")),
    ...shown("tbody tr, .c-summary-lines li:not(:has(li))")
      .filter((e) => style(e).breakInside !== "avoid").map(say("breaks between pages")),
    ...shown("main, h1, h2, p").filter((e) => !["rgb(0, 0, 0)", "rgb(51, 51, 51)"].includes(style(e).color) &&
      !e.closest("[data-state], .c-note")).map(say("not black")),
    ...shown("dt, th, h2").filter((e) => e.textContent.trim() && !e.innerText.trim())
      .map(say("without its words")),
    ...shown(".c-panel-head").filter((e) => !e.innerText.trim()).map(say("empty head")),
    ...shown(".c-tabbed .c-panel").filter((e) => !e.querySelector("h2") &&
      getComputedStyle(e, "::before").content === "none").map(say("without a name")),
    ...shown("td .u-visually-hidden").filter((e) => e.getBoundingClientRect().width > 1)
      .map(say("room for hidden words")),
    ...shown("dd").filter((e) => e.innerText.length > 200 && e.clientWidth < room / 2).map(say("narrow")),
    ...shown("tbody td").filter((e) => e.clientWidth < 60 && e.innerText.length > 40).map(say("narrow")),
    ...(light(document.documentElement) ? [] : ["dark"]),
    ...(document.documentElement.scrollWidth > room ? ["wider than paper"] : []),
  ];
}
"""


def printed(page: Page) -> list[str]:
    page.emulate_media(media="print")
    try:
        return page.evaluate(_CHECK)
    finally:
        page.emulate_media(media="screen")


@pytest.fixture
def paths() -> list[str]:
    """Store rows of every kind, and return the addresses of pages that people print."""
    found = every_path()
    first_of = [
        next(path for path in found if path.startswith(start) and path != start)
        for start in ("/failures/", "/incidents/", "/jobs/", "/keys/N", "/message-store/")
    ]
    trace = "\n".join(f"at org.example.Route.process(Route.java:{line})" for line in range(20))
    failed = make_message(state="FAILED", failed_error_code="E102", failed_desc=f"E102: bad\n{trace}")
    return [*PAGES, *first_of, f"/messages/{failed.pk}/"]


class TestPaper:
    @pytest.mark.slow
    def test_has_whole_tables_in_light_colours_and_nothing_to_press(self, open_window, paths):
        window = open_window(viewport=PAPER, color_scheme="dark")
        window.log_in("admin", "view_payload", shows_values=True)
        window.open("/messages/")
        window.choose_colours("Dark")
        wrong = {}
        for path in paths:
            window.page.goto(path, wait_until="networkidle")
            if found := printed(window.page):
                wrong[path] = found
        assert wrong == {}
