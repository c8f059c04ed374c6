"""The exported manual has every page and file that its pages need, at relative addresses."""

import html
import json
import posixpath
import re

import pytest

from messages_app.manual.exported_pages import list_files
from messages_app.manual.library import read_folder, read_manual
from tests.messages_app.manual.test_library import write_folder

_ADDRESS = re.compile(r'\s(href|src|action)="([^"]*)"')
_ID = re.compile(r'\sid="([^"]*)"')


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return dict(list_files(read_manual()))


@pytest.fixture(scope="module")
def pages(files) -> dict[str, str]:
    return {name: content.decode() for name, content in files.items() if name.endswith(".html")}


def resolve(page: str, address: str) -> tuple[str, str]:
    """Return the file that an address leads to from a page, as a web server finds it, and the anchor."""
    path, _, anchor = address.partition("#")
    target = posixpath.join(posixpath.dirname(page), path) if path else page
    target = posixpath.normpath(target) + ("/" if path.endswith(("/", ".")) else "")
    return (posixpath.normpath(f"{target}/index.html") if target.endswith("/") else target), anchor


class TestPages:
    def test_are_those_of_the_manual_and_the_search(self, pages):
        names = {f"{name}/index.html" if name else "index.html" for name in read_manual().chapters}
        assert set(pages) == names | {"search/index.html"}

    def test_lead_to_files_and_headings_that_exist(self, files, pages):
        ids = {name: set(map(html.unescape, _ID.findall(page))) for name, page in pages.items()}
        broken, count = [], 0
        for name, page in pages.items():
            for _, address in _ADDRESS.findall(page):
                if address.startswith(("http://", "https://")):
                    continue
                count += 1
                target, anchor = resolve(name, html.unescape(address))
                is_found = target in files and (
                    not anchor or target.endswith(".svg") or anchor in ids[target]
                )
                broken += [] if is_found else [(name, address)]
        assert count > 10_000
        assert broken == []

    def test_load_nothing_from_other_hosts_and_lead_to_no_console(self, pages):
        loaded = re.compile(r'<(?:link|script|img|use|form)\b[^>]*\s(?:href|src|action)="(https?:|/)')
        assert [name for name, page in pages.items() if loaded.search(page)] == []
        assert [name for name, page in pages.items() if re.search(r'\s(?:href|src)="/', page)] == []

    def test_have_no_inline_scripts_and_styles(self, pages):
        inline = re.compile(r"<style|<script(?![^>]*\ssrc=)|<[^>]*\s(?:style|on\w+)=")
        assert [name for name, page in pages.items() if inline.search(page)] == []

    def test_that_lead_out_of_the_manual_stop_the_export(self, tmp_path, monkeypatch):
        manual = read_folder(write_folder(tmp_path, README="# M"))
        monkeypatch.setattr(
            "messages_app.manual.exported_pages.write_chapter", lambda *_, **__: '<a href="/jobs/">x</a>'
        )
        with pytest.raises(LookupError, match="leads to /jobs/"):
            list(list_files(manual))


class TestFiles:
    def test_have_what_styles_name_and_the_licence_of_the_font(self, files):
        assert {"static/css/frame.css", "static/icons/icons.svg"} <= set(files)
        assert {"static/vendor/inter/Inter-Regular.woff2", "static/vendor/inter/LICENSE"} <= set(files)

    def test_have_what_only_a_style_names(self, tmp_path, monkeypatch):
        monkeypatch.setattr(
            "messages_app.manual.exported_pages.write_chapter",
            lambda *_, **__: '<link href="/static/css/frame.css">',
        )
        monkeypatch.setattr("messages_app.manual.exported_pages.write_page", lambda *_, **__: "")
        names = {name for name, _ in list_files(read_folder(write_folder(tmp_path, README="# M")))}
        assert "static/vendor/inter/Inter-Regular.woff2" in names

    def test_have_the_pictures_of_both_themes(self, files):
        assert {"tutorial/map.webp", "tutorial/map-dark.webp"} <= set(files)

    def test_have_an_index_of_every_section(self, files):
        index = json.loads(files["search/index.json"])
        manual = read_manual()
        assert {one["name"] for one in index["chapters"]} == set(manual.chapters) - manual.lists
        jobs = next(one for one in index["chapters"] if one["name"] == "reference/jobs")
        assert jobs["title"] == "Jobs"
        assert [anchor for anchor, _, _ in jobs["sections"]][:2] == ["", "kinds-rights-and-options"]
        assert len(files["search/index.json"]) < 1_500_000
