"""The manual has the files of its folder and no others, ordered by reader; no link of it is broken."""

import re
import time
from pathlib import Path

import pytest

from messages_app.manual.library import read_folder, read_manual

_ADDRESS = re.compile(r'(?:href|src)="([^"]*)"')


def write_folder(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


class TestFolder:
    def test_gives_chapters_by_reader_in_the_order_of_the_first_page(self, tmp_path):
        folder = write_folder(
            tmp_path,
            README="# M\n\n[T](tour.md)\n\n## Operator: repair\n\n[B](b/two.md), [A](one.md#x), [B](b/two.md)"
            "\n\n## Developer\n\n[C](contributing/)\n\n[A](one.md)",
            tour="# Tour",
            one="# One",
            b__two="# Two",
            contributing__README="# For developers",
            contributing__deep="# Deep",
        )
        manual = read_folder(folder)
        assert [(group.title, [one.title for one in group.chapters]) for group in manual.groups] == [
            ("Start here", ["Tour"]),
            ("Operator", ["Two", "One"]),
            ("Developer", ["For developers"]),
        ]
        assert manual.group_of(manual.chapters["one"]) == "Operator"
        assert manual.group_of(manual.chapters["contributing/deep"]) == "Developer"
        assert [one.name for one in manual.reading_order] == [
            *("tour", "b/two", "one", "contributing"),
            *("", "b", "contributing/deep"),
        ]

    def test_lists_the_chapters_of_a_folder_without_a_page(self, tmp_path):
        manual = read_folder(write_folder(tmp_path, README="# M", how_to__one="# One", how_to__two="# Two"))
        assert manual.chapters["how_to"].title == "How to"
        assert _ADDRESS.findall(manual.chapters["how_to"].markup) == [
            "/docs/how_to/one/",
            "/docs/how_to/two/",
        ]

    def test_leaves_out_other_files_and_links_to_files_elsewhere(self, tmp_path):
        (tmp_path / "secret.md").write_text("# Secret")
        folder = write_folder(tmp_path / "docs", README="# M")
        (folder / "dump.sql").write_text("SELECT 1")
        (folder / "linked.md").symlink_to(tmp_path / "secret.md")
        (folder / "a.webp").write_bytes(b"RIFF")
        manual = read_folder(folder)
        assert (list(manual.chapters), list(manual.pictures)) == ([""], ["a.webp"])

    def test_gives_no_chapters_without_the_folder(self, tmp_path):
        manual = read_folder(tmp_path / "none")
        assert (manual.chapters, manual.groups) == ({}, ())
        assert manual.address_of("howto/attach#detach") == "/docs/"


class TestManual:
    def test_has_every_page_for_users_in_a_group(self):
        manual = read_manual()
        grouped = {one.name for group in manual.groups for one in group.chapters}
        folders = {"deciding", "howto", "reference", "how_it_works"}
        users = {name for name, one in manual.chapters.items() if name and not one.is_for_developers}
        assert users - grouped == folders
        assert [group.title for group in manual.groups] == [
            *("Start here", "Decide", "Operator", "Administrator", "Integrator", "Developer")
        ]
        developers = manual.groups[-1].chapters
        assert all(one.is_for_developers for one in developers)
        assert not any(one.is_for_developers for group in manual.groups[:-1] for one in group.chapters)

    def test_has_no_broken_link(self):
        manual = read_manual()
        places = {f"/docs/{name}" for name in manual.pictures}
        for name, chapter in manual.chapters.items():
            places |= {f"{manual.address_of(name)}#{anchor}".rstrip("#") for anchor in chapter.anchors}
        broken, links = [], 0
        for name, chapter in manual.chapters.items():
            for target in _ADDRESS.findall(chapter.markup):
                links += 1
                full = f"{manual.address_of(name)}{target}" if target.startswith("#") else target
                if not full.startswith("https://") and full not in places:
                    broken.append((name, target))
        assert broken == []
        assert links > 1000

    @pytest.mark.parametrize("folder", ["howto", "reference", "how_it_works"])
    def test_has_no_link_for_users_that_leads_nowhere(self, folder):
        """A link to a file outside the manual becomes text."""
        names = [name for name in read_manual().chapters if name.startswith(f"{folder}/")]
        assert len(names) > 5
        assert [name for name in names if "<span>" in read_manual().chapters[name].markup] == []

    def test_is_read_in_less_than_a_second(self):
        read_folder.cache_clear()
        start = time.process_time()
        read_manual()
        assert time.process_time() - start < 1

    @pytest.mark.parametrize(
        ("target", "expected"),
        [
            ("", "/docs/"),
            ("howto/attach", "/docs/howto/attach/"),
            ("howto/attach#detach", "/docs/howto/attach/#detach"),
            ("howto/attach#nothing", "/docs/howto/attach/"),
            ("howto/nothing#detach", "/docs/"),
        ],
    )
    def test_has_addresses_of_chapters_and_headings(self, target, expected):
        assert read_manual().address_of(target) == expected
