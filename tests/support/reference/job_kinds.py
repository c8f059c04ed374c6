"""The page of the kinds of jobs, their options, and the states and outcomes of all jobs."""

from collections.abc import Iterator, Mapping
from typing import Any

from messages_app.access.roles import ROLES
from messages_app.core.parameters import MAX_ID
from messages_app.jobs.kinds.options import Option
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.kinds.spec import KindSpec, Rows, Selects
from messages_app.jobs.labels import REASONS
from messages_app.shared.job_states import (
    FINAL_STATES,
    PAUSES,
    STATE_MEANINGS,
    FailReason,
    Outcome,
    SkipReason,
    StoreName,
)
from tests.support.reference.markdown import write_code, write_page, write_paragraph, write_table

_INTRODUCTION = (
    "A [job](jobs.md) performs one action on many messages. `POST jobs/` takes its kind, a filter, and the"
    " options below. A token also needs [scopes](scopes.md#jobs)."
)
_ON_RULES = (
    "Jobs can be paused, resumed and stopped. *Undo* is possible for `HUBCONSOLE_JOB_UNDO_HOURS` after the"
    " end of the job ([undo](jobs.md#undo)), *retry* for its failed messages ([retry](jobs.md#retry-of-failed"
    "-messages)). *Guard*: a large job needs what `HUBCONSOLE_BULK_GUARD` requires ([very large"
    " jobs](jobs.md#very-large-jobs))."
)
_ON_OUTCOMES = (
    "Each message of the set ends as {outcomes}; the last two have a reason after a colon. Planned = done +"
    " skipped + failed. If a constraint of the database refuses a row, its name is the reason."
)
_ROWS = {Rows.LIVE: "live", Rows.ARCHIVED: "archived", Rows.ANY: "live and archived"}
_ROLES_OF_PEOPLE = ("support", "operator", "admin")


def write_job_kinds() -> str:
    """Return the page of the kinds of jobs."""
    states = [
        (f"`{state}`", meaning, "yes" if state in FINAL_STATES else "")
        for state, meaning in STATE_MEANINGS.items()
    ]
    pauses = [(f"`{reason}`", text.waits_for, text.continues) for reason, text in PAUSES.items()]
    outcomes = write_code(*Outcome)
    return write_page(
        "Job kinds, states and outcomes",
        write_paragraph(_INTRODUCTION),
        "## Kinds",
        write_table(
            ("kind", "effect", "permission", "roles"),
            [_describe_kind(spec) for spec in kind_specs.values()],
        ),
        "## Rules of each kind",
        write_paragraph(_ON_RULES),
        write_table(
            ("kind", "messages", "filter", "undo by", "retry", "guard"),
            [_describe_rules(spec) for spec in kind_specs.values()],
        ),
        "## Options",
        write_table(("option", "kinds", "values", "default", "effect"), _list_options()),
        "## States",
        write_table(("state", "meaning", "final"), states),
        "## Reasons of a wait",
        "`paused_for` of a job has one of these:",
        write_table(("reason", "the job waits for", "it continues"), pauses),
        "## Outcomes",
        write_paragraph(_ON_OUTCOMES.format(outcomes=outcomes)),
        "### Skipped",
        write_table(("reason", "meaning"), [(f"`{one}`", REASONS[one]) for one in SkipReason]),
        "### Failed",
        write_table(("reason", "meaning"), [(f"`{one}`", REASONS[one]) for one in FailReason]),
    )


def _describe_kind(spec: KindSpec) -> tuple[str, str, str, str]:
    roles = [role for role in ROLES if spec.permission in ROLES[role]]
    people = [role for role in _ROLES_OF_PEOPLE if role in roles]
    return (
        f"`{spec.kind}`",
        spec.words.effect,
        f"`{spec.permission.partition('.')[2]}`",
        write_code(*(people or roles)),
    )


def _describe_rules(spec: KindSpec) -> tuple[str, str, str, str, str, str]:
    place = "message store" if spec.store == StoreName.MESSAGE_STORE else _ROWS[spec.rows]
    return (
        f"`{spec.kind}`",
        place,
        _describe_filter(spec),
        write_code(spec.undone_by) if spec.undone_by else "",
        "yes" if spec.is_retryable else "",
        "yes" if spec.is_guarded else "",
    )


def _describe_filter(spec: KindSpec) -> str:
    if spec.selects is not Selects.FILTER:
        return "none"
    return "required" if spec.needs_filter else "optional"


def _list_options() -> Iterator[tuple[str, str, str, str, str]]:
    """Yield each option once, with its kinds."""
    kinds: dict[str, list[str]] = {}
    options: dict[str, Option] = {}
    for spec in kind_specs.values():
        for name, option in spec.options.items():
            kinds.setdefault(name, []).append(spec.kind)
            options[name] = option
    for name, option in options.items():
        effect = str(option.argument.get("help", "")).replace("%%", "%")
        default = "" if option.default is None else f"`{_write_value(option.default)}`"
        yield f"`{name}`", write_code(*kinds[name]), _describe_shape(option.shape), default, effect


def _describe_shape(shape: Mapping[str, Any]) -> str:
    """Return the valid values of a JSON Schema in words."""
    if "enum" in shape:
        return write_code(*shape["enum"])
    kinds = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
    kind = kinds[0]
    if kind == "boolean":
        return "`true`, `false`"
    if kind in {"integer", "number"}:
        whole = "whole number" if kind == "integer" else "number"
        most = "" if shape["maximum"] == MAX_ID else f" to {shape['maximum']}"
        return f"{whole} from {shape['minimum']}{most}"
    if kind == "string":
        return f"text of up to {shape['maxLength']} characters"
    if kind == "array":
        items = shape["items"]
        return f"list of up to {shape['maxItems']} texts of up to {items['maxLength']} characters"
    return "filter"


def _write_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
