"""
Terms and states that explain themselves: the text has a dotted underline, and hover, focus or a tap shows its
meaning with a link to the manual (static/js/terms.js).

The meanings are those of the glossary (manual/terms.py), and of the lists of states.
"""

from django import template
from django.template.loader import render_to_string
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from messages_app.core import markup
from messages_app.manual.library import read_manual
from messages_app.manual.terms import find_term
from messages_app.shared.message_states import STATE_MEANINGS

register = template.Library()

_STATES = "reference/states#messages"


@register.simple_block_tag(name="term", end_name="endterm")
def show_term(content: str, name: str) -> SafeString:
    """Show a text that names a term of the glossary, which has `name` in lower case."""
    return explain_term(content, name)


@register.simple_tag(name="stateterm")
def show_state_term(code: str, size: str = "", is_word: bool = False) -> SafeString:
    """
    Show the state of the message that a page is about, or only its word, as next to a chart.

    A state unknown to the console is shown without a meaning.
    """
    meaning = STATE_MEANINGS.get(code)
    element = conditional_escape(code) if is_word else markup.show_state(code, size)
    return explain_text(element, f"{capfirst(meaning)}.", _STATES) if meaning else element


def explain_term(content: str, name: str) -> SafeString:
    """Return a text that explains itself by a term of the glossary; without the manual, only the text."""
    term = find_term(name)
    if term is None:
        return conditional_escape(content)
    return explain_text(content, term.meaning, term.chapter)


def explain_text(content: str, meaning: str, chapter: str) -> SafeString:
    """Return a text that explains itself by a meaning and a chapter of the manual."""
    values = {"content": content, "meaning": meaning, "address": read_manual().address_of(chapter)}
    return SafeString(render_to_string("messages_app/components/term.html", values).strip())
