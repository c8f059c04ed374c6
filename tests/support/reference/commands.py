"""The page of the commands, from their parsers."""

import argparse
from collections.abc import Iterator

from django.core.management import get_commands, load_command_class

from hubconsole.command_overview import GROUPS
from tests.support.reference.markdown import write_page, write_paragraph, write_table

_INTRODUCTION = (
    "`hubconsole COMMAND` in an installation, `python manage.py COMMAND` in a clone. The exit status is 0 if"
    " the command is done, 1 if it failed, 2 for bad arguments, unless its text says more. Options that every"
    " command of Django has are left out."
)
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
    parts = [write_paragraph(_INTRODUCTION)]
    for title, commands in GROUPS.items():
        parts.append(f"## {title}")
        parts += [_describe_command(name, words) for name, words in commands.items()]
    return write_page("Commands", *parts)


def _describe_command(name: str, words: str) -> str:
    command = load_command_class(get_commands()[name], name)
    parser = command.create_parser("hubconsole", name)
    is_ours = type(command).__module__.startswith("messages_app")
    text = command.help if is_ours else f"{words[0].upper()}{words[1:]}."
    lines = [f"### {name}", write_paragraph(text.replace("<", "&lt;"))]
    if is_ours and (rows := list(_describe_arguments(parser))):
        lines.append(write_table(("argument", "effect"), rows))
    return "\n\n".join(lines)


def _describe_arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:
        if action.dest in _COMMON or action.help == argparse.SUPPRESS:
            continue
        values = {"default": action.default, "prog": parser.prog, "choices": action.choices}
        yield _name_argument(action), str(action.help or "") % values


def _name_argument(action: argparse.Action) -> str:
    choices = f"{{{','.join(map(str, action.choices))}}}" if action.choices else ""
    value = action.metavar or choices or action.dest.upper()
    value = " ".join(value) if isinstance(value, tuple) else value
    if not action.option_strings:
        return f"`{value}`"
    taken = f" {value}" if action.nargs != 0 else ""
    return ", ".join(f"`{option}{taken}`" for option in action.option_strings)
