"""The options of jobs that correct payloads: the replacement, and whether originals are cancelled."""

from argparse import BooleanOptionalAction
from collections.abc import Mapping

from django import forms

from messages_app.access import roles
from messages_app.jobs.kinds import correction_checks as checks
from messages_app.jobs.kinds.option_checks import FLAG, Check, Shape, check_flag
from messages_app.jobs.kinds.options import Option

_ONLY_UNMASKED = "Payloads are masked for you. Show values before you correct them."


def _make_text_option(check: Check, shape: Shape, label: str, *, help_text: str = "", words: str) -> Option:
    """Return an option whose value is part of payloads, so it is masked for users who do not see them."""
    return Option(
        fault=check,
        shape=shape,
        label=label,
        is_about=True,
        is_content=True,
        permission=roles.CAN_VIEW_PAYLOAD,
        refusal=_ONLY_UNMASKED,
        field=lambda: forms.CharField(
            label=label,
            required=False,
            strip=False,
            max_length=checks.MAX_TEXT,
            help_text=help_text,
            widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false", "class": "u-code"}),
        ),
        argument={"metavar": "TEXT", "help": words},
    )


FIND = _make_text_option(
    checks.check_find,
    checks.FIND,
    "Find",
    help_text="As it is written in the payload, so & is &amp; in XML.",
    words="the text to find in payloads, as it is written there",
)
REPLACE = _make_text_option(checks.check_text, checks.TEXT, "Replace with", words="the text in its place")
PATH = _make_text_option(
    checks.check_path,
    checks.PATH,
    "Or set the values of",
    help_text="XPath, such as //currency or //order/@id, or JSONPath, such as $.order.currency.",
    words="instead of a text: the XPath or JSONPath of the values to replace",
)
VALUE = _make_text_option(checks.check_text, checks.TEXT, "To", words="the new value of the path")
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
