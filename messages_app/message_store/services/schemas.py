"""
JSON Schemas whose patterns are matched in linear time, whatever the data.

Python's own expressions take exponential time for some patterns, and nothing can interrupt them. RE2, which
Arrow has, does not, but it does not support look-around or backreferences.

Source: docs/contributing/spec/promises.md, S-38.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from messages_app.core.statements import Statements
from messages_app.core.time_budget import postpone_limits

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

statements = Statements("messages_app.message_store")

_PATTERNS = "patternProperties"
_MAX_SHOWN = 100
# Their values are data, not schemas.
_DATA = frozenset({"const", "default", "enum", "examples"})


# As JSON has it: its values are objects, lists, texts, numbers and truth values.
Schema = Mapping[str, Any]


class _Descends(Protocol):
    """A validator of jsonschema's own classes; its published protocol lacks `descend`."""

    def is_type(self, instance: Any, type: str) -> bool: ...

    def descend(
        self, instance: Any, schema: Any, path: str | None = None, schema_path: str | None = None
    ) -> Iterator[Exception]: ...


class UnsafeSchema(Exception):
    """The schema has a part that cannot be checked in bounded time; the message names it."""


def check_schema(schema: Schema) -> None:
    """
    Check that data can be validated by `schema`.

    Raises:
        UnsafeSchema: see there.
        jsonschema.exceptions.SchemaError, RecursionError: it is not a JSON Schema.
    """
    wait_for_module(_VALIDATORS)
    from jsonschema.validators import validator_for  # Imported here: 10 MB that only processing needs.

    validator_for(schema).check_schema(dict(schema))
    refuse_unsafe(schema)


def refuse_unsafe(schema: Mapping[str, object]) -> None:
    """Raise UnsafeSchema if `schema` has an unsupported part."""
    parts = list(_iterate_parts(schema))
    if any(isinstance(part.get("$schema"), str) for part in parts[1:]):
        raise UnsafeSchema('only its root may have "$schema"')
    if any(_PATTERNS in part for part in parts) and any("unevaluatedProperties" in part for part in parts):
        raise UnsafeSchema(f'"{_PATTERNS}" and "unevaluatedProperties" are not supported together')
    for pattern in _iterate_patterns(parts):
        _is_found(pattern, "")


# The matcher of patterns and the validators of records, each loaded once it is needed.
ENGINE, _VALIDATORS = "pyarrow.compute", "jsonschema.validators"
_LOADING_SECONDS = 60.0


@cache
def load_module(name: str) -> Thread:
    """
    Load a module in a thread, once in a process.

    On a busy machine this takes longer than a request may. A request that ends does not end the thread.
    """
    thread = Thread(target=import_module, args=(name,), name=f"load-{name}", daemon=True)
    thread.start()
    return thread


def wait_for_module(name: str) -> None:
    """Wait until a module is loaded. The time does not count against the limits of the work."""
    thread = load_module(name)
    if thread.is_alive():
        began = monotonic()
        postpone_limits(_LOADING_SECONDS)
        thread.join(_LOADING_SECONDS)
        postpone_limits(monotonic() - began - _LOADING_SECONDS)


def load_engine_if_needed() -> None:
    """Load what matches patterns if a stored definition has one."""
    (has_patterns,) = statements.only_row("has_patterns", {})
    if has_patterns:
        load_module(ENGINE)


def linear_validator(schema: Schema) -> "Validator":
    """
    Return a validator for one record.

    Raises:
        UnsafeSchema: see there.
    """
    wait_for_module(_VALIDATORS)
    from jsonschema.validators import validator_for
    from referencing import Registry

    refuse_unsafe(schema)
    # An empty registry: a $ref leads nowhere but into the schema itself, and no file or address is read.
    return _make_linear_validator(validator_for(schema))(schema, registry=Registry())


def _iterate_parts(schema: object) -> Iterator[Mapping[str, object]]:
    """Yield every object within a schema, itself first."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            yield part
            waiting += [value for name, value in part.items() if name not in _DATA]
        elif isinstance(part, list):
            waiting += part


def _iterate_patterns(parts: list[Mapping[str, object]]) -> Iterator[str]:
    for part in parts:
        pattern, by_name = part.get("pattern"), part.get(_PATTERNS)
        if isinstance(pattern, str):
            yield pattern
        if isinstance(by_name, Mapping):
            yield from by_name


def _is_found(pattern: str, text: str) -> bool:
    """
    Return whether `pattern` is found in `text`.

    Raises:
        UnsafeSchema: RE2 does not take the pattern.
    """
    wait_for_module(ENGINE)
    import pyarrow  # Imported here: 40 MB that only schemas with patterns need.
    import pyarrow.compute

    try:
        value = pyarrow.scalar(text.encode("utf-8", "replace").decode())
        is_match: bool = pyarrow.compute.match_substring_regex(value, pattern).as_py()
        return is_match
    except (pyarrow.ArrowInvalid, UnicodeEncodeError):
        beginning = pattern if len(pattern) <= _MAX_SHOWN else f"{pattern[:_MAX_SHOWN]}..."
        text = f"the pattern {beginning!r} is not supported: look-around and backreferences are not"
        raise UnsafeSchema(text) from None


@cache
def _make_linear_validator(base: type["Validator"]) -> type["Validator"]:
    from jsonschema.validators import extend

    keywords = {
        "pattern": _check_pattern,
        _PATTERNS: _pattern_properties,
        "additionalProperties": _additional_properties,
    }
    return extend(base, {name: check for name, check in keywords.items() if name in base.VALIDATORS})


def _check_pattern(validator: _Descends, pattern: str, value: Any, schema: Schema) -> Iterator[Exception]:
    from jsonschema.exceptions import ValidationError

    if validator.is_type(value, "string") and not _is_found(pattern, value):
        yield ValidationError("does not match the pattern")


def _pattern_properties(
    validator: _Descends, patterns: Mapping[str, Schema], value: Any, schema: Schema
) -> Iterator[Exception]:
    if not validator.is_type(value, "object"):
        return
    for pattern, rule in patterns.items():
        for name, one in value.items():
            if _is_found(pattern, name):
                yield from validator.descend(one, rule, path=name, schema_path=pattern)


def _additional_properties(
    validator: _Descends, rule: Any, value: Any, schema: Schema
) -> Iterator[Exception]:
    from jsonschema.exceptions import ValidationError

    if not validator.is_type(value, "object"):
        return
    declared, patterns = schema.get("properties", {}), schema.get(_PATTERNS, {})
    additional = [
        name
        for name in value
        if name not in declared and not any(_is_found(pattern, name) for pattern in patterns)
    ]
    if validator.is_type(rule, "object"):
        for name in additional:
            yield from validator.descend(value[name], rule, path=name)
    elif not rule and additional:
        yield ValidationError("has additional properties")
