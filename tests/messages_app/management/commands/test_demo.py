import pytest
from django.core.management import CommandError, call_command

from messages_app.messages.models import Message
from tests.support.factories import make_message


@pytest.mark.django_db
class TestDemo:
    @pytest.mark.slow
    def test_loads_and_reports_it(self, capsys):
        call_command("demo", "--messages", "40", "--seed", "7")
        assert Message.objects.count() == 40
        said = capsys.readouterr()
        assert said.out == "40 messages loaded.\n"
        assert "40 of 40 messages" in said.err

    def test_refuses_messages_that_the_demo_did_not_make(self):
        make_message()
        with pytest.raises(CommandError, match="needs an empty hub: table message is not empty") as refusal:
            call_command("demo", "--messages", "40")
        assert refusal.value.returncode == 1

    @pytest.mark.parametrize("count", ["0", "-5", "many", "1e3", "1000000000"])
    def test_refuses_an_invalid_number(self, count):
        with pytest.raises(CommandError, match="--messages"):
            call_command("demo", "--messages", count)
