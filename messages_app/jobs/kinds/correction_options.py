"""
The options of jobs that correct payloads: the replacement, and whether originals are cancelled. A check
returns None, or (code, sentence).

Source: docs/contributing/spec/bad_input.md, "Jobs".
"""

from argparse import BooleanOptionalAction
from collections.abc import Mapping

from django import forms

from messages_app.access import roles
from messages_app.core.filters.address import is_storable
from messages_app.jobs.kinds.option_checks import FLAG, Check, Fault, Shape, check_flag
from messages_app.jobs.kinds.options import Option
from messages_app.shared.text_safety import MASK
from messages_app.shared.value_spans import check_target_path
from messages_app.shared.xml_paths import MAX_PATH, BadPath

# Characters to find, and to put in their place.
MAX_TEXT = 20_000

_FIND_SHAPE: Shape = {"type": ["string", "null"], "minLength": 1, "maxLength": MAX_TEXT}
_TEXT_SHAPE: Shape = {"type": ["string", "null"], "maxLength": MAX_TEXT}
_PATH_SHAPE: Shape = {"type": ["string", "null"], "minLength": 1, "maxLength": MAX_PATH}

_ONLY_UNMASKED = "Payloads are masked for you. Show values before you correct them."


def check_text(value: object) -> Fault:
    if value is None:
        return None
    if not isinstance(value, str):
        return "invalid_value", "Must be a text."
    if len(value) > MAX_TEXT:
        return "too_long", f"At most {MAX_TEXT} characters."
    if MASK in value:
        return "masked", f"It has a masked value ({MASK}). Enter the real one."
    if not is_storable(value) or "\0" in value:
        return "invalid_value", "The text must be UTF-8 without NUL."
    return None


def check_find(value: object) -> Fault:
    return ("required", "Enter the text to find.") if value == "" else check_text(value)


def check_path(value: object) -> Fault:
    """Check an XPath or JSONPath whose values can be replaced."""
    if value == "":
        return "required", "Enter a path."
    if fault := check_text(value):
        return fault
    try:
        if value is not None:
            check_target_path(str(value))
    except BadPath as error:
        return "invalid_value", str(error)
    return None


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
            max_length=MAX_TEXT,
            help_text=help_text,
            widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false", "class": "u-code"}),
        ),
        argument={"metavar": "TEXT", "help": words},
        from_form=_with_plain_line_ends,
    )


FIND = _make_text_option(
    check_find,
    _FIND_SHAPE,
    "Find",
    help_text="As it is written in the payload, so & is &amp; in XML.",
    words="the text to find in payloads, as it is written there",
)
REPLACE = _make_text_option(
    check_text, _TEXT_SHAPE, "Replace with", words="the text in its place", part_of="find"
)
PATH = _make_text_option(
    check_path,
    _PATH_SHAPE,
    "Set the values of",
    form_label="Or set the values of",
    help_text="XPath, such as //currency or //order/@id, or JSONPath, such as $.order.currency.",
    words="instead of a text: the XPath or JSONPath of the values to replace",
)
VALUE = _make_text_option(check_text, _TEXT_SHAPE, "To", words="the new value of the path", part_of="path")
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


def check_correction(options: Mapping[str, object]) -> tuple[str, str, str] | None:
    """Return the option, the code and the sentence of the fault of options that are valid one by one."""
    names = {name for name in ("find", "replace", "path", "value") if options.get(name) is not None}
    if {"find", "path"} <= names:
        return "path", "invalid_value", "Enter a text to find or a path, not both."
    if "find" in names:
        extra = names - {"find", "replace"}
    elif "path" in names:
        extra = names - {"path", "value"}
    else:
        return "find", "required", "Enter the text to find, or a path."
    if extra:
        name = min(extra)
        return name, "invalid_value", f"{name}: not used with {'find' if 'find' in names else 'path'}."
    if "find" in names and "replace" not in names:
        return "replace", "required", "Enter the text in its place; an empty text removes the text."
    if "path" in names and "value" not in names:
        return "value", "required", "Enter the new value; an empty text removes the values."
    return None
