"""
Checks of the options of jobs that correct payloads. A check returns None, or (code, sentence).

Source: docs/contributing/spec/bad_input.md, "Jobs".
"""

from collections.abc import Mapping

from messages_app.core.filters.address import is_storable
from messages_app.jobs.kinds.option_checks import Fault, Shape
from messages_app.shared.text_safety import MASK
from messages_app.shared.value_spans import check_target_path
from messages_app.shared.xml_paths import MAX_PATH, BadPath

# Characters to find, and to put in their place.
MAX_TEXT = 20_000

FIND: Shape = {"type": ["string", "null"], "minLength": 1, "maxLength": MAX_TEXT}
TEXT: Shape = {"type": ["string", "null"], "maxLength": MAX_TEXT}
PATH: Shape = {"type": ["string", "null"], "minLength": 1, "maxLength": MAX_PATH}


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
