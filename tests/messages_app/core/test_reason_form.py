import re
from pathlib import Path

from django import forms

from messages_app.core.reason_form import ReasonForm, reason_field
from tests.support.locks import ROOT


class TestReasonField:
    def test_is_one_line_so_that_enter_sends_the_form(self):
        for field in (ReasonForm().fields["reason"], reason_field(required=False)):
            assert isinstance(field.widget, forms.TextInput)
            assert field.widget.attrs == {"autocomplete": "off", "maxlength": "1000"}

    def test_is_one_line_where_templates_write_it(self):
        templates = [*(ROOT / "templates").rglob("*.html")]
        assert [path for path in templates if _has_several_lines(path)] == []


def _has_several_lines(template: Path) -> bool:
    return bool(re.search(r'<textarea[^>]*name="reason"', template.read_text()))
