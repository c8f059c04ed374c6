"""
Tables of filters, one for each list: the filters of the list, and the parsing of query strings by them.

Parsing, errors, descriptions and query strings are the same for all lists.
Source: docs/contributing/spec/interfaces.md, "Rules of the API", "Messages";
docs/contributing/spec/bad_input.md, "Lists".
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.http import QueryDict
from drf_spectacular.plumbing import build_basic_type
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from messages_app.core.filters.values import (
    InvalidValue,
    parse_flag,
    parse_id,
    parse_text,
    parse_time,
)
from messages_app.core.parameters import MAX_ID, MIN_ID, name_errors, value_error
from messages_app.core.problems import FieldError, bad_input


@dataclass(frozen=True, kw_only=True)
class Filter:
    """
    One filter of a list.

    Args:
        name: the name in the address.
        lookup: the ORM lookup; empty if the list's query handles the filter itself.
        parse: converts the text to a value, or raises InvalidValue.
        max_length: the maximum number of characters of a text.
        least, most: the limits of whole numbers that are not ids.
        choices: the valid values, if there are only a few.
        repeatable: accepts several values: repeated, or separated by commas.
        may_have_commas: a value may have commas, so that several are only repeated.
        most_values: the maximum number of values, if there is one.
        description: the meaning of its values, for the API description.
    """

    name: str
    lookup: str
    parse: Callable[[str, "Filter"], object]
    max_length: int = 0
    least: int = 0
    most: int | None = None
    choices: Collection[str] = ()
    repeatable: bool = False
    may_have_commas: bool = False
    most_values: int | None = None
    description: str = ""

    @property
    def is_text_list(self) -> bool:
        """Whether it accepts several texts, each as a parameter of its own."""
        return self.repeatable and self.may_have_commas


Table = Mapping[str, Filter]
# The parsed values of a list's filters, by name, for the filters that were given.
Values = Mapping[str, Any]


def filters_by_name(*filters: Filter) -> Table:
    """Return the filters of a list by their names."""
    return {each.name: each for each in filters}


def text_filter(
    name: str,
    max_length: int,
    lookup: str | None = None,
    *,
    repeatable: bool = False,
    description: str = "",
) -> Filter:
    return Filter(
        name=name,
        lookup=name if lookup is None else lookup,
        parse=parse_text,
        max_length=max_length,
        repeatable=repeatable,
        may_have_commas=True,
        description=description,
    )


def time_range(column: str) -> tuple[Filter, Filter]:
    return (
        Filter(name=f"{column}_from", lookup=f"{column}__gte", parse=parse_time),
        Filter(name=f"{column}_to", lookup=f"{column}__lte", parse=parse_time),
    )


def names_of_times(filters: Table) -> frozenset[str]:
    """Return the names of the filters that take a time. Each is one end of a range."""
    return frozenset(name for name, one in filters.items() if one.parse is parse_time)


def names_of_texts(filters: Table) -> frozenset[str]:
    """Return the names of the filters that take a text."""
    return frozenset(name for name, one in filters.items() if one.parse is parse_text)


def end_times(filters: Table) -> frozenset[str]:
    """Return the names of the filters that are the end of a range. As an end, a day means its last moment."""
    return frozenset(name for name in names_of_times(filters) if name.endswith("_to"))


def parse_filters(
    filters: Table, params: QueryDict, *, other_parameters: Collection[str] = ()
) -> tuple[dict[str, Any], list[FieldError]]:
    """
    Parse a query string. Return the values of `filters`, and the errors.

    Args:
        other_parameters: the names of parameters that the caller reads.
    """
    repeatable = {each.name for each in filters.values() if each.repeatable}
    errors = name_errors(params, {*filters, *other_parameters}, repeatable=repeatable)
    values: dict[str, Any] = {}
    for name in sorted(set(filters) & set(params)):
        value, problem = _parse_value(filters[name], params.getlist(name))
        values[name] = value
        errors += [problem] if problem else []
    return values, errors or _range_errors(values)


def read_filters(filters: Table, params: QueryDict, *, other_parameters: Collection[str] = ()) -> Values:
    """
    Parse a query string like `parse_filters`.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    values, errors = parse_filters(filters, params, other_parameters=other_parameters)
    if errors:
        raise bad_input(errors)
    return values


