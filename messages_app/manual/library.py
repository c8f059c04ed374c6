"""
The manual: the files of the folder docs/, in the order in which its first page links them for each reader.

A process reads them once, when they are first needed. They are the only files that the manual's addresses
lead to, whatever an address contains.
"""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from messages_app.manual.chapters import Chapter, iterate_links, make_chapter, parse_markdown
from messages_app.manual.drawings import FOLDER

ADDRESS = "/docs/"
# The types of the files other than chapters.
MEDIA_TYPES = {".svg": "image/svg+xml", ".webp": "image/webp"}
_INDEX = "README.md"
_WITHOUT_READER = "Start here"


class Group(NamedTuple):
    """The chapters for one kind of reader."""

    title: str
    chapters: tuple[Chapter, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Manual:
    """
    The manual of this release; without chapters if the folder is missing.

    Args:
        chapters: by their names.
        pictures: the files of images by their addresses below /docs/.
        groups: the chapters by reader, developers last.
        lists: the names of the pages that only list the chapters of a folder.
    """

    chapters: Mapping[str, Chapter]
    pictures: Mapping[str, Path]
    groups: tuple[Group, ...]
    lists: frozenset[str]

    @cached_property
    def reading_order(self) -> tuple[Chapter, ...]:
        """The chapters in groups, and then the others."""
        grouped = [chapter for group in self.groups for chapter in group.chapters]
        names = {chapter.name for chapter in grouped}
        others = sorted(self.chapters.keys() - names)
        return (*grouped, *(self.chapters[name] for name in others))

    def group_of(self, chapter: Chapter) -> str:
        """Return the reader of a chapter; empty for the first page."""
        for group in self.groups:
            if chapter in group.chapters:
                return group.title
        return self.groups[-1].title if self.groups and chapter.is_for_developers else ""

    def address_of(self, target: str) -> str:
        """
        Return the address of a chapter, or of a heading in it: "howto/attach", "howto/attach#detach".

        If there is no such chapter, as in an installation without the manual, it is that of the first page.
        """
        name, _, anchor = target.partition("#")
        chapter = self.chapters.get(name)
        if chapter is None:
            return ADDRESS
        return address_of_chapter(name) + (f"#{anchor}" if anchor in chapter.anchors - {""} else "")


def address_of_chapter(name: str) -> str:
    return f"{ADDRESS}{name}/" if name else ADDRESS


def read_manual() -> Manual:
    """Return the manual of this installation."""
    return read_folder(Path(settings.BASE_DIR, "docs"))


@lru_cache(maxsize=2)
def read_folder(folder: Path) -> Manual:
    """Return the manual in a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    texts = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in files
        if path.suffix == ".md"
    }
    pictures = {path.relative_to(folder).as_posix(): path for path in files if path.suffix in MEDIA_TYPES}
    lists = dict(_list_folders(texts))
    texts |= lists
    addresses = {path: address_of_chapter(_name_of(path)) for path in texts}
    addresses |= {posixpath.dirname(path): address for path, address in addresses.items() if _is_index(path)}
    addresses |= {path: f"{ADDRESS}{path}" for path in pictures}
    drawings = {
        f"{ADDRESS}{path}": file.read_text(encoding="utf-8")
        for path, file in pictures.items()
        if path.startswith(FOLDER)
    }
    chapters = {
        name: make_chapter(
            name,
            text,
            resolve=partial(_resolve_target, place=path, addresses=addresses),
            drawings=drawings,
        )
        for path, text in texts.items()
        for name in [_name_of(path)]
    }
    groups = tuple(_group_chapters(texts.get(_INDEX, ""), chapters, addresses))
    return Manual(chapters=chapters, pictures=pictures, groups=groups, lists=frozenset(map(_name_of, lists)))


def _is_index(path: str) -> bool:
    return posixpath.basename(path) == _INDEX


def _name_of(path: str) -> str:
    return posixpath.dirname(path) if _is_index(path) else path.removesuffix(".md")


def _list_folders(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield a page for each folder that has chapters and no page of its own: the list of its chapters."""
    folders = sorted({posixpath.dirname(path) for path in texts} - {""})
    for folder in folders:
        index = posixpath.join(folder, _INDEX)
        if index in texts:
            continue
        title = posixpath.basename(folder).replace("_", " ").capitalize()
        paths = [path for path in texts if posixpath.dirname(path) == folder]
        lines = [f"- [{_title_of(texts[path])}]({posixpath.basename(path)})" for path in paths]
        yield index, "\n".join([f"# {title}", "", *lines])


def _title_of(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _resolve_target(target: str, place: str, addresses: Mapping[str, str]) -> str | None:
    """
    Return the address of what a link names.

    Args:
        target: as it is written in the file.
        place: the path of the file.
        addresses: of all chapters, folders and pictures, by their paths.
    """
    if target.startswith(("https://", "http://")):
        return target
    path, mark, anchor = target.partition("#")
    if not path:
        return target
    address = addresses.get(posixpath.normpath(posixpath.join(posixpath.dirname(place), path)))
    return f"{address}{mark}{anchor}" if address else None


def _group_chapters(
    index: str, chapters: Mapping[str, Chapter], addresses: Mapping[str, str]
) -> Iterator[Group]:
    """Yield the chapters that the first page links below each of its headings, each chapter once."""
    by_address = {address_of_chapter(name): chapter for name, chapter in chapters.items() if name}
    titles: dict[str, list[Chapter]] = {_WITHOUT_READER: []}
    title = _WITHOUT_READER
    for kind, value in iterate_links(parse_markdown(index)):
        if kind == "heading":
            title = value.partition(":")[0]
            titles.setdefault(title, [])
            continue
        address = (_resolve_target(value, _INDEX, addresses) or "").partition("#")[0]
        if address in by_address:
            titles[title].append(by_address.pop(address))
    for title, grouped in titles.items():
        if grouped:
            yield Group(title=title, chapters=tuple(grouped))
