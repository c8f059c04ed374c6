from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.incidents.models import Incident
from tests.support.factories import NOON, make_user
from tests.support.page_client import client_of, notices_of, text_of
from tests.support.page_undo import has_undo, press_undo, read_undo_form

pytestmark = pytest.mark.django_db

REFUSAL = "Not undone: the incident has changed since then."
OPEN = {"state": "open", "closed_at": None, "closed_by": ""}
CLOSED = {"state": "closed", "closed_at": NOON, "closed_by": "system"}


@pytest.fixture
def incident() -> Incident:
    return Incident.objects.create(title="one", began_at=NOON, last_failure_at=NOON, failures=3)


def decide(client: Client, incident: Incident, how: str, **values: str) -> HttpResponse:
    """Send a decision, and return the page that follows it."""
    return client.post(f"/incidents/{incident.pk}/{how}/", {"reason": "x", **values}, follow=True)


def columns_of(incident: Incident) -> tuple[str, str, str]:
    incident.refresh_from_db()
    return incident.owner, incident.acknowledged_by, incident.state


class TestUndo:
    @pytest.mark.parametrize(
        ("how", "former", "done", "action"),
        [
            ("assign", OPEN, ("ada", "", "open"), "assign_incident"),
            ("acknowledge", OPEN, ("", "ada", "open"), "withdraw_acknowledgement"),
            ("close", OPEN, ("", "", "closed"), "reopen_incident"),
            ("reopen", CLOSED, ("", "", "open"), "close_incident"),
        ],
    )
    def test_reverses_a_decision_once_and_is_audited(self, incident, how, former, done, action):
        Incident.objects.update(**former)
        ada = client_of("operator")
        page = decide(ada, incident, how, **({"user": "ada"} if how == "assign" else {}))
        assert columns_of(incident) == done
        response = press_undo(ada, page)
        assert response.url == f"/incidents/{incident.pk}/"
        assert notices_of(response)[-1] == "Undone."
        assert columns_of(incident) == ("", "", former["state"])
        assert Incident.objects.values(*former).get() == former
        entry = AuditEntry.objects.latest("pk")
        assert (entry.action, entry.actor, entry.reason) == (action, "ada", "Undone.")
        assert entry.after_state == former["state"]
        assert notices_of(press_undo(ada, page))[-1] == REFUSAL
        assert AuditEntry.objects.latest("pk") == entry

    def test_is_not_offered_for_a_split_or_a_refused_decision(self, incident):
        ada = client_of("operator")
        assert not has_undo(decide(ada, incident, "reopen"))
        Incident.objects.update(**CLOSED)
        assert not has_undo(decide(ada, incident, "close"))

    def test_leaves_what_someone_else_has_decided_meanwhile(self, incident):
        ada, eve = client_of("operator"), client_of("operator", username="eve")
        page = decide(ada, incident, "assign", user="ada")
        decide(eve, incident, "assign", user="eve")
        assert notices_of(press_undo(ada, page))[-1] == REFUSAL
        assert columns_of(incident)[0] == "eve"

    def test_is_for_its_user_only(self, incident):
        ada, eve = client_of("operator"), client_of("operator", username="eve")
        response = press_undo(eve, decide(ada, incident, "acknowledge"))
        assert response.status_code == 400
        assert "token" in text_of(response)
        assert columns_of(incident)[1] == "ada"

    def test_leaves_a_newer_acknowledgement(self, incident):
        ada = client_of("operator")
        page = decide(ada, incident, "acknowledge")
        Incident.objects.update(acknowledged_at=NOON)
        assert notices_of(press_undo(ada, page))[-1] == REFUSAL
        assert columns_of(incident)[1] == "ada"

    def test_gives_nothing_to_an_account_that_was_deactivated(self, incident):
        ada, bob = client_of("operator"), make_user("operator", username="bob")
        Incident.objects.update(owner="bob")
        page = decide(ada, incident, "assign", user="ada")
        bob.is_active = False
        bob.save()
        assert notices_of(press_undo(ada, page))[-1] == REFUSAL
        assert columns_of(incident)[0] == "ada"

    @pytest.mark.parametrize(
        "change",
        [
            {"failures": 4, "last_failure_at": NOON + timedelta(minutes=1)},
            {"state": "closed", "closed_at": NOON, "closed_by": "eve"},
            {"is_held_open": False},
        ],
    )
    def test_leaves_a_reopened_incident_that_has_changed(self, incident, change):
        Incident.objects.update(**CLOSED)
        ada = client_of("operator")
        page = decide(ada, incident, "reopen")
        Incident.objects.update(**change)
        assert notices_of(press_undo(ada, page))[-1] == REFUSAL
        assert Incident.objects.values(*change).get() == change

    def test_names_a_bad_token(self, incident):
        response = client_of("operator").post(f"/incidents/{incident.pk}/undo-close/", {"token": "x"})
        assert response.status_code == 400
        assert "token" in text_of(response)

    def test_needs_the_permission_for_the_decision(self, incident):
        ada = client_of("operator")
        address, fields = read_undo_form(decide(ada, incident, "close"))
        assert client_of("support", username="sue").post(address, fields).status_code == 403
        assert columns_of(incident)[2] == "closed"