def write_values(filters: Table, values: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return (name, value) of each parameter, in the order of the table, with the value as in an address."""
    return [
        (name, text)
        for name in filters
        if name in values
        for text in (_as_texts(values[name]) if filters[name].is_text_list else [_as_text(values[name])])
    ]


def name_values(pairs: Iterable[tuple[str, str]]) -> dict[str, str | list[str]]:
    """Return the parameters of an address by their names; several of one name are a list."""
    named: dict[str, list[str]] = {}
    for name, text in pairs:
        named.setdefault(name, []).append(text)
    return {name: texts if len(texts) > 1 else texts[0] for name, texts in named.items()}


def make_lookups(filters: Table, values: Mapping[str, object]) -> dict[str, object]:
    """Return the ORM lookups of the filters that have one."""
    return {filters[name].lookup: value for name, value in values.items() if filters[name].lookup}


def range_of(lookups: Mapping[str, object], column: str) -> dict[str, object]:
    """Return the lookups that limit one column to a range."""
    return {name: value for name, value in lookups.items() if name.startswith(f"{column}__")}


def _parse_value(one: Filter, texts: list[str]) -> tuple[object, FieldError | None]:
    """Return (value, None) of one filter, or (None, error)."""
    if one.repeatable and not one.is_text_list:
        texts = [part for text in texts for part in text.split(",")]
    if one.most_values is not None and len(texts) > one.most_values:
        text = f"{one.name} can have at most {one.most_values} values."
        return None, FieldError(one.name, "out_of_range", text)
    problem = next(filter(None, (value_error(one.name, text) for text in texts)), None)
    if problem:
        return None, problem
    try:
        parsed = [one.parse(text, one) for text in texts]
    except InvalidValue as error:
        return None, FieldError(one.name, error.code, str(error))
    return (tuple(dict.fromkeys(parsed)) if one.repeatable else parsed[0]), None


def _range_errors(values: Mapping[str, object]) -> list[FieldError]:
    errors = []
    for start_name in (name for name in values if name.endswith("_from")):
        end_name = f"{start_name.removesuffix('_from')}_to"
        start, end = values[start_name], values.get(end_name)
        if isinstance(start, datetime) and isinstance(end, datetime) and start > end:
            text = f"{start_name} is later than {end_name}."
            errors.append(FieldError(start_name, "invalid_value", text))
    return errors


def _as_texts(value: object) -> list[str]:
    return [str(one) for one in cast("tuple[object, ...]", value)]


def _as_text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


EXACT_PARAMETER = OpenApiParameter(
    "exact", OpenApiTypes.BOOL, description="Count exactly instead of estimating."
)
_REPEATED = "Repeat the parameter or separate values with commas."
_REPEATED_TEXT = "Repeat the parameter for several values."

# JSON Schema.
Shape = dict[str, object]
_Type = OpenApiTypes | Shape

_SHAPES: dict[Callable[..., object], Callable[[Filter], _Type]] = {
    parse_flag: lambda one: OpenApiTypes.BOOL,
    parse_id: lambda one: {"type": "integer", "minimum": MIN_ID, "maximum": MAX_ID},
    parse_time: lambda one: OpenApiTypes.DATETIME,
    parse_text: lambda one: {"type": "string", "minLength": 1, "maxLength": one.max_length},
}
_DESCRIPTIONS: dict[Callable[..., object], str] = {parse_time: "With a UTC offset."}


def describe_parameters(filters: Table) -> list[OpenApiParameter]:
    """Return the query parameters of a list with these filters, for the API description."""
    return [_describe_parameter(one) for one in filters.values()]


def json_shapes(filters: Table) -> dict[str, Shape]:
    """
    Return the JSON Schema of each filter's value in a body. A repeatable filter takes one value or a list.
    """
    return {name: _json_shape(one) for name, one in filters.items()}


def _json_shape(one: Filter) -> Shape:
    shape = _shape_of_one(one)
    plain = shape if isinstance(shape, dict) else build_basic_type(shape) or {}
    return {"anyOf": [plain, {"type": "array", "items": plain}]} if one.repeatable else plain


def _describe_parameter(one: Filter) -> OpenApiParameter:
    words = (
        one.description,
        _DESCRIPTIONS.get(one.parse, ""),
        _REPEATED_TEXT if one.is_text_list else _REPEATED if one.repeatable else "",
    )
    return OpenApiParameter(one.name, _shape_of_filter(one), description=" ".join(filter(None, words)))


def _shape_of_filter(one: Filter) -> _Type:
    shape = _shape_of_one(one)
    return {"type": "array", "items": shape} if one.repeatable else shape


def _shape_of_one(one: Filter) -> _Type:
    """Return the type of a filter's value: a known kind, a number, or one of its choices."""
    if kind := _SHAPES.get(one.parse):
        return kind(one)
    if one.max_length:
        return {"type": "string", "minLength": 1, "maxLength": one.max_length}
    if one.most is not None:
        return {"type": "integer", "minimum": one.least, "maximum": one.most}
    return {"type": "string", "enum": [str(choice) for choice in one.choices]}
