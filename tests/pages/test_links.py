"""Pages link only to addresses of the console (docs/contributing/spec/promises.md, S-44)."""

import re

import pytest

from tests.pages.every_path import every_path
from tests.support.factories import make_message, make_request, make_response
from tests.support.page_client import reader_of

pytestmark = pytest.mark.django_db(transaction=True)

_TARGET = re.compile(r'\b(?:href|action|formaction|src|hx-get|hx-post)="([^"]*)"')
_OF_THE_CONSOLE = re.compile(r"(?:/(?!/)|\?|#|\Z)")
_ELSEWHERE = "https://evil.example/orders"


def _foreign(html: str) -> list[str]:
    """Return the targets of links, forms and files of a page that are not addresses of the console."""
    return [target for target in _TARGET.findall(html) if not _OF_THE_CONSOLE.match(target)]


class TestEveryPage:
    @pytest.mark.slow
    def test_links_only_to_the_console(self):
        reader = reader_of("admin")
        message = make_message(payload=f'<a href="{_ELSEWHERE}">{_ELSEWHERE}</a>', correlation_id=_ELSEWHERE)
        make_response(make_request(message, uri=_ELSEWHERE))
        paths = [*every_path(), f"/messages/{message.pk}/", f"/messages/{message.pk}/exchanges/"]
        pages = {path: reader.get(path).content.decode() for path in paths}

        assert {path: found for path, html in pages.items() if (found := _foreign(html))} == {}
        assert any(_ELSEWHERE in html for html in pages.values())

    def test_that_links_elsewhere_is_found(self):
        assert _foreign(f'<a href="{_ELSEWHERE}"><a href="//evil.example"><a href="javascript:x">') == [
            _ELSEWHERE,
            "//evil.example",
            "javascript:x",
        ]
        assert _foreign('<a href="/jobs/"><a href="?page=2"><a href="#top"><form action="">') == []
