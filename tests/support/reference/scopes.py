"""The page of the scopes of tokens, from their only list and from the calls that require them."""

from collections.abc import Iterator

from messages_app.access.scopes import SCOPES, scope_of
from messages_app.core.api_docs import describe_api
from messages_app.jobs.kinds.registry import kind_specs
from tests.support.reference.markdown import (
    write_block,
    write_code,
    write_list,
    write_page,
    write_paragraph,
    write_table,
)

_INTRODUCTION = (
    "A token without scopes has all permissions of its user. A token with scopes has only the permissions"
    " that its user has **and** the scopes give ([the rules](../how_it_works/token_scopes.md))."
)
_EXAMPLES = """
python manage.py create_token ada                          # all permissions of ada
python manage.py create_token ada --scope messages:read    # reads messages
python manage.py create_token ada --scope jobs:run --scope archive:run --name archiver
python manage.py create_token indexer --scope queue:consume:FULLTEXTIDX --days 365
python manage.py create_token orders --scope history:use:orders --scope history:take:orders
"""
_ON_NAMES = (
    "These scopes accept a name after a second colon and then apply only to that queue or trigger; for"
    " several, list a scope for each ([the"
    " rules](../how_it_works/token_scopes.md#for-one-queue-or-one-trigger))."
)
_ON_JOBS = (
    "A job needs two scopes: `jobs:run`, and the scope of its kind. Options in the last column need another"
    " one. For the export of another user, `archive:run` is needed."
)


def write_scopes() -> str:
    """Return the page of the scopes."""
    return write_page(
        "Scopes of API tokens",
        write_paragraph(_INTRODUCTION),
        write_block("sh", _EXAMPLES),
        write_table(
            ("scope", "gives, if the user has the permission"),
            [(f"`{name}`", scope.meaning) for name, scope in SCOPES.items()],
        ),
        "## For one queue, or one trigger",
        write_paragraph(_ON_NAMES),
        write_table(("scope", "its calls"), _list_confined()),
        "## Jobs",
        write_paragraph(_ON_JOBS),
        write_table(("kind", "in addition to `jobs:run`", "options"), _list_kinds()),
        "## Calls of each scope",
        "Calls that are not in this list need no scope.",
        write_list(f"`{name}`: {write_code(*calls)}" for name in SCOPES if (calls := [*_list_calls(name)])),
    )


def _list_confined() -> Iterator[tuple[str, str]]:
    for name, scope in SCOPES.items():
        if scope.confined_to:
            calls = _list_calls(name, is_confined=True)
            yield f"`{name}:{scope.confined_to.upper()}`", write_code(*calls)


def _list_calls(scope: str, *, is_confined: bool = False) -> Iterator[str]:
    """Yield the calls that require a scope; only calls that it can limit to names if `is_confined`."""
    for address, calls in describe_api()["paths"].items():
        for method, call in calls.items():
            needed = {name for each in call["security"] for names in each.values() for name in names}
            if scope in needed and (not is_confined or f"`{scope}:NAME`" in call["description"]):
                yield f"{method.upper()} {address.removeprefix('/api/v1/')}"


def _list_kinds() -> Iterator[tuple[str, str, str]]:
    for kind, spec in kind_specs.items():
        options = [
            f"`{name}`: `{scope_of(option.permission)}`"
            for name, option in spec.options.items()
            if option.permission
        ]
        yield f"`{kind}`", f"`{scope_of(spec.permission)}`", ", ".join(options)
