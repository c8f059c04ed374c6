"""Pages in the first minutes: no zeros and no empty lists while what they show may still come."""

from time import monotonic

import pytest

from messages_app.messages import first_steps
from messages_app.messages.first_steps import FirstSteps, Loading
from messages_app.messages.metrics.passes import fold_changes
from tests.support.factories import make_message
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

EMPTY = {
    "/incidents/": "No incident in the last 7 days",
    "/map/": "No external calls in the last 7 d",
    "/keys/": "No keys yet",
    "/failures/": "Nothing failed in the last 7 days",
}
STATE = {"has_messages": False, "is_attached": False, "builds_counts": False, "is_late": False}


class TestPages:
    @pytest.mark.parametrize("path", EMPTY)
    def test_say_that_messages_are_being_counted(self, monkeypatch, path):
        make_message(state="OK")
        # The process of the tests may have begun long ago.
        monkeypatch.setattr(first_steps, "_STARTED", monotonic())
        text = text_of(client_of("support").get(path))
        assert "Counting…" in text
        assert EMPTY[path] not in text
        assert "No message is failing now" not in text

    @pytest.mark.parametrize("path", EMPTY)
    def test_say_that_they_are_empty_when_all_is_counted(self, path):
        make_message(state="OK")
        fold_changes()
        text = text_of(client_of("support").get(path))
        assert "Counting…" not in text
        assert EMPTY[path] in text

    @pytest.mark.parametrize("path", EMPTY)
    def test_show_the_demo_that_is_being_loaded(self, monkeypatch, path):
        steps = FirstSteps(**STATE | {"loading": Loading(done=1_200, total=4_800)})
        for place in ("messages_app.messages.first_steps", "messages_app.messages.failures.list_views"):
            monkeypatch.setattr(f"{place}.first_steps", lambda: steps)
        text = text_of(client_of("support").get(path))
        assert "Demo data is being loaded" in text
        assert "They appear together at the end." in text
        assert EMPTY[path] not in text
        assert "No message is failing now" not in text

    def test_write_no_handover_until_the_demo_is_loaded(self, monkeypatch):
        steps = FirstSteps(**STATE | {"loading": Loading(done=1_200, total=4_800)})
        monkeypatch.setattr("messages_app.messages.first_steps.first_steps", lambda: steps)
        text = text_of(client_of("support").get("/handover/"))
        assert "Demo data is being loaded" in text
        assert "Copy as text" not in text
        assert "No incident began" not in text

    def test_show_no_zeros_on_the_overview_until_it_is_counted(self, monkeypatch):
        make_message(state="OK")
        monkeypatch.setattr(first_steps, "_STARTED", monotonic())
        client = client_of("support")
        text = text_of(client.get("/"))
        assert text.count("counting…") == 3
        assert "Nothing is failing." not in text
        fold_changes()
        text = text_of(client.get("/"))
        assert "counting…" not in text
        assert "Nothing is failing." in text
