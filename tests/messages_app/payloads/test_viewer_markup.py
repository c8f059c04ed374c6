import re

from hypothesis import given
from hypothesis import strategies as st

from messages_app.payloads.layout import Line
from messages_app.payloads.viewer import line_markup
from messages_app.shared.tokens import Kind


class TestLineMarkup:
    def test_colours_the_parts_of_a_tag(self):
        line = Line(1, [(Kind.TEXT, "  "), (Kind.START, "<a b='1'>"), (Kind.TEXT, "x"), (Kind.END, "</a>")])
        assert line_markup(line, number=7, is_hit=True) == (
            '<span data-n="7" data-d="1" class="is-hit">  <span class="t">&lt;a</span> '
            '<span class="a">b</span>=<span class="s">&#x27;1&#x27;</span><span class="t">&gt;</span>x'
            '<span class="t">&lt;/a&gt;</span>\n</span>'
        )

    def test_omits_a_number_that_was_not_counted(self):
        assert line_markup(Line(0, [(Kind.TEXT, "x")]), number=None, is_hit=False) == (
            '<span data-d="0">x\n</span>'
        )

    @given(st.text(alphabet="<>&'\"/= abonerrorscript", max_size=60), st.sampled_from(list(Kind)))
    def test_lets_no_markup_through(self, text, kind):
        markup = line_markup(Line(0, [(kind, text)]), number=1, is_hit=False)
        assert re.fullmatch(r'(?:[^<>]|</?span(?: (?:class|data-n|data-d)="\w+")*>)*', markup, re.DOTALL)
