"""
The manual as files for any web server: its pages, pictures, styles and scripts, and the index of its search.

Addresses are relative, so the files work below any address. No page needs a console or another host.
"""

import json
import posixpath
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders

from messages_app.manual.library import ADDRESS, Manual
from messages_app.manual.pages import write_chapter, write_page
from messages_app.manual.search import make_index

_SEARCH = "search/"
_STATIC = "static/"
# In markup, where quotes of texts are escaped.
_ADDRESSES = re.compile(r'(?<=\s)(href|src|action)="(/[^"]*)"')
_IN_STYLES = re.compile(r"""url\(["']?([^"')#]+)""")
_IN_SCRIPTS = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']""")
_LICENCES = ("vendor/inter/LICENSE",)


def list_files(manual: Manual) -> Iterator[tuple[str, bytes]]:
    """
    Yield the path and content of each file.

    Raises:
        LookupError: a page names a file that the release does not have.
    """
    assets: set[str] = set(_LICENCES)
    for place, markup in _list_pages(manual):
        page = _ADDRESSES.sub(partial(_relate_address, place=place, assets=assets), markup)
        yield f"{place}index.html", page.encode()
    for name, path in manual.pictures.items():
        yield name, path.read_bytes()
    index = json.dumps(make_index(manual), ensure_ascii=False, separators=(",", ":"))
    yield f"{_SEARCH}index.json", index.encode()
    yield from _list_assets(assets)


def _list_pages(manual: Manual) -> Iterator[tuple[str, str]]:
    """Yield the folder and the markup of each page."""
    for name, chapter in manual.chapters.items():
        yield f"{name}/" if name else "", write_chapter(chapter, manual, is_exported=True)
    yield _SEARCH, write_page("messages_app/manual/exported_search.html", manual, {}, is_exported=True)


def _relate_address(match: re.Match[str], place: str, assets: set[str]) -> str:
    """Return an attribute with its address relative to the page in a folder, and note the static files."""
    attribute, address = match.groups()
    path, mark, anchor = address.partition("#")
    if path.startswith(settings.STATIC_URL):
        name = path.removeprefix(settings.STATIC_URL)
        assets.add(name)
        target = f"{_STATIC}{name}"
    elif path.startswith(ADDRESS):
        target = path.removeprefix(ADDRESS)
    else:
        raise LookupError(f"The page {place or 'index.html'} leads to {address}, which is not in the manual.")
    return f'{attribute}="{_write_path(target, place)}{mark}{anchor}"'


def _write_path(target: str, place: str) -> str:
    """Return the path from a page in a folder to a file, or to another folder, which ends with a slash."""
    path = posixpath.relpath(target or ".", place or ".")
    return f"{path}/" if target.endswith("/") or not target else path


def _list_assets(names: set[str]) -> Iterator[tuple[str, bytes]]:
    """Yield static files, and the files in their styles and scripts."""
    names, waiting = set(), sorted(names)
    while waiting:
        name = waiting.pop()
        if name in names:
            continue
        names.add(name)
        content = _read_asset(name)
        yield f"{_STATIC}{name}", content
        pattern = {".css": _IN_STYLES, ".js": _IN_SCRIPTS}.get(posixpath.splitext(name)[1])
        targets = pattern.findall(content.decode()) if pattern else []
        folder = posixpath.dirname(name)
        waiting += [posixpath.normpath(posixpath.join(folder, one)) for one in targets if ":" not in one]


def _read_asset(name: str) -> bytes:
    path = finders.find(name)
    if path is None:
        raise LookupError(f"The static file {name} is missing.")
    return Path(path).read_bytes()
