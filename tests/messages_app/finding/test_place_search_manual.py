"""The palette finds chapters of the manual, after everything else."""

import pytest

from messages_app.finding.place_search import find_chapters
from messages_app.finding.search_sources import search_everything
from tests.support.api_client import caller
from tests.support.factories import make_user
from tests.support.page_client import client_of


class TestFindChapters:
    @pytest.mark.parametrize(
        ("text", "title", "about", "url"),
        [
            (
                "restart",
                "Restart fifty messages from a script",
                "Integrator",
                "/docs/howto/restart_from_a_script/",
            ),
            ("attach", "Attach to a running hub", "Administrator", "/docs/howto/attach/"),
            ("erase", "Erase a subject", "Administrator", "/docs/howto/erase_a_subject/"),
            ("detach", "Detach", "Attach to a running hub", "/docs/howto/attach/#detach"),
        ],
    )
    def test_links_titles_and_headings(self, text, title, about, url):
        (kind,) = find_chapters(text)
        assert (kind.title, kind.name) == ("Manual", "documentation")
        first = kind.hits[0]
        assert (first.name, first.about, first.url) == (title, about, url)

    def test_leaves_out_pages_for_developers(self):
        assert list(find_chapters("import-linter")) == []
        assert list(find_chapters("recipes")) == []

    def test_shows_five_at_most(self):
        (kind,) = find_chapters("message")
        assert (len(kind.hits), kind.more, kind.order) == (5, True, "best")


@pytest.mark.django_db
class TestSearchOfPages:
    def test_has_chapters_last(self):
        kinds = search_everything("archive", make_user("admin")).kinds
        assert [kind.name for kind in kinds][-1] == "documentation"
        assert {"page", "new_job"} <= {kind.name for kind in kinds}

    def test_shows_them_in_the_palette(self):
        page = client_of("support").get("/messages/find/part/", {"id": "erase"}).content.decode()
        assert 'href="/docs/howto/erase_a_subject/"' in page

    def test_shows_them_over_rest(self):
        results = caller("support").get("search/?q=erase").json()["results"]
        assert {
            "kind": "documentation",
            "id": "Erase a subject",
            "title": "Administrator",
            "url": "/docs/howto/erase_a_subject/",
        } in results
