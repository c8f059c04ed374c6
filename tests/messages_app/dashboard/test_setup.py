"""The setup checklist: its steps are ticked by the state of the console."""

import pytest
from django.contrib.auth.models import Permission

from messages_app.business_keys.models import KeyDefinition
from messages_app.dashboard.setup import setup_for
from messages_app.jobs.models import JobSchedule
from messages_app.messages.first_steps import FirstSteps
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.factories import make_message, make_user
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

EMPTY = FirstSteps(has_messages=False, is_attached=False, loading=None, builds_counts=False, is_late=False)
NAMES = ["has_messages", "has_second_admin", "has_channel", "has_keys", "has_archive"]


def done_steps(steps: FirstSteps = EMPTY) -> list[str]:
    grace = make_user("admin", username="grace")
    setup = setup_for(grace, steps)
    grace.delete()
    assert [step.name for step in setup.steps] == NAMES
    return [step.name for step in setup.steps if step.is_done]


def make_schedule(**columns: object) -> JobSchedule:
    return JobSchedule.objects.create(
        **{"kind": "archive", "cron": "0 2 * * *", "zone": "UTC", "reason": "r", "created_by": "ada"}
        | columns
    )


def make_key(**columns: object) -> KeyDefinition:
    return KeyDefinition.objects.create(
        **{"service_name": "billing", "operation_name": "create", "name": "order", "path": "//no"} | columns
    )


class TestSteps:
    def test_begin_undone(self):
        assert done_steps() == []

    @pytest.mark.parametrize("change", ["has_messages", "is_attached"])
    def test_are_done_with_messages_or_a_hub(self, change):
        state = {"has_messages": False, "is_attached": False} | {change: True}
        steps = FirstSteps(loading=None, builds_counts=False, is_late=False, **state)
        assert done_steps(steps) == ["has_messages"]

    @pytest.mark.parametrize(
        ("roles", "columns", "expected"),
        [
            (["admin"], {}, True),
            ([], {"is_superuser": True}, True),
            (["admin"], {"is_active": False}, False),
            ([], {"is_superuser": True, "is_active": False}, False),
            (["operator", "support"], {"is_staff": True}, False),
        ],
    )
    def test_are_done_with_a_second_administrator(self, roles, columns, expected):
        make_user(*roles, username="ada", **columns)
        assert ("has_second_admin" in done_steps()) is expected

    @pytest.mark.parametrize(
        ("columns", "expected"),
        [
            ({"mail_to": ["ops@hub.example"]}, True),
            ({"webhook_url": "https://chat.example/x"}, True),
            ({"webhook_url": "https://chat.example/x", "enabled": False}, False),
            ({}, False),
        ],
    )
    def test_are_done_with_a_watch_rule_that_notifies_someone(self, columns, expected):
        make_rule(**columns)
        assert ("has_channel" in done_steps()) is expected

    @pytest.mark.parametrize(("columns", "expected"), [({}, True), ({"active": False}, False)])
    def test_are_done_with_a_business_key(self, columns, expected):
        make_key(**columns)
        assert ("has_keys" in done_steps()) is expected

    @pytest.mark.parametrize(
        ("columns", "expected"), [({}, True), ({"enabled": False}, False), ({"kind": "restart"}, False)]
    )
    def test_are_done_with_a_schedule_of_the_archive(self, columns, expected):
        make_schedule(**columns)
        assert ("has_archive" in done_steps()) is expected

    def test_are_limited_by_permissions(self):
        assert setup_for(make_user("operator", username="ben"), EMPTY) is None
        cyd = make_user(username="cyd")
        cyd.user_permissions.add(Permission.objects.get(codename="manage_users"))
        assert [step.name for step in setup_for(cyd, EMPTY).steps] == ["has_second_admin"]


class TestOverview:
    def test_has_the_checklist_below_the_first_steps(self):
        text = text_of(client_of("admin").get("/"))
        assert text.index("No messages yet") < text.index("0 of 5 steps done") < text.rindex('href="/users/"')
        assert 'hx-get="/setup/health/"' in text
        assert "steps done" not in text_of(client_of("operator", username="ben").get("/"))

    def test_has_the_next_step_in_one_line_once_there_are_messages(self):
        make_message(state="OK")
        text = " ".join(text_of(client_of("admin").get("/")).split())
        assert '<a href="/setup/">1 of 5 steps done</a>, next: <a href="/users/">Add a second' in text
        assert "/setup/health/" not in text

    def test_has_no_checklist_once_all_is_done(self):
        make_message(state="OK")
        make_user("admin", username="grace")
        make_rule(mail_to=["ops@hub.example"])
        make_key()
        make_schedule()
        ada = client_of("admin")
        assert "steps done" not in text_of(ada.get("/"))
        assert "5 of 5 steps done" in text_of(ada.get("/setup/"))

    def test_leaves_it_out_for_a_user_who_dismissed_it_until_they_bring_it_back(self):
        ada, grace = client_of("admin"), client_of("admin", username="grace")
        answer = ada.post("/setup/away/", follow=True)
        assert "steps done" not in text_of(answer).replace("The checklist", "")
        assert 'action="/setup/back/"' in text_of(answer)  # Undo
        assert "steps done" in text_of(grace.get("/"))
        assert "Show on the overview" in text_of(ada.get("/setup/"))
        assert "Show on the overview" not in text_of(grace.get("/setup/"))
        assert ada.post("/setup/back/").url == "/"
        assert "steps done" in text_of(ada.get("/"))

    def test_is_in_the_menu_of_the_name_of_administrators(self):
        assert 'href="/setup/"' in text_of(client_of("admin").get("/me/"))
        assert 'href="/setup/"' not in text_of(client_of("operator", username="ben").get("/me/"))

    def test_stays_as_it_is_while_the_console_is_empty(self):
        ada = client_of("admin")
        assert "/dashboard/part/?window=24h&amp;shown=empty" in text_of(ada.get("/"))
        assert ada.get("/dashboard/part/?window=24h&shown=empty").status_code == 204

    @pytest.mark.parametrize("shown", ["empty", "loading"])
    def test_is_followed_by_the_whole_page_once_there_are_messages(self, shown):
        ada = client_of("admin")
        make_message(state="OK")
        answer = ada.get(f"/dashboard/part/?window=24h&shown={shown}")
        assert (answer.status_code, answer.headers["HX-Refresh"]) == (204, "true")
        assert "shown=" not in text_of(ada.get("/"))
        assert 'id="freshness"' in text_of(ada.get("/dashboard/part/?window=24h"))

    def test_has_no_age_of_counts_for_a_head_without_one(self):
        ada = client_of("admin")
        assert 'id="freshness"' not in text_of(ada.get("/"))
        assert 'id="freshness"' not in text_of(ada.get("/dashboard/part/?window=24h"))
        assert ada.get("/dashboard/part/?shown=else").status_code == 400
