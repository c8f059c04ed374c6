import re
from datetime import timedelta
from html import unescape

import pytest
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import record_entry
from messages_app.core.clock import database_clock
from messages_app.incidents import services
from messages_app.incidents.deployments.models import Deployment
from messages_app.incidents.models import Incident
from messages_app.messages.models import Message
from tests.messages_app.incident_pages.outage import make_outage
from tests.messages_app.incidents.small_outages import fail_messages, restart_messages
from tests.support.jobs import ANA
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

LIST = "/incidents/"
PART = {"HX-Request": "true"}


def address_of(incident: Incident) -> str:
    return f"/incidents/{incident.pk}/"


class TestIncidentList:
    def test_shows_an_open_incident_with_its_failing_messages(self):
        incident = make_outage()
        page = text_of(client_of("support").get(LIST))
        assert f'href="/incidents/{incident.pk}/"' in page
        assert f'<a href="/messages/?incident={incident.pk}&amp;state=FAILED">18</a>' in page
        assert '<a href="/services/billing/">billing</a>, <a href="/services/order/">order</a>' in page

    def test_explains_an_empty_list(self):
        assert "No incident in the last 7 days" in text_of(client_of("support").get(LIST))

    @pytest.mark.parametrize(
        ("query", "shows"),
        [
            ("", True),
            ("?state=open", True),
            ("?state=closed", False),
            ("?unowned=true", True),
            ("?owner=ada", False),
            ("?external_system=pay.bank.example", True),
            ("?external_system=other.example", False),
            ("?service_name=order", True),
            ("?service_name=crm", False),
        ],
    )
    def test_narrows_by_its_filters(self, query, shows):
        incident = make_outage()
        page = text_of(client_of("support").get(LIST + query))
        assert (address_of(incident) in page) is shows

    def test_keeps_a_closed_incident_for_seven_days(self):
        incident = make_outage()
        services.close_incident(incident_id=incident.pk, actor=ANA, reason="r")
        client = client_of("support")
        assert address_of(incident) in text_of(client.get(LIST))
        assert address_of(incident) not in text_of(client.get(f"{LIST}?state=open"))
        with connection.cursor() as cursor:
            cursor.execute("UPDATE incident SET closed_at = now() - interval '8 days'")
        assert address_of(incident) not in text_of(client.get(LIST))

    def test_counts_the_unowned_ones_in_the_menu(self):
        cache.clear()
        make_outage()
        client = client_of("support")
        number = '<span data-menu-count="incidents">{}</span>'
        assert number.format(1) in text_of(client.get("/audit/"))
        Incident.objects.update(owner="ada")
        cache.clear()  # numbers of the menu are used again for some seconds
        assert number.format(0) in text_of(client.get("/audit/"))


