"""The terms of the glossary, and their use in templates."""

import re
from pathlib import Path

import pytest
from django.template import Context, Template
from lxml import html

from messages_app.manual import terms
from messages_app.manual.chapters import parse_markdown
from messages_app.manual.library import read_manual
from messages_app.manual.terms import Term, find_term

ROOT = Path(__file__).parent.parent.parent.parent
_USED = re.compile(r'(?:\{% term |term=)"([^"]*)"')
TEXT = """
# Glossary

**Lane**: the row of a *funnel* at a
component ([rules](howto/lanes.md#rows)). A second sentence ([other](other.md)).

**Test batch (canary), probe**: the first messages.

**Dry run**: a job that writes nothing. **Preview**: a [quick](jobs.md#previews) answer.

A paragraph without a term.
"""


def read_terms(text: str) -> dict[str, Term]:
    return dict(terms._parse_terms(parse_markdown(text)))


def show(tags: str, **values: object) -> str:
    return Template(tags).render(Context(values)).strip()


class TestTerms:
    def test_have_the_first_sentence_and_its_chapter(self):
        probe = Term(meaning="The first messages.", chapter="glossary")
        assert read_terms(TEXT) == {
            "lane": Term(meaning="The row of a funnel at a component.", chapter="howto/lanes#rows"),
            "test batch": probe,
            "canary": probe,
            "probe": probe,
            "dry run": Term(meaning="A job that writes nothing.", chapter="glossary"),
            "preview": Term(meaning="A quick answer.", chapter="jobs#previews"),
        }

    def test_are_those_of_the_manual(self):
        assert find_term("funnel") == Term(
            meaning="A point of a route that one message for each funnel value can pass at a time.",
            chapter="contributing/spec/cleverbus#funnels",
        )
        assert find_term("nothing") is None

    def test_are_short_and_lead_to_chapters(self):
        glossary = terms._read_glossary(ROOT / "docs" / "glossary.md")
        assert len(glossary) > 60
        assert [name for name, term in glossary.items() if len(term.meaning) > 160] == []
        manual = read_manual()
        missing = {"/docs/", *(f"/docs/{term.chapter.partition('#')[0]}/" for term in [])}
        assert [name for name, term in glossary.items() if manual.address_of(term.chapter) in missing] == []

    def test_of_templates_are_in_the_glossary(self):
        used = {
            name for path in (ROOT / "templates").rglob("*.html") for name in _USED.findall(path.read_text())
        }
        assert len(used) > 10
        assert [name for name in sorted(used) if find_term(name) is None] == []

    def test_need_the_manual(self, settings, tmp_path):
        settings.BASE_DIR = tmp_path
        assert find_term("funnel") is None
        assert show('{% term "funnel" %}Funnels{% endterm %}') == "Funnels"


class TestTags:
    def test_explain_a_term(self):
        button = html.fromstring(show('{% term "funnel" %}Funnels{% endterm %}'))
        assert (button.tag, button.get("type"), button.text) == ("button", "button", "Funnels")
        assert button.get("data-meaning").startswith("A point of a route")
        assert button.get("data-chapter") == "/docs/contributing/spec/cleverbus/#funnels"

    def test_explain_a_state(self):
        button = html.fromstring(show('{% stateterm "FAILED" "large" %}'))
        assert button.get("data-meaning") == "Failed, will not be retried."
        assert button.get("data-chapter") == "/docs/reference/states/#messages"
        assert button.find("span").get("data-state") == "FAILED"
        assert html.fromstring(show('{% stateterm "OK" is_word=True %}')).text == "OK"

    @pytest.mark.parametrize("tags", ["{% stateterm code %}", "{% stateterm code is_word=True %}"])
    def test_show_an_unknown_state_as_it_is(self, tags):
        shown = show(tags, code="<b>")
        assert "&lt;b&gt;" in shown
        assert "<b>" not in shown
        assert "c-term" not in shown

    def test_explain_the_title_of_a_fact_or_panel(self):
        for tags in (
            '{% fact title term="ledger" %}1{% endfact %}',
            '{% panel title term="ledger" %}1{% endpanel %}',
        ):
            shown = show(tags, title="A & B")
            assert html.fromstring(shown).find(".//button").text == "A & B"
            assert "A & B" not in shown
