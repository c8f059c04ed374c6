import pytest
from django.core.management import CommandError, call_command

from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


class TestDemoHub:
    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("--rate", "-1"),
            ("--rate", "nan"),
            ("--rate", "x"),
            ("--speed", "0"),
            ("--for", "0"),
            ("--failing", "1.5"),
            ("--seed", "1.5"),
            ("--skip-uris", "("),
        ],
    )
    def test_names_the_option_that_is_wrong(self, option, value):
        with pytest.raises(CommandError, match=f"argument {option}"):
            call_command("demo_hub", option, value)

    def test_refuses_messages_of_others(self):
        make_message(operation_name="Invoice")
        with pytest.raises(CommandError, match="--any-messages"):
            call_command("demo_hub")

    def test_reports_that_its_log_cannot_be_written(self, tmp_path):
        with pytest.raises(CommandError, match=r"--log .* cannot be written: Is a directory"):
            call_command("demo_hub", "--log", str(tmp_path))