class TestIncidentPage:
    def test_answers_what_fails_why_and_what_changed_before(self):
        incident = make_outage()
        page = text_of(client_of("support").get(address_of(incident)))
        assert "18 messages</a> failing now" in page
        assert "All 18 failures called pay.bank.example" in page
        assert "Release billing 4.2 (pipeline)" in page
        assert "owner: no one" in page
        assert "Restart" not in page

    def test_names_a_job_once_and_counts_equal_changes_of_the_configuration(self):
        incident = make_outage()
        for _ in range(3):
            record_entry(actor=ANA, action="archive", job_id=12)
            record_entry(actor=ANA, action="define_source", subject_kind="source_definition", subject="1")
        Incident.objects.update(began_at=database_clock())
        page = text_of(client_of("support").get(address_of(incident)))
        assert page.count(">Job 12: archive (command line (ana))</a>") == 1
        assert page.count(">Source definition added (command line (ana)), 3 times</a>") == 1

    def test_leads_to_the_releases_of_a_service_with_any_name(self):
        incident = make_outage()
        Deployment.objects.update(service_name="R&D =1")
        client = client_of("support")
        page = text_of(client.get(address_of(incident)))
        (address,) = re.findall(r'href="(/deployments/\?[^"]+)"', page)
        assert "R&amp;D =1" in text_of(client.get(unescape(address)))

    @pytest.mark.parametrize(
        ("role", "decisions"),
        [
            ("support", {"acknowledge", "assign"}),
            ("operator", {"acknowledge", "assign", "close", "merge", "split"}),
        ],
    )
    def test_offers_the_decisions_that_the_role_may_take(self, role, decisions):
        incident = make_outage()
        page = text_of(client_of(role).get(address_of(incident)))
        assert set(re.findall(rf'"/incidents/{incident.pk}/(\w+)/"', page)) == decisions

    @pytest.mark.parametrize("how", ["assign", "acknowledge"])
    def test_lets_support_decide_who_looks_after_it(self, how):
        incident = make_outage()
        fields = {"user": "ada", "reason": "r", "text": "Bank called."}
        response = client_of("support", username="ada").post(f"{address_of(incident)}{how}/", fields)
        assert (response.status_code, response.headers["Location"]) == (302, address_of(incident))

    @pytest.mark.parametrize("how", ["close", "reopen", "merge", "split"])
    def test_refuses_support_what_repairs_or_composes_incidents(self, how):
        incident = make_outage()
        client = client_of("support")
        assert client.get(f"{address_of(incident)}{how}/").status_code == 403
        assert client.post(f"{address_of(incident)}{how}/", {"reason": "r"}).status_code == 403

    @pytest.mark.parametrize("headers", [{}, PART])
    def test_refuses_a_user_whose_right_was_taken_away_while_the_page_is_open(self, headers):
        incident = make_outage()
        client, address = client_of("operator", username="ada"), f"{address_of(incident)}close/"
        assert 'aria-label="Close incident"' in text_of(client.get(address, headers=headers))
        User.objects.get(username="ada").groups.set([Group.objects.get(name="support")])
        refused = client.post(address, {"reason": "the bank answers"}, headers=headers)
        assert refused.status_code == 403
        assert "You need the permission change_incident (role operator or admin)." in text_of(refused)
        incident.refresh_from_db()
        assert (incident.state, incident.closed_by) == ("open", "")
        entry = AuditEntry.objects.latest("entry_id")
        assert (entry.action, entry.outcome, entry.actor) == ("close_incident", "refused", "ada")
        assert (entry.subject_kind, entry.subject) == ("incident", str(incident.pk))

    def test_answers_a_dialog_with_only_the_form_and_then_with_the_address_of_the_page(self):
        incident = make_outage()
        client, address = client_of("operator"), f"{address_of(incident)}close/"
        form = client.get(address, headers=PART)
        assert (form.status_code, "<html" in text_of(form), "Close incident" in text_of(form)) == (
            200,
            False,
            True,
        )
        refused = client.post(address, {"reason": ""}, headers=PART)
        assert (refused.status_code, "<html" in text_of(refused)) == (400, False)
        assert "Enter a reason." in text_of(refused)
        closed = client.post(address, {"reason": "r"}, headers=PART)
        assert (closed.status_code, closed.headers["HX-Redirect"]) == (204, address_of(incident))
        assert Incident.objects.get().state == "closed"

    def test_offers_an_operator_to_restart_all_of_its_failing_messages(self):
        incident = make_outage()
        fail_messages(3, "another cause, outside of the incident")
        page = text_of(client_of("operator").get(address_of(incident)))
        assert f"/jobs/new/?kind=restart&amp;state=FAILED&amp;incident={incident.pk}" in page
        assert "Restart 18 messages…" in page
        assert "canary" not in page

    def test_begins_a_large_restart_with_a_test_batch(self):
        incident = make_outage(count=30)
        page = text_of(client_of("operator").get(address_of(incident)))
        assert "&amp;canary=20&amp;stop_at_failure_rate=20" in page

    def test_says_when_all_of_its_messages_were_processed_and_offers_to_close_it(self):
        incident = make_outage()
        restart_messages()
        processed = database_clock().replace(microsecond=0) - timedelta(minutes=3)
        Message.objects.filter(pk=Message.objects.first().pk).update(last_process_timestamp=processed)
        Message.objects.exclude(last_process_timestamp=processed).update(
            last_process_timestamp=processed - timedelta(minutes=1)
        )
        page = text_of(client_of("operator").get(address_of(incident)))
        assert f"All 18 were processed by {processed:%Y-%m-%d %H:%M:%S} UTC." in page
        assert f'action="/incidents/{incident.pk}/close/"' in page
        assert 'data-state="skipped"' in page
        assert "Restart" not in page

    def test_does_not_call_it_repaired_while_a_message_is_in_progress(self):
        incident = make_outage()
        restart_messages()
        Message.objects.filter(pk=Message.objects.first().pk).update(state="PROCESSING")
        page = text_of(client_of("operator").get(address_of(incident)))
        assert "No message is failing. 1 is in progress." in page
        assert "were processed" not in page

    def test_leads_from_a_merged_incident_to_the_one_that_has_its_failures(self):
        incident = make_outage()
        other = Incident.objects.create(
            title="Other",
            state="closed",
            began_at=incident.began_at,
            last_failure_at=incident.began_at,
            merged_into=incident.pk,
        )
        response = client_of("support").get(address_of(other))
        assert (response.status_code, response.headers["Location"]) == (302, address_of(incident))

    def test_is_not_found_for_an_unknown_id(self):
        assert client_of("support").get("/incidents/777/").status_code == 404

    def test_escapes_what_the_hub_has_stored(self):
        incident = make_outage()
        Incident.objects.update(title="<b>x</b>", owner="<u>")
        page = text_of(client_of("operator").get(address_of(incident)))
        assert "<b>x" not in page
        assert "<i>y" not in page
        assert "&lt;b&gt;x" in page
