"""The exported manual in the browser, below an address of another web server, with a strict policy."""

import functools
import html
import re
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import zip_longest

import pytest
from playwright.sync_api import Page, expect

from messages_app.manual.exported_folder import replace_folder
from messages_app.manual.exported_pages import list_files
from messages_app.manual.library import read_manual
from messages_app.manual.search import find_sections, show_excerpt
from tests.pages.checks import WIDE, check_looks
from tests.pages.test_printing import PAPER, printed
from tests.support.parameters import quick_first

BELOW = "/docs/hub/"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'"
)
QUERIES = (
    *(
        "restart",
        "RESTART",
        "undo job",
        "attach",
        "hubc_",
        "second factor",
        "erase subject",
        "archive parquet",
    ),
    *(
        "a",
        "IN_DOUBT",
        "get-next/",
        "--create-triggers",
        "test batch failure",
        "1000",
        "öffnen",
        "xyzzy",
    ),
    *("Spark Connect server", "s3 bucket", "decision graphviz", "the of to in a message job state is by for"),
    *("(.*)", "%2F", "how do I undo a job", "test batch xyzzy", "is a"),
)


class _Server(SimpleHTTPRequestHandler):
    """Serves files with a strict policy, as nginx in the guide does."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """Give the address of an export on a web server of its own."""
    root = tmp_path_factory.mktemp("www")
    replace_folder(root / BELOW.strip("/"), list_files(read_manual()))
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Server, directory=str(root)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}{BELOW}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(address, chromium) -> Iterator[Page]:
    """Give a page whose complaints, and requests to other addresses, fail the test."""
    context = chromium.new_context(viewport=WIDE, color_scheme="light")
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda one: None if one.url.startswith(address) else faults.append(one.url))
    yield page
    context.close()
    assert faults == []


def read_results(page: Page) -> list[list[str]]:
    """Return the address and the text of each result."""
    results = page.evaluate("""() => [...document.querySelectorAll(".c-book-result")].flatMap((chapter) => {
        let address = chapter.querySelector("h2 a").href;
        return [...chapter.children].slice(1).flatMap((part) => {
            if (part.tagName === "H3") address = part.querySelector("a").href;
            return part.tagName === "P" ? [[address, part.innerHTML]] : [];
        });
    })""")
    return [[address, html.unescape(text)] for address, text in results]


def expect_results(text: str, address: str) -> list[list[str]]:
    """Return what the console finds."""
    return [
        [place.address.replace("/docs/", address, 1), html.unescape(show_excerpt(place, text))]
        for places in find_sections(read_manual(), text)
        for place in places
    ]


class TestSearch:
    @pytest.mark.parametrize(
        ("queries", "least"), quick_first([pytest.param(QUERIES[:6], 5), pytest.param(QUERIES[6:], 14)])
    )
    def test_finds_the_same_as_the_console(self, page, address, queries, least):
        differences, found = [], 0
        for text in queries:
            page.goto(f"{address}search/")
            page.get_by_role("searchbox", name="Search the manual").fill(text)
            page.keyboard.press("Enter")
            expect(page.get_by_role("heading", level=1)).to_have_text(f"Results for {text}")
            shown, expected = read_results(page), expect_results(text, address)
            found += bool(expected)
            differences += [(text, *pair) for pair in zip_longest(shown, expected) if pair[0] != pair[1]]
        assert differences == []
        assert found >= least

    def test_says_when_sections_have_only_most_of_the_words(self, page, address):
        page.goto(f"{address}search/?q=test+batch+xyzzy")
        expect(page.get_by_text("These have the most of them.")).to_be_visible()
        page.goto(f"{address}search/?q=test+batch")
        expect(page.locator(".c-book-result").first).to_be_visible()
        expect(page.get_by_text("These have the most of them.")).to_have_count(0)

    def test_says_when_nothing_is_found(self, page, address):
        page.goto(f"{address}search/?q=xyzzy")
        expect(page.get_by_role("main")).to_contain_text("No section of the manual has all of these words.")

    def test_is_started_from_any_chapter_and_leads_to_the_section(self, page, address):
        page.goto(f"{address}howto/attach/")
        page.get_by_role("searchbox", name="Search the manual").fill("test batch")
        page.keyboard.press("Enter")
        page.get_by_role("main").get_by_role("link", name="Test batch", exact=True).click()
        expect(page).to_have_url(f"{address}reference/jobs/#test-batch")
        expect(page.get_by_role("heading", level=1)).to_have_text("Jobs")

    def test_shows_markup_of_a_query_as_text(self, page, address):
        page.goto(f"{address}search/?q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E")
        expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Results for <img src=x"))
        assert page.locator(".c-prose img").count() == 0


class TestPages:
    @pytest.mark.parametrize(
        "path",
        quick_first(["search/?q=restart", "how_it_works/messages/", "", "tutorial/"], quick=2),
    )
    def test_are_readable_in_both_themes_and_at_any_width(self, page, address, path):
        page.goto(f"{address}{path}")
        check_looks(page, with_frame=True)

    def test_keep_the_theme_that_the_reader_chose(self, page, address):
        colour = "getComputedStyle(document.body).backgroundColor"
        page.goto(address)
        light = page.evaluate(colour)
        page.locator("summary").filter(has_text="Colours").click()
        page.get_by_role("button", name="Dark").click()
        page.goto(f"{address}glossary/")
        assert page.evaluate(colour) != light

    def test_are_printed_without_their_frame(self, page, address):
        page.set_viewport_size(PAPER)
        page.goto(f"{address}how_it_works/architecture/")
        assert printed(page) == []
        page.emulate_media(media="print")
        expect(page.locator(".c-book-nav")).to_be_hidden()
