from itertools import chain

from django.core.management import get_commands

from hubconsole.command_overview import GROUPS, make_overview
from tests.hubconsole.console import REPOSITORY

NAMES = list(chain.from_iterable(GROUPS.values()))


class TestGroups:
    def test_have_every_command_of_the_console_once(self):
        folder = REPOSITORY / "messages_app/management/commands"
        own = {path.stem for path in folder.glob("*.py")} - {"__init__"}
        assert own <= set(NAMES)
        assert set(NAMES) - own == {"changepassword", "check", "createsuperuser"}
        assert len(NAMES) == len(set(NAMES))

    def test_have_no_command_that_does_not_exist(self):
        assert set(NAMES) <= get_commands().keys()


class TestOverview:
    def test_shows_a_command_below_its_group(self):
        lines = make_overview().splitlines()
        assert lines[:4] == [
            "usage: python manage.py COMMAND [options]",
            "",
            "Start and check",
            "  up                      start everything in this terminal",
        ]

    def test_fits_into_a_terminal(self):
        assert [line for line in make_overview().splitlines() if len(line) > 100] == []
