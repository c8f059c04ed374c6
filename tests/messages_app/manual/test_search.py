"""The manual's search finds sections by all words, headings first, pages for developers last."""

import pytest

from messages_app.manual.library import read_folder, read_manual
from messages_app.manual.search import find_headings, find_sections, show_excerpt
from tests.messages_app.manual.test_library import write_folder


@pytest.fixture
def manual(tmp_path):
    folder = write_folder(
        tmp_path,
        README="# M\n\n## Operator\n\n[J](jobs.md) [E](erase.md)\n\n## Developer\n\n[C](contributing/x.md)",
        jobs="# Jobs\n\nA job restarts messages.\n\n## Undo a job\n\nRestart again. Re-start.",
        erase="# Erase a subject\n\nThis removes it. There is no undo: a job cannot bring it back.\n\n"
        "## What remains\n\nAn audit entry.",
        contributing__x="# Undo a job\n\nundo undo undo",
    )
    return read_folder(folder)


def addresses(found):
    return [place.address for place in found]


class TestFindSections:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("undo job", [["/docs/jobs/#undo-a-job"], ["/docs/erase/"], ["/docs/contributing/x/"]]),
            ("RESTART", [["/docs/jobs/", "/docs/jobs/#undo-a-job"]]),
            ("start", [["/docs/jobs/#undo-a-job"]]),
            ("audit subject", [["/docs/erase/#what-remains"]]),
            (
                "how do I undo a job",
                [["/docs/jobs/#undo-a-job"], ["/docs/erase/"], ["/docs/contributing/x/"]],
            ),
            ("is", [["/docs/erase/"]]),
            ("undo nothing", []),
            ("  ", []),
            ("*", []),
            ("\0", []),
        ],
    )
    def test_has_all_words(self, manual, text, expected):
        assert [addresses(places) for places in find_sections(manual, text)] == expected

    def test_has_the_most_words_if_no_section_has_all(self, manual):
        ((place,),) = find_sections(manual, "undo the removes of a subject, please")
        assert place.address == "/docs/erase/"
        assert not place.has_all_words
        assert find_sections(manual, "please undo nothing") == []

    @pytest.mark.parametrize(
        ("text", "first"),
        [
            ("forgot my password", "/docs/howto/users_and_tokens/#change-a-user"),
            ("create a token", "/docs/howto/users_and_tokens/#create-a-token"),
            ("write a worker for the CP queue", "/docs/howto/connect_a_service_to_the_cp_queue/"),
            ("paging cursor", "/docs/reference/calls/"),
        ],
    )
    def test_finds_questions_of_readers_in_this_release(self, text, first):
        assert find_sections(read_manual(), text)[0][0].address == first


class TestFindHeadings:
    def test_finds_titles_and_headings_for_users_only(self, manual):
        assert addresses(find_headings(manual, "undo")) == ["/docs/jobs/#undo-a-job"]
        assert addresses(find_headings(manual, "subject remains")) == ["/docs/erase/#what-remains"]
        assert addresses(find_headings(manual, "audit")) == []
        assert addresses(find_headings(manual, "")) == []

    @pytest.mark.parametrize(
        ("text", "first"),
        [
            ("restart", "/docs/howto/restart_from_a_script/"),
            ("attach", "/docs/howto/attach/"),
            ("erase", "/docs/howto/erase_a_subject/"),
            ("test batch", "/docs/reference/jobs/#test-batch"),
            ("second factor", "/docs/reference/second_factor/"),
        ],
    )
    def test_finds_chapters_of_this_release(self, text, first):
        assert addresses(find_headings(read_manual(), text))[0] == first


class TestExcerpt:
    def test_marks_the_words_and_escapes_the_text(self, tmp_path):
        manual = read_folder(
            write_folder(
                tmp_path, README="# M", a="# A\n\n" + "before " * 30 + "a `<b>` undo" + " after" * 60
            )
        )
        ((place,),) = find_sections(manual, "undo")
        excerpt = show_excerpt(place, "UNDO")
        assert excerpt.startswith("… before")
        assert excerpt.endswith("after …")
        assert "a &lt;b&gt; <mark>undo</mark> after" in excerpt

    def test_shows_a_short_text_completely(self, manual):
        ((place,),) = find_sections(manual, "audit")
        assert show_excerpt(place, "audit") == "An <mark>audit</mark> entry."
