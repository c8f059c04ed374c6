"""The options of jobs that correct payloads: the replacement, and whether originals are cancelled."""

from argparse import BooleanOptionalAction
from collections.abc import Mapping

from django import forms

from messages_app.access import roles
from messages_app.jobs.kinds import correction_checks as checks
from messages_app.jobs.kinds.option_checks import FLAG, Check, Shape, check_flag
from messages_app.jobs.kinds.options import Option

_ONLY_UNMASKED = "Payloads are masked for you. Show values before you correct them."


def _with_plain_line_ends(text: object) -> object:
    """Return a text of a form, in which browsers write every line end as two characters."""
    return text.replace("\r\n", "\n") if isinstance(text, str) else text


def _make_text_option(
    check: Check,
    shape: Shape,
    label: str,
    *,
    words: str,
    form_label: str = "",
    help_text: str = "",
    part_of: str = "",
) -> Option:
    """Return an option that only users who see payloads may give. `form_label` is its label in the form."""
    return Option(
        fault=check,
        shape=shape,
        label=label,
        is_about=True,
        part_of=part_of,
        permission=roles.CAN_VIEW_PAYLOAD,
        refusal=_ONLY_UNMASKED,
        field=lambda: forms.CharField(
            label=form_label or label,
            required=False,
            strip=False,
            max_length=checks.MAX_TEXT,
            help_text=help_text,
            widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false", "class": "u-code"}),
        ),
        argument={"metavar": "TEXT", "help": words},
        from_form=_with_plain_line_ends,
    )


FIND = _make_text_option(
    checks.check_find,
    checks.FIND,
    "Find",
    help_text="As it is written in the payload, so & is &amp; in XML.",
    words="the text to find in payloads, as it is written there",
)
REPLACE = _make_text_option(
    checks.check_text, checks.TEXT, "Replace with", words="the text in its place", part_of="find"
)
PATH = _make_text_option(
    checks.check_path,
    checks.PATH,
    "Set the values of",
    form_label="Or set the values of",
    help_text="XPath, such as //currency or //order/@id, or JSONPath, such as $.order.currency.",
    words="instead of a text: the XPath or JSONPath of the values to replace",
)
VALUE = _make_text_option(
    checks.check_text, checks.TEXT, "To", words="the new value of the path", part_of="path"
)
CANCEL_ORIGINAL = Option(
    fault=check_flag,
    shape=FLAG,
    default=True,
    label="Cancel the originals",
    field=lambda: forms.BooleanField(label="Cancel the originals", required=False, initial=True),
    argument={"action": BooleanOptionalAction, "default": None, "help": "cancel the originals (default)"},
)
CORRECTIONS: Mapping[str, Option] = {
    "find": FIND,
    "replace": REPLACE,
    "path": PATH,
    "value": VALUE,
    "cancel_original": CANCEL_ORIGINAL,
}
