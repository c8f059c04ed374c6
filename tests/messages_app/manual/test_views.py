"""The addresses below /docs/ answer everyone, without a database, with the files of the manual only."""

import gzip

import pytest
from django.test import Client

from messages_app.core.middleware import PAGE_POLICY
from tests.support.page_client import text_of

# No mark django_db: a query of any of these requests fails the test.


@pytest.fixture
def visitor() -> Client:
    """Return a client with the cookie of a session, as a user's browser has it."""
    client = Client()
    client.cookies["sessionid"] = "a" * 32
    return client


class TestChapter:
    def test_is_shown_without_a_login_and_a_database(self, visitor):
        response = visitor.get("/docs/howto/attach/")
        assert response.status_code == 200
        assert response["Content-Type"] == "text/html; charset=utf-8"
        assert "<h1>Attach to a running hub</h1>" in response.content.decode()
        assert '<h2 id="detach">Detach ' in response.content.decode()

    def test_has_a_policy_that_is_stricter_than_that_of_pages(self, visitor):
        policy = visitor.get("/docs/")["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';")
        assert "unsafe" not in policy
        assert "default-src 'self'" in PAGE_POLICY

    def test_is_kept_by_browsers_which_ask_whether_it_has_changed(self, visitor):
        response = visitor.get("/docs/glossary/")
        assert response["Cache-Control"] == "public, no-cache"
        assert not response.cookies
        again = visitor.get("/docs/glossary/", HTTP_IF_NONE_MATCH=response["ETag"])
        assert (again.status_code, again.content) == (304, b"")
        other = visitor.get("/docs/", HTTP_IF_NONE_MATCH=response["ETag"])
        assert other.status_code == 200

    def test_is_compressed_if_the_browser_reads_that(self, visitor):
        plain = visitor.get("/docs/reference/settings/")
        zipped = visitor.get("/docs/reference/settings/", HTTP_ACCEPT_ENCODING="gzip")
        assert gzip.decompress(zipped.content) == plain.content
        assert zipped["Content-Encoding"] == "gzip"
        assert zipped["ETag"] != plain["ETag"]
        assert "Accept-Encoding" in plain["Vary"]
        assert len(zipped.content) < 20_000

    def test_answers_head(self, visitor):
        response = visitor.head("/docs/")
        assert (response.status_code, response.content) == (200, b"")

    @pytest.mark.parametrize(
        "path", ["/docs/", "/docs/glossary/", "/docs/search/", "/docs/tutorial/map.webp"]
    )
    def test_refuses_changes(self, path):
        response = Client().post(path)
        assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")

    @pytest.mark.parametrize(
        ("path", "address"),
        [
            ("/docs/howto/attach", "/docs/howto/attach/"),
            ("/docs/howto/attach//", "/docs/howto/attach/"),
            ("/docs///", "/docs/"),
        ],
    )
    def test_is_at_one_address(self, visitor, path, address):
        response = visitor.get(path)
        assert (response.status_code, response["Location"]) == (301, address)

    @pytest.mark.django_db
    def test_is_at_the_address_with_a_slash(self, client):
        response = client.get("/docs")
        assert (response.status_code, response["Location"]) == (301, "/docs/")


