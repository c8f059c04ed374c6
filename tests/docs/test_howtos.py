"""Labels, commands and addresses in the how-to guides exist in the product."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.urls import Resolver404, resolve

from hubconsole.devserver import programs
from messages_app.management.commands.service import SERVICES
from tests.docs.test_docs import PAGES, ROOT

GUIDES = [ROOT / "README.md", ROOT / "docs/tutorial.md", *sorted((ROOT / "docs/howto").glob("*.md"))]
_NAMES = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
_BLOCK = re.compile(r"^ *```(?:sh|bash)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
# The title that a page gives to a component (templatetags/components.py).
_TITLE = re.compile(r"\{% (?:column|emptystate|fact|menu|panel|table) \"([^\"]*)\"")
_COMMAND = re.compile(r"(?:python )?manage\.py ([a-z_]+)([^\n`|)]*)")
_ADDRESS = re.compile(
    r"(?<![\w.>}/])(/(?:api/v1|jobs|health|handover|alerts|watch-rules|failures)/[\w/{}-]*)"
)
# Single stars mark a label of a page; "…" or "all …" is a value that the page fills in.
_LABEL = re.compile(r"(?<![*\w])\*([^*`\[\]]+)\*(?!\*)")
# The title of an incident.
_OF_THE_DEMO = {"Connect to billing.intra.example failed"}


def _text(page: Path) -> str:
    """Return the text without its blocks of commands, a paragraph a line."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    return re.sub(r"\s*\n\s*", " ", text)


def _commands(page: Path) -> Iterator[tuple[str, str]]:
    joined = page.read_text().replace("\\\n", " ")
    for name, words in _COMMAND.findall(joined):
        yield name, words.split("#")[0]


@cache
def _shown() -> str:
    """Return all text that pages can show, without markup."""
    files = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "messages_app").rglob("*.py")]
    text = _TITLE.sub(r" \1 ", " ".join(file.read_text() for file in files))
    return re.sub(r"\s+", " ", re.sub(r"\{%.*?%\}|\{\{.*?\}\}|</?[a-z!][^>]*>", " ", text))


class TestCommands:
    @pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
    def test_write_the_output_of_containers_to_a_file_without_a_terminal(self, page):
        # podman-compose gives each command a terminal, which changes the ends of lines in a dump.
        written = re.findall(r"compose exec (.*) > ", page.read_text())
        assert [words for words in written if not words.startswith("-T ")] == []

    @_NAMES
    def test_exist_with_the_given_options(self, page):
        known = get_commands()
        for name, words in _commands(page):
            assert name in known, name
            parser = load_command_class(known[name], name).create_parser("manage.py", name)
            given = {word.split("=")[0] for word in _words(words) if word.startswith("--")}
            assert given <= set(parser._option_string_actions), name

    @pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
    def test_of_a_shell_can_be_read_by_one(self, page):
        for block in _BLOCK.findall(page.read_text()):
            shlex.split(block, comments=True)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # an example that a sentence cuts short
        return text.split()


# Answered in front of all other addresses: tests/hubconsole/test_probes.py.
_PROBES = {"/health/live/", "/health/ready/"}


class TestAddresses:
    @_NAMES
    def test_lead_to_existing_targets(self, page):
        for address in set(_ADDRESS.findall(page.read_text())) - _PROBES:
            try:
                resolve(re.sub(r"\{[^}]*\}", "1", address))
            except Resolver404:
                pytest.fail(f"{address} leads nowhere")


class TestLabels:
    @pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
    def test_are_those_of_the_pages(self, page):
        shown = _shown()
        labels = {label for label in _LABEL.findall(_text(page)) if label not in _OF_THE_DEMO}
        parts = {part.strip(" ,") for label in labels for part in re.split(" all …|…", label)}
        assert sorted(part for part in parts if part not in shown) == []


class TestDeploy:
    def test_starts_the_workers_that_up_starts(self):
        for program in programs.worker_programs():
            asked = program.command[program.command.index("hubconsole.celery") + 1 :]
            node = [at for at, word in enumerate(asked) if word == "--hostname"]
            fixed = {word for at, word in enumerate(asked) if at - 1 not in node}
            assert fixed <= set(SERVICES[program.name]), program.name

    def test_names_services_that_exist(self):
        text = (ROOT / "docs/howto/deploy.md").read_text()
        named = set(re.findall(r"hubconsole@([a-z-]+)", text)) - {"service"}
        assert named == SERVICES.keys()
