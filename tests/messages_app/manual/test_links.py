"""Every chapter that pages, errors and templates link exists, with its heading."""

import re
from pathlib import Path

import pytest

from messages_app.access.navigation import all_entries, chapter_of_page
from messages_app.manual.library import read_manual
from messages_app.manual.links import ALL_ERRORS, CHAPTERS_OF_ERRORS, CHAPTERS_OF_PAGES, chapter_of_error

ROOT = Path(__file__).parent.parent.parent.parent
_IN_TEMPLATES = re.compile(r'(?:\{% chapter |chapter=)"([^"]*)"')


def linked_in_templates() -> set[str]:
    return {
        target
        for path in (ROOT / "templates").rglob("*.html")
        for target in _IN_TEMPLATES.findall(path.read_text())
        if "{" not in target
    }


def is_missing(target: str) -> bool:
    """Return whether the manual has no such chapter, or the chapter no such heading."""
    return read_manual().address_of(target) != "/docs/" + "/#".join(
        [*target.split("#"), ""][:2] if "#" in target else [target + "/"]
    )


class TestLinkedChapters:
    def test_exist_in_the_manual(self):
        targets = {
            *CHAPTERS_OF_ERRORS.values(),
            *CHAPTERS_OF_PAGES.values(),
            *(entry.chapter for entry in all_entries()),
            *linked_in_templates(),
            ALL_ERRORS,
        }
        assert len(targets) > 25
        assert [target for target in sorted(targets) if is_missing(target)] == []

    @pytest.mark.parametrize("target", ["howto/nothing", "howto/attach#nothing", "", "howto/nothing#detach"])
    def test_that_do_not_exist_are_noticed(self, target):
        assert is_missing(target)

    def test_are_declared_by_each_entry_of_the_menu(self):
        assert [entry.title for entry in all_entries() if not entry.chapter] == []

    def test_explain_codes_that_are_published(self):
        published = (ROOT / "docs/reference/errors.md").read_text()
        assert [code for code in CHAPTERS_OF_ERRORS if f"`{code}`" not in published] == []


class TestChapterOfPage:
    @pytest.mark.parametrize(
        ("path", "chapter"),
        [
            ("/", "reference/overview"),
            ("/jobs/", "reference/jobs"),
            ("/jobs/17/", "reference/jobs"),
            ("/schedules/new/", "reference/jobs#schedules"),
            ("/messages/5/", "how_it_works/messages"),
            ("/api/v1/docs/", "reference/errors"),
            ("/nothing/", ""),
        ],
    )
    def test_is_that_of_the_longest_address(self, path, chapter):
        assert chapter_of_page(path) == chapter


class TestChapterOfError:
    def test_is_the_list_of_all_codes_for_other_errors(self):
        assert chapter_of_error("not_attached_for_this") == "howto/attach#what-works"
        assert chapter_of_error("too_many_jobs") == "reference/errors"
