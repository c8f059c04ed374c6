"""The patterns of wording to avoid match their examples, and nothing in the code and its pages."""

from pathlib import Path

import pytest

from tests.rules.sources import ROOMS
from tests.rules.words import PATTERNS, found_in
from tests.support.locks import ROOT

MODULES = [path for room in ROOMS for path in (ROOT / room).rglob("*.py") if "migrations" not in path.parts]
# The page on style quotes what to avoid; decisions and source documents are kept as they were written.
_AS_WRITTEN = {ROOT / "docs/style.md", *(ROOT / "docs").glob("decisions/*"), *(ROOT / "docs").glob("seeds/*")}
PAGES = [*ROOT.glob("*.md"), *set((ROOT / "docs").rglob("*.md")).difference(_AS_WRITTEN)]
FILES = sorted([*(ROOT / "templates").rglob("*.html"), *(ROOT / "static/js").glob("*.js"), *MODULES, *PAGES])
TEMPLATE, SCRIPT, MODULE, PAGE = Path("page.html"), Path("page.js"), Path("page.py"), Path("page.md")
_EACH = pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.bad)


def planted(text: str) -> list[tuple[Path, str]]:
    """Return a template or script for each place in which a page or its source can contain a text."""
    return [
        (TEMPLATE, f"<p>{text}</p>"),
        (TEMPLATE, f'<p class="soft">\n  {{{{ count }}}} messages\n  <b>{text}</b>.\n</p>'),
        (TEMPLATE, f'<button title="{text}">Restart</button>'),
        (TEMPLATE, f'<section aria-label="{text}"></section>'),
        (TEMPLATE, f'{{% include "a.html" with title="{text}" %}}'),
        (TEMPLATE, f"{{% comment %}}{text}. Needs `line`.{{% endcomment %}}"),
        (SCRIPT, f'status.textContent = "{text}";'),
        (SCRIPT, f"status.textContent = `{text}: ${{count}}`;"),
        (SCRIPT, f"  // {text}."),
        (MODULE, f'notices.success(request, "{text}.")'),
        (MODULE, f'text = f"{text}: {{number}}"'),
        (PAGE, f"# Messages\n\n{text}"),
        (PAGE, f"One line\nof a paragraph. {text}.\n"),
        (PAGE, f"- An item.\n- {text}\n  in two lines."),
        (PAGE, f"| name | meaning |\n| --- | {text} |"),
        (PAGE, f"[{text}](jobs.md#states)"),
        (MODULE, f'text = (\n    "One. "\n    "{text}"\n)'),
    ]


class TestPatterns:
    @_EACH
    def test_match_their_example_wherever_it_is(self, pattern):
        for path, text in planted(pattern.bad):
            assert any(f"write {pattern.write}" in line for line in found_in(path, text)), text

    @_EACH
    def test_do_not_match_other_patterns_by_accident(self, pattern):
        assert len(found_in(TEMPLATE, f"<p>{pattern.bad}</p>")) <= 3

    @pytest.mark.parametrize(
        "text",
        [
            "<p>There are no messages in this queue. It is no longer paused.</p>",
            '<p class="fate" data-fate="skipped">{{ tries }} of {{ canary.size }}</p>',
            "{% comment %}Dry run. Needs `rehearsal` (jobs/views/create/estimate.py).{% endcomment %}",
            '{% url "store-rehearsal" line.pk %}{% if tried == "retry" %} open{% endif %}',
            "<h2>What happened?</h2>",
            "<p>Try again. The hub retries it after 60 s.</p>",
        ],
    )
    def test_pass_plain_words_and_names_in_code(self, text):
        assert found_in(TEMPLATE, text) == []

    @pytest.mark.parametrize(
        "text",
        [
            'def told():\n    """Return what became of it."""',
            'fates = {"canary": told["became_of"]}\ncursor.execute("SELECT tries FROM job")',
            'f"{tries} of {nobody} messages"',
        ],
    )
    def test_pass_docstrings_sql_and_names_in_modules(self, text):
        assert found_in(MODULE, text) == []

    @pytest.mark.parametrize(
        "text",
        [
            "```sh\nmanage.py restart --canary 20  # nobody\n```",
            "A paragraph:\n\n    canary = told()\n",
            "The rows of messages\nwhose state is FAILED, with `told` and [a page](fates.md#at-once).",
        ],
    )
    def test_pass_code_addresses_and_continued_lines_of_pages(self, text):
        assert found_in(PAGE, text) == []

    def test_pass_names_in_scripts(self):
        assert found_in(SCRIPT, 'const tell = (made) => made.matches("[data-fate]");') == []


class TestTexts:
    def test_are_searched_as_a_whole(self):
        assert len(MODULES) > 500
        assert len(PAGES) > 40
        assert len(FILES) - len(MODULES) - len(PAGES) > 200

    @pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
    def test_are_in_plain_words(self, path):
        assert found_in(path, path.read_text()) == []
