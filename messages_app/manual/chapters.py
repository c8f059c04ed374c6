"""
A chapter of the manual: a Markdown file as markup, its headings, and the plain text below each of them.

Markup in the files is shown as text, so a page has no inline scripts or styles.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from messages_app.core.markup import format_html
from messages_app.manual.drawings import describe_drawing, show_drawing

# Of the headings that are listed next to a chapter.
_LISTED_LEVEL = 2

# The address of what a link or an image names; None if the manual does not have it.
Resolve = Callable[[str], str | None]


@dataclass(frozen=True, kw_only=True)
class Section:
    """
    The part of a chapter below one heading.

    Args:
        anchor: the name of the heading in addresses; empty for the beginning of the chapter.
        heading: its text; for the beginning, the title of the chapter.
        text: the plain text up to the next heading.
    """

    anchor: str
    heading: str
    level: int
    text: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Chapter:
    """
    One page of the manual.

    Args:
        name: its address below /docs/, without slashes at its ends; empty for the first page.
        sections: its parts. The first one is its beginning.
    """

    name: str
    sections: tuple[Section, ...]
    markup: SafeString

    @property
    def title(self) -> str:
        return self.sections[0].heading

    @property
    def is_for_developers(self) -> bool:
        return self.name == "contributing" or self.name.startswith("contributing/")

    @property
    def headings(self) -> list[Section]:
        """The parts with a heading of the second level, which a reader may want to jump to."""
        return [section for section in self.sections if section.anchor and section.level == _LISTED_LEVEL]

    @property
    def anchors(self) -> frozenset[str]:
        return frozenset(section.anchor for section in self.sections)


class _Renderer(RendererHTML):
    """Writes headings with a link to themselves, pictures of both themes, and tables and code that scroll."""

    def heading_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> SafeString:
        heading = _plain_text(tokens[idx - 1])
        return format_html(
            ' <a class="c-prose-anchor" href="#{}" aria-label="Link to {}">#</a></{}>\n',
            tokens[idx].meta["anchor"],
            heading,
            tokens[idx].tag,
        )

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> SafeString:
        return format_html(
            '<div class="c-prose-table" role="group" aria-label="Table: {0}" tabindex="0"><table>\n'
            '<caption class="u-visually-hidden">{0}</caption>\n',
            tokens[idx].meta["caption"],
        )

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> SafeString:
        return SafeString("</table></div>\n")

    def write_image(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> SafeString:
        token, write = tokens[idx], super().image
        if drawing := token.meta.get("drawing"):
            name, text = drawing
            return show_drawing(name, text, label=str(token.attrs["alt"]))
        if not (dark := token.meta.get("dark")):
            return SafeString(write(tokens, idx, options, env))
        token.attrSet("class", "c-prose-light")
        markup = write(tokens, idx, options, env)
        token.attrs |= {"src": dark, "class": "c-prose-dark"}
        return SafeString(markup + write(tokens, idx, options, env))

    def write_code(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> SafeString:
        return format_html(
            '<pre class="c-prose-code" tabindex="0"><code>{}</code></pre>\n', tokens[idx].content
        )


_PARSER = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")
for _kind in ("fence", "code_block"):
    _PARSER.add_render_rule(_kind, _Renderer.write_code)
_PARSER.add_render_rule("image", _Renderer.write_image)


def parse_markdown(text: str) -> list[Token]:
    return _PARSER.parse(text)


def make_chapter(
    name: str, text: str, *, resolve: Resolve, drawings: Mapping[str, str] = MappingProxyType({})
) -> Chapter:
    """
    Return the chapter of a Markdown text, which begins with its title.

    Args:
        drawings: the texts of SVG files that become a part of the page, by their addresses.
    """
    tokens = parse_markdown(text)
    for token in tokens:
        if token.children:
            _direct_links(token.children, resolve)
    _insert_drawings(tokens, drawings)
    sections = _name_headings(tokens)
    _prepare_tables(tokens, title=sections[0].heading)
    body = tokens[3:] if tokens and tokens[0].tag == "h1" else tokens
    # The renderer escapes all texts, and the parser leaves out the markup of files.
    markup = mark_safe(_PARSER.renderer.render(body, _PARSER.options, {}))  # noqa: S308 (escaped there)
    return Chapter(name=name, sections=sections, markup=markup)


def _name_headings(tokens: Sequence[Token]) -> tuple[Section, ...]:
    """Give each heading its anchor, and return the sections."""
    sections = [Section(anchor="", heading="", level=1, text="")]
    texts: list[list[str]] = [[]]
    used: set[str] = set()
    for n, token in enumerate(tokens):
        if token.type == "heading_open":
            heading, level = _plain_text(tokens[n + 1]), int(token.tag[1])
            if level == 1:
                sections[0] = Section(anchor="", heading=heading, level=1, text="")
                continue
            anchor = _anchor_of(heading, used)
            token.attrSet("id", anchor)
            tokens[n + 2].meta["anchor"] = anchor
            sections.append(Section(anchor=anchor, heading=heading, level=level, text=""))
            texts.append([])
        elif token.type in {"inline", "fence", "code_block"} and tokens[n - 1].type != "heading_open":
            texts[-1].append(_plain_text(token))
    return tuple(
        Section(anchor=one.anchor, heading=one.heading, level=one.level, text=" ".join(parts))
        for one, parts in zip(sections, texts, strict=True)
    )


def _anchor_of(heading: str, used: set[str]) -> str:
    """Return the name of a heading in links, as GitHub writes it, so that links work in both places."""
    stem = re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
    anchor, number = stem, 0
    while anchor in used:
        number += 1
        anchor = f"{stem}-{number}"
    used.add(anchor)
    return anchor


def _plain_text(token: Token) -> str:
    """Return the text of a token without its marks; of an image, its description."""
    if not token.children:
        return token.content
    breaks = {"softbreak", "hardbreak"}
    return "".join(" " if child.type in breaks else child.content for child in token.children)


def iterate_links(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Yield the headings of the second level as ("heading", text) and the targets as ("link", target)."""
    for token, following in pairwise(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            yield "heading", _plain_text(following)
        for child in token.children or ():
            if child.type == "link_open":
                yield "link", str(child.attrGet("href"))


def _direct_links(tokens: Sequence[Token], resolve: Resolve) -> None:
    """
    Replace the files in links and images by their addresses. A link that leads nowhere becomes text.

    An image has a second file for the dark theme if there is one: `now.webp`, `now-dark.webp`.
    """
    for token in tokens:
        if token.type == "image":
            stem, dot, kind = str(token.attrs["src"]).rpartition(".")
            token.meta["dark"] = resolve(f"{stem}-dark{dot}{kind}")
            token.attrs = {
                "src": resolve(f"{stem}{dot}{kind}") or "",
                "alt": token.attrs["alt"],
                "loading": "lazy",
            }
        elif token.type == "link_open":
            address = resolve(str(token.attrGet("href")))
            token.attrs = {"href": address} if address else {}
            token.tag = "a" if address else "span"
            is_link = bool(address)
        elif token.type == "link_close":
            token.tag = "a" if is_link else "span"


def _insert_drawings(tokens: Sequence[Token], drawings: Mapping[str, str]) -> None:
    """Give each drawing that is a paragraph of its own the text of its file, in place of the paragraph."""
    for n, token in enumerate(tokens):
        image = token.children[0] if token.children and len(token.children) == 1 else None
        if image is None or image.type != "image" or (text := drawings.get(str(image.attrs["src"]))) is None:
            continue
        image.meta["drawing"] = (posixpath.basename(str(image.attrs["src"])).removesuffix(".svg"), text)
        image.attrs["alt"] = " ".join(image.content.split())
        # The search finds what the drawing says.
        image.content = f"{image.attrs['alt']}. {describe_drawing(text)}"
        tokens[n - 1].hidden = tokens[n + 1].hidden = True


def _prepare_tables(tokens: Sequence[Token], *, title: str) -> None:
    """Give each table a caption, and each cell of its head a scope; empty ones are ordinary cells."""
    caption = title
    for n, token in enumerate(tokens):
        if token.type == "heading_open":
            caption = _plain_text(tokens[n + 1])
        elif token.type == "table_open":
            token.meta["caption"] = caption
        elif token.type in {"th_open", "td_open"}:
            token.attrs = {"scope": "col"} if token.type == "th_open" else {}
            if token.type == "th_open" and not tokens[n + 1].content:
                token.tag = tokens[n + 2].tag = "td"
                token.attrs = {}
