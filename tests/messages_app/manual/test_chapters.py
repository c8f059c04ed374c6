"""Markdown becomes markup without scripts, styles and broken links."""

import pytest

from messages_app.manual.chapters import make_chapter

ADDRESSES = {
    "jobs.md": "/docs/jobs/",
    "jobs.md#undo": "/docs/jobs/#undo",
    "now.webp": "/docs/now.webp",
    "map.webp": "/docs/map.webp",
    "map-dark.webp": "/docs/map-dark.webp",
}


def markup(text: str) -> str:
    return str(make_chapter("howto/a", f"# Title\n\n{text}", resolve=ADDRESSES.get).markup).strip()


class TestMarkup:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("A *b* `c`.", "<p>A <em>b</em> <code>c</code>.</p>"),
            ("[Jobs](jobs.md)", '<p><a href="/docs/jobs/">Jobs</a></p>'),
            ("[Undo](jobs.md#undo)", '<p><a href="/docs/jobs/#undo">Undo</a></p>'),
            ("[Source](../../manage.py)!", "<p><span>Source</span>!</p>"),
            ("![Now](now.webp)", '<p><img src="/docs/now.webp" alt="Now" loading="lazy" /></p>'),
            (
                "![Map](map.webp)",
                '<p><img src="/docs/map.webp" alt="Map" loading="lazy" class="c-prose-light" />'
                '<img src="/docs/map-dark.webp" alt="Map" loading="lazy" class="c-prose-dark" /></p>',
            ),
            ("```sh\na <b>\n```", '<pre class="c-prose-code" tabindex="0"><code>a &lt;b&gt;\n</code></pre>'),
        ],
    )
    def test_has_the_addresses_of_links_and_the_texts(self, text, expected):
        assert markup(text) == expected

    @pytest.mark.parametrize(
        "text",
        [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "[a](javascript:alert(1))",
            "<https://a.example/\"onclick='x'>",
            "[a](data:text/html;base64,PHNjcmlwdD4=)",
        ],
    )
    def test_has_no_markup_and_no_scripts_of_the_file(self, text):
        shown = markup(text)
        assert "<script" not in shown
        assert "<img" not in shown
        assert "href" not in shown

    def test_names_headings_and_links_them(self):
        link = '<a class="c-prose-anchor" href="#{}" aria-label="Link to {}">#</a></h2>'
        assert markup("## `a.py` & co\n\n## Undo\n\n## Undo").split("\n") == [
            f'<h2 id="apy--co"><code>a.py</code> &amp; co {link.format("apy--co", "a.py &amp; co")}',
            f'<h2 id="undo">Undo {link.format("undo", "Undo")}',
            f'<h2 id="undo-1">Undo {link.format("undo-1", "Undo")}',
        ]

    def test_gives_tables_a_caption_and_scopes_but_no_styles(self):
        shown = markup("## Costs\n\n| | one |\n|---|--:|\n| a | 1 |")
        assert '<caption class="u-visually-hidden">Costs</caption>' in shown
        assert '<td></td>\n<th scope="col">one</th>' in shown
        assert "<td>a</td>\n<td>1</td>" in shown
        assert "style" not in shown


class TestSections:
    def test_have_the_text_below_each_heading(self):
        chapter = make_chapter(
            "a", "# Title\n\nFirst\nline.\n\n## Two `b`\n\n- *c* [d](e)\n\n```\nf\n```", resolve=ADDRESSES.get
        )
        assert [(one.anchor, one.heading, one.level, one.text) for one in chapter.sections] == [
            ("", "Title", 1, "First line."),
            ("two-b", "Two b", 2, "c d f\n"),
        ]
        assert chapter.title == "Title"
        assert [one.anchor for one in chapter.headings] == ["two-b"]