class TestPicture:
    @pytest.mark.parametrize(
        ("path", "media_type", "start"),
        [
            ("tutorial/overview.webp", "image/webp", b"RIFF"),
            ("contributing/ratios.svg", "image/svg+xml", b"<"),
        ],
    )
    def test_has_its_type_and_is_kept_for_a_day(self, visitor, path, media_type, start):
        response = visitor.get(f"/docs/{path}")
        assert response["Content-Type"] == media_type
        assert response["Cache-Control"] == "public, max-age=86400"
        assert response["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in response["Content-Security-Policy"]
        assert response.content.startswith(start)
        assert visitor.get(f"/docs/{path}", HTTP_IF_NONE_MATCH=response["ETag"]).status_code == 304


HOSTILE = [
    "../manage.py",
    "..%2fmanage.py",
    "%2e%2e/manage.py",
    "howto/../../manage.py",
    "howto/..%2f..%2f..%2fetc/passwd",
    "/etc/passwd",
    "%2Fetc%2Fpasswd",
    "..\\manage.py",
    "howto/attach.md",
    "README.md",
    "howto/attach/../attach",
    "./",
    "tutorial/over%00view.webp",
    "tutorial/overview.webp/",
    "tutorial/overview.webp%20",
    "tutorial/OVERVIEW.WEBP",
    "contributing/seeds",
    "<script>alert(1)</script>",
    "%E2%80%AE",
    "a" * 3000,
]


class TestHostileAddress:
    @pytest.mark.parametrize("path", HOSTILE, ids=lambda path: path[:40])
    def test_leads_to_no_file(self, visitor, path):
        response = visitor.get(f"/docs/{path}")
        if path == "contributing/seeds":
            assert response.status_code == 301
            return
        assert response.status_code == 404
        assert len(response.content) < 40_000
        for secret in (b"import sys", b"DJANGO_SETTINGS_MODULE", b"root:", b"<script>alert"):
            assert secret not in response.content

    def test_is_answered_in_words_with_the_chapters(self, visitor):
        response = visitor.get("/docs/howto/atach/")
        assert response.status_code == 404
        assert 'has no page <code class="u-break">howto/atach/</code>' in text_of(response)
        assert 'href="/docs/howto/attach/"' in response.content.decode()
        assert response["Cache-Control"] == "no-store"


class TestSearch:
    def test_shows_sections_with_the_words_marked(self, visitor):
        page = visitor.get("/docs/search/", {"q": "test batch"}).content.decode()
        assert '<a href="/docs/reference/jobs/#test-batch">Test batch</a>' in page
        assert "<mark>test</mark> <mark>batch</mark>" in page

    def test_says_that_nothing_was_found(self, visitor):
        response = visitor.get("/docs/search/", {"q": "<b>xyzzy"})
        assert "No section of the manual has all of these words." in text_of(response)
        assert b"<b>xyzzy" not in response.content

    def test_shows_sections_with_most_of_the_words_and_says_so(self, visitor):
        note = "No section of the manual has all of these words. These have the most of them."
        page = text_of(visitor.get("/docs/search/", {"q": "test batch xyzzy"}))
        assert note in page
        assert "Test batch" in page.partition(note)[2]
        assert note not in text_of(visitor.get("/docs/search/", {"q": "test batch"}))

    def test_names_the_beginning_of_a_chapter_below_another_section(self, visitor):
        page = visitor.get("/docs/search/", {"q": "second factor"}).content.decode()
        chapter = page.partition('<h2><a href="/docs/howto/company_accounts/">')[2].partition("</section>")[0]
        assert '<h3><a href="/docs/howto/company_accounts/">' in chapter

    @pytest.mark.parametrize("query", ["", "q=", "q=%00", "q=%E2%80%AE", "q=" + "a+" * 70])
    def test_answers_any_text(self, visitor, query):
        assert visitor.get(f"/docs/search/?{query}").status_code == 200

    @pytest.mark.django_db
    def test_refuses_a_long_text(self, client):
        response = client.get("/docs/search/", {"q": "a" * 151})
        assert response.status_code == 400
        assert "q must have at most 150 characters." in text_of(response)


class TestMissingManual:
    def test_is_reported_without_links_to_chapters(self, visitor, settings, tmp_path):
        settings.BASE_DIR = tmp_path
        for path in ("/docs/", "/docs/howto/attach/"):
            response = visitor.get(path)
            assert response.status_code == 404
            assert "The manual is not installed" in text_of(response)
            assert 'href="/docs/howto' not in response.content.decode()
        assert visitor.get("/docs/search/?q=a").status_code == 200
