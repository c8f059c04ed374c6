import pytest
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.incidents.models import Incident
from tests.support.factories import NOON, make_user
from tests.support.page_client import client_of, notices_of, text_of

pytestmark = pytest.mark.django_db

UNDO = {"assign": {"user": "ada"}, "acknowledge": {}, "close": {}}
REFUSAL = "Not undone: the incident has changed since then."


@pytest.fixture
def incident() -> Incident:
    return Incident.objects.create(title="one", began_at=NOON, last_failure_at=NOON)


def decide(client: Client, incident: Incident, how: str, **values: str) -> dict[str, str]:
    """Send a decision, and return the hidden fields of the notice of the next page."""
    page = f"/incidents/{incident.pk}/"
    shown = text_of(client.post(f"{page}{how}/", {"reason": "x", **values}, follow=True))
    form = shown.partition(f'action="{page}undo-{how}/"')[2].partition("</form>")[0]
    fields = {}
    for part in form.split('<input type="hidden" name="')[1:]:
        name, _, rest = part.partition('" value="')
        fields[name] = rest.partition('"')[0]
    fields.pop("csrfmiddlewaretoken", None)
    return fields


def columns_of(incident: Incident) -> tuple[str, str, str]:
    incident.refresh_from_db()
    return incident.owner, incident.acknowledged_by, incident.state


class TestUndo:
    @pytest.mark.parametrize(
        ("how", "done", "action"),
        [
            ("assign", ("ada", "", "open"), "assign_incident"),
            ("acknowledge", ("", "ada", "open"), "withdraw_acknowledgement"),
            ("close", ("", "", "closed"), "reopen_incident"),
        ],
    )
    def test_reverses_a_decision_once_and_is_audited(self, incident, how, done, action):
        ada = client_of("operator")
        fields = decide(ada, incident, how, **UNDO[how])
        assert columns_of(incident) == done
        response = ada.post(f"/incidents/{incident.pk}/undo-{how}/", fields)
        assert response.url == f"/incidents/{incident.pk}/"
        assert notices_of(response)[-1] == "Undone."
        assert columns_of(incident) == ("", "", "open")
        entry = AuditEntry.objects.latest("pk")
        assert (entry.action, entry.actor, entry.reason) == (action, "ada", "Undone.")
        response = ada.post(f"/incidents/{incident.pk}/undo-{how}/", fields)
        assert notices_of(response)[-1] == REFUSAL
        assert AuditEntry.objects.latest("pk") == entry

    def test_leaves_what_someone_else_has_decided_meanwhile(self, incident):
        ada, eve = client_of("operator"), client_of("operator", username="eve")
        fields = decide(ada, incident, "assign", user="ada")
        decide(eve, incident, "assign", user="eve")
        assert notices_of(ada.post(f"/incidents/{incident.pk}/undo-assign/", fields))[-1] == REFUSAL
        assert columns_of(incident)[0] == "eve"

    def test_leaves_an_acknowledgement_of_someone_else(self, incident):
        ada, eve = client_of("operator"), client_of("operator", username="eve")
        fields = decide(ada, incident, "acknowledge")
        assert notices_of(eve.post(f"/incidents/{incident.pk}/undo-acknowledge/", fields))[-1] == REFUSAL
        Incident.objects.update(acknowledged_at=NOON)
        assert notices_of(ada.post(f"/incidents/{incident.pk}/undo-acknowledge/", fields))[-1] == REFUSAL
        assert columns_of(incident)[1] == "ada"

    def test_gives_nothing_to_an_account_that_was_deactivated(self, incident):
        ada, bob = client_of("operator"), make_user("operator", username="bob")
        Incident.objects.update(owner="bob")
        fields = decide(ada, incident, "assign", user="ada")
        assert fields == {"owner": "ada", "former": "bob"}
        bob.is_active = False
        bob.save()
        assert notices_of(ada.post(f"/incidents/{incident.pk}/undo-assign/", fields))[-1] == REFUSAL
        assert columns_of(incident)[0] == "ada"

    @pytest.mark.parametrize("moment", ["", "yesterday", "2026-01-01T00:00", "2026-99-01T00:00Z"])
    def test_names_a_bad_time(self, incident, moment):
        response = client_of("operator").post(f"/incidents/{incident.pk}/undo-close/", {"moment": moment})
        assert response.status_code == 400
        assert "moment" in text_of(response)
