"""`make reference`: writes the pages of docs/reference that follow from the code. A test compares them."""

import argparse
import importlib.util
import os
import re
import sys
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from tests.support.locks import ROOT

FOLDER = ROOT / "docs" / "reference"
_NOTE = "This page is written by `make reference` from the code."
_ROLES_OF_PEOPLE = ("support", "operator", "admin")
# Of every command of Django.
_COMMON = {
    "help",
    "interactive",
    "version",
    "settings",
    "pythonpath",
    "traceback",
    "no_color",
    "force_color",
    "skip_checks",
    "verbosity",
}


def write_commands() -> str:
    """Return the page of the commands, with the arguments and options of each."""
    from hubconsole.command_overview import GROUPS

    parts = [
        "# Commands",
        _wrap(
            "`hubconsole COMMAND` in an installation, `python manage.py COMMAND` in a clone. The exit status"
            " is 0 if the command is done, 1 if it failed, 2 for bad arguments, unless its text says more."
            f" Options that every command of Django has are left out. {_NOTE}"
        ),
    ]
    for title, commands in GROUPS.items():
        parts.append(f"## {title}")
        parts += [_describe_command(name, words) for name, words in commands.items()]
    return "\n\n".join(parts) + "\n"


def write_roles() -> str:
    """Return the page of the roles: the permissions of each."""
    from messages_app.access.roles import ROLES, TEXTS

    people = [role for role in TEXTS if not TEXTS[role].is_for_programs]
    programs = [role for role in TEXTS if TEXTS[role].is_for_programs]
    parts = ["# Roles and permissions", _NOTE]
    for title, roles in (("Roles of people", people), ("Roles of programs", programs)):
        rows = [f"| `{role}` | {TEXTS[role].title} | {TEXTS[role].meaning} |" for role in roles]
        parts += [f"## {title}", "\n".join(["| role | name | effect |", "|---|---|---|", *rows])]
    names = sorted(frozenset().union(*ROLES.values()))
    rows = [_describe_permission(name, ROLES) for name in names]
    parts += [
        "## Permissions",
        _wrap(
            "Without a permission, its actions are not offered, and the API answers 403 with its name. A"
            " token may have [fewer](scopes.md) than its user."
        ),
        "\n".join(
            ["| permission | support | operator | admin | other roles |", "|---|---|---|---|---|", *rows]
        ),
    ]
    return "\n\n".join(parts) + "\n"


def write_calls(description: dict[str, Any]) -> str:
    """Return the page of the calls of the API: each as an address and as a method of the client."""
    generate = _load_generator()
    calls = list(
        generate.list_calls(description["paths"], generate.Models(description["components"]["schemas"]))
    )
    groups: dict[str, list[Any]] = {}
    for tag, call in calls:
        groups.setdefault(tag, []).append(call)
    parts = [
        "# Calls of the API",
        _wrap(
            "Addresses begin below `/api/v1/`, where `/api/v1/docs/` of the console shows all parameters,"
            " bodies and answers. `hub` is a client of the"
            " [Python client](../howto/use_the_python_client.md):"
            " `Client(url, token)`. For curl, set `API=https://hub.example.org/api/v1` and"
            f' `AUTH="Authorization: Bearer $TOKEN"`. {_NOTE}'
        ),
    ]
    for tag, of_tag in groups.items():
        rows = [_describe_call(tag, call, description) for call in of_tag]
        table = ["| call | with the client | effect |", "|---|---|---|", *rows]
        parts += [
            f"## {tag.replace('-', ' ').capitalize()}",
            _write_example(of_tag[0]),
            "\n".join(table),
        ]
    return "\n\n".join(parts) + "\n"


def write_pages(description: dict[str, Any]) -> dict[str, str]:
    """Return the pages by their names."""
    return {"commands.md": write_commands(), "roles.md": write_roles(), "calls.md": write_calls(description)}


def _describe_command(name: str, words: str) -> str:
    from django.core.management import get_commands, load_command_class

    command = load_command_class(get_commands()[name], name)
    parser = command.create_parser("hubconsole", name)
    is_ours = type(command).__module__.startswith("messages_app")
    lines = [f"### {name}", _wrap(command.help if is_ours else f"{words[0].upper()}{words[1:]}.")]
    if is_ours and (rows := list(_describe_arguments(parser))):
        lines += ["\n".join(["| argument | effect |", "|---|---|", *rows])]
    return "\n\n".join(lines)


def _describe_arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if action.dest in _COMMON or action.help == argparse.SUPPRESS:
            continue
        text = _clean(
            str(action.help or "")
            % {"default": action.default, "prog": parser.prog, "choices": action.choices}
        )
        yield f"| {_name_argument(action)} | {text} |"


def _name_argument(action: argparse.Action) -> str:
    value = action.metavar or (
        f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest.upper()
    )
    value = " ".join(value) if isinstance(value, tuple) else value
    takes_value = action.nargs != 0
    if not action.option_strings:
        return f"`{value}`".replace("|", "\\|")
    names = ", ".join(f"`{option}{f' {value}' if takes_value else ''}`" for option in action.option_strings)
    return names.replace("|", "\\|")


def _describe_permission(name: str, roles: dict[str, frozenset[str]]) -> str:
    having = ["yes" if name in roles[role] else "" for role in _ROLES_OF_PEOPLE]
    others = [f"`{role}`" for role in roles if role not in _ROLES_OF_PEOPLE and name in roles[role]]
    return f"| `{name.partition('.')[2]}` | {' | '.join(having)} | {', '.join(others)} |"


def _describe_call(tag: str, call: Any, description: dict[str, Any]) -> str:
    words, _, scope = call.words.partition("Required scope of a token that has scopes:")
    address = re.sub(r"\{quote_part\((\w+)\)\}", r"{\1}", call.path)
    body = description["components"]["schemas"].get(call.body, {})
    required = [f"{name}=..." for name in body.get("required", ())]
    arguments = ", ".join([*call.parameters, *required])
    text = _clean(words.split(". ")[0].rstrip(". "))
    scopes = f" Scope {_clean(scope).rstrip('.')}." if scope else ""
    method = f"hub.{tag.replace('-', '_')}.{call.name}({arguments})"
    return f"| `{call.method} {address}` | `{method}` | {text}.{scopes} |"


def _write_example(call: Any) -> str:
    """Return a call by curl, to copy."""
    address = re.sub(r"\{quote_part\((\w+)\)\}", r"$\1", call.path)
    method = (
        "" if call.method == "GET" else f" -X {call.method} -H 'Content-Type: application/json' -d @body.json"
    )
    return f'```sh\ncurl -sf -H "$AUTH"{method} "$API/{address}"\n```'


def _wrap(text: str) -> str:
    return textwrap.fill(_clean(text), 120, break_long_words=False, break_on_hyphens=False)


def _clean(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _load_generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("client_generate", ROOT / "client" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hubconsole.settings")
    django.setup()
    from drf_spectacular.generators import SchemaGenerator

    for name, text in write_pages(SchemaGenerator().get_schema(request=None, public=True)).items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    main()
