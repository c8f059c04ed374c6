"""`attach --suspend` and `--resume`: an upgrade of the hub may change the types of its columns in between."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import NotSupportedError

from hubconsole.suitability import refusal_of_database
from messages_app.messages.models import Message, MessageEvent
from tests.support.attached import attached_hub, detach
from tests.support.page_client import client_of, text_of

WIDER = "ALTER TABLE {hub}.message ALTER COLUMN state TYPE varchar(25)"


@pytest.mark.parametrize("layout", ["CleverBus 2.0", "OpenHub 2.3"])
def test_the_types_of_columns_can_change_in_between(layout: str, django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), attached_hub(layout, "--create-triggers") as hub:
        count = Message.objects.count()
        client = client_of("support")
        hub.run("ALTER TABLE {hub}.message ADD COLUMN further text")
        with pytest.raises(NotSupportedError, match="used by a view"):
            hub.run(WIDER)
        for _ in range(2):
            call_command("attach", "--suspend", stdout=StringIO())
        assert "attach --resume" in refusal_of_database()
        answer = client.get("/messages/")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
        assert "The hub&#x27;s tables are being changed. Nothing was done." in text_of(answer)
        hub.run(WIDER)
        hub.run("UPDATE {hub}.message SET state = 'FAILED' WHERE msg_id = 1")
        told = StringIO()
        call_command("attach", "--resume", stdout=told)
        assert told.getvalue().startswith("Resumed: attached to ")
        assert "rebuild_counts`: changes of the hub in between were not recorded." in told.getvalue()
        assert refusal_of_database() is None
        assert Message.objects.count() == count
        hub.run("UPDATE {hub}.message SET state = 'OK' WHERE msg_id = 1")
        assert MessageEvent.objects.filter(msg_id=1, from_state="FAILED", to_state="OK").exists()
        call_command("attach", "--suspend", stdout=StringIO())
        assert "Detached" in detach()


def test_suspending_and_resuming_need_an_attachment(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        for option in ("--suspend", "--resume"):
            with pytest.raises(CommandError, match="is not attached to a hub"):
                call_command("attach", option)
