import re
from datetime import timedelta

import pytest
from django.test import Client

from messages_app.audit.services import Actor
from messages_app.messages import services
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState
from tests.messages_app.messages.detail.rows import make_children, make_event
from tests.support.factories import (
    make_archived_message,
    make_external_call,
    make_funnel,
    make_message,
    make_request,
    make_response,
)
from tests.support.ledgers import restarting_job
from tests.support.page_client import client_of, reader_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def support() -> Client:
    return client_of("support")


def client_of_reader() -> Client:
    return reader_of("support", username="reader")


def _part(page: str, start: str, end: str) -> str:
    return page.partition(start)[2].partition(end)[0]


class TestMessagePage:
    @pytest.mark.parametrize(
        "msg_id", ["0", "999999999", str(2**63 - 1), str(2**63), "9" * 5000, "abc", "-1", "1.5"]
    )
    def test_returns_404_for_an_unknown_id(self, support, msg_id):
        assert support.get(f"/messages/{msg_id}/").status_code == 404

    def test_explains_the_state_and_shows_the_last_error(self, support):
        message = make_message(state="OK", failed_error_code="E103", failed_desc="E103: refused\n\tat X")
        page = text_of(support.get(f"/messages/{message.pk}/"))
        assert "Processed" in page
        assert "Last error" in page
        assert '<p class="c-lead-sentence">' in page

    def test_shows_the_outcome_of_the_last_action(self, support):
        message = make_message(state="POSTPONED")
        services.cancel_message(msg_id=message.pk, actor=Actor(username="ada"), reason="not needed")
        outcome = _part(text_of(support.get(f"/messages/{message.pk}/")), 'id="followed"', "</section>")
        assert "by ada" in outcome
        assert support.get(f"/messages/{message.pk}/").context["following"].is_ended is True
        assert "It stays cancelled: the hub will not retry it." in outcome

    def test_links_the_job_that_restarted_it_and_shows_failures_as_past(self, support):
        message = make_message(state="OK", failed_count=4, failed_error_code="E103")
        job = restarting_job(message, reason="the gateway is back")
        before, at = job.created_at - timedelta(seconds=60), job.created_at
        make_event(message, "FAILED", "PARTLY_FAILED", at=before, actor="ada")
        make_event(message, "FAILED", "PARTLY_FAILED", at=at, actor="ada")
        page = text_of(support.get(f"/messages/{message.pk}/"))
        link = f'<a href="/jobs/{job.pk}/">job {job.pk}</a>'
        assert f", after {link}, restarted by ada (“the gateway is back”)" in _part(
            page, "c-lead-sentence", "</p>"
        )
        history = _part(page, "c-entries c-panel-body", "</ol>")
        assert history.count(f"in {link}") == 1
        assert history.count("Restart: the gateway is back") == 1
        assert "4 of 4" not in page
        assert re.search(
            r'Failed attempts</dt>\s*<dd>\s*4\s*<div class="u-second">before it was processed', page
        )

    def test_reports_an_action_once_in_the_history(self, support):
        message = make_message(state="FAILED")
        services.restart_message(msg_id=message.pk, actor=Actor(username="ada"), reason="the gateway is back")
        page = text_of(support.get(f"/messages/{message.pk}/"))
        assert _part(page, "c-entries c-panel-body", "</ol>").count("the gateway is back") == 1

    def test_opens_with_an_unknown_state(self, support):
        page = text_of(support.get(f"/messages/{make_message(state='HELD').pk}/"))
        assert "HELD" in page
        assert "state-unknown" in page

    def test_shows_that_a_message_is_archived_and_offers_no_action(self):
        message = make_archived_message(state="FAILED")
        response = client_of("admin").get(f"/messages/{message.pk}/")
        assert response.context["actions"] == []
        assert "It is in the archive: restore it first." in text_of(response)
        restore = f"/jobs/new/?kind=restore&amp;archived=true&amp;msg_id={message.pk}"
        assert f'<a class="c-button" href="{restore}">' in text_of(response)

    @pytest.mark.parametrize("state", MessageState)
    def test_offers_only_actions_that_rules_and_role_allow(self, settings, state):
        message = make_message(state=state)
        operator, support = client_of("operator"), client_of_reader()
        for settings.HUB_RULES, restart_from, cancel_from in (
            ("cleverbus", {"FAILED", "CANCEL"}, {"NEW", "PARTLY_FAILED", "POSTPONED"}),
            ("openhub", {"OK", "FAILED", "CANCEL"}, set(MessageState) - {"OK", "FAILED", "CANCEL"}),
        ):
            page = text_of(operator.get(f"/messages/{message.pk}/"))
            assert (f"/messages/{message.pk}/restart/" in page) == (state in restart_from)
            assert (f"/messages/{message.pk}/cancel/" in page) == (state in cancel_from)
            assert support.get(f"/messages/{message.pk}/").context["actions"] == []

    def test_escapes_every_column(self, support):
        evil = "<img src=x onerror=alert(1)>"
        columns = ("correlation_id", "process_id", "object_id", "failed_desc", "custom_data", "funnel_value")
        message = make_message(**dict.fromkeys(columns, evil))
        assert "<img" not in text_of(support.get(f"/messages/{message.pk}/"))

    def test_is_read_only(self, support):
        message = make_message()
        assert support.post(f"/messages/{message.pk}/", {"state": "OK"}).status_code == 405
        assert Message.objects.get(pk=message.pk).state == message.state

    @pytest.mark.usefixtures("lasting_menu_counts")
    def test_is_small_and_runs_few_queries_with_hundreds_of_rows(
        self, support, django_assert_max_num_queries
    ):
        message = make_message(
            state="FAILED",
            failed_count=4,
            failed_error_code="E103",
            failed_desc="E103: refused\n" + "\tat com.example.Some.method(Some.java:7)\n" * 200,
            custom_data="x" * 20_000,
        )
        for number in range(200):
            make_external_call(message, operation_name=f"spring-ws:http://a.example/{number}/" + "o" * 60)
            request = make_request(message, uri="http://a.example/" + "u" * 380)
            make_response(request, failed=True, failed_reason="Refused\n" + "\tat a.b.C\n" * 100)
        make_children(message.pk, count=5000)
        support.get(f"/messages/{message.pk}/")
        with django_assert_max_num_queries(52):
            response = support.get(f"/messages/{message.pk}/")
        assert len(response.content) < 200_000

    def test_links_every_id(self, support):
        parent = make_message(state="WAITING")
        message = make_message(
            state="FAILED",
            parent_msg_id=parent.pk,
            process_id="P 7",
            object_id="O&7",
            failed_error_code="E103",
            funnel_component_id="funnel 1",
        )
        make_funnel(message, funnel_value="a/7")
        child = make_archived_message(parent_msg_id=message.pk)
        page = text_of(support.get(f"/messages/{message.pk}/"))
        for address in (
            f"/messages/{parent.pk}/",
            f"/messages/{child.pk}/",
            f"/messages/?correlation_id={message.correlation_id}",
            "/messages/?process_id=P+7",
            "/messages/?object_id=O%267",
            "/messages/?failed_error_code=E103",
            "/funnels/?value=a%2F7&amp;component=funnel%201",
            "/funnels/?component=funnel%201",
        ):
            assert f'href="{address}"' in page, address

    def test_reports_missing_and_cyclic_parents(self, support):
        lost = make_message(parent_msg_id=77)
        assert "was not found" in text_of(support.get(f"/messages/{lost.pk}/"))
        Message.objects.filter(pk=lost.pk).update(parent_msg_id=lost.pk)
        assert "Cyclic parent links" in text_of(support.get(f"/messages/{lost.pk}/"))

    def test_keeps_the_query_of_the_list_if_only_failures_are_shown(self, support):
        message = make_message(state="FAILED")
        make_external_call(message, state="FAILED")
        page = text_of(support.get(f"/messages/{message.pk}/?state=FAILED"))
        assert 'href="?state=FAILED&amp;timeline=failures#timeline"' in page
        chosen = text_of(support.get(f"/messages/{message.pk}/?state=FAILED&timeline=failures"))
        assert 'href="?state=FAILED#timeline"' in chosen
        alone = support.get(f"/messages/{message.pk}/?timeline=failures").context["timeline_all"]
        assert alone == f"/messages/{message.pk}/"
        assert len(re.findall(r'<li class="c-waterfall-row', chosen)) == 1

    @pytest.mark.parametrize(
        ("state", "is_restarted", "is_ended"),
        [("OK", False, True), ("FAILED", True, False), ("POSTPONED", False, False)],
    )
    def test_is_refreshed_often_until_the_outcome_is_final(self, support, state, is_restarted, is_ended):
        message = make_message(state=state, failed_count=4)
        if is_restarted:
            services.restart_message(msg_id=message.pk, actor=Actor(username="ada"), reason="again")
        assert support.get(f"/messages/{message.pk}/").context["following"].is_ended is is_ended

    def test_finds_the_text_of_the_list_in_the_payload_for_its_readers(self, support):
        address = f"/messages/{make_message().pk}/?payload_contains=a+b"
        reader = client_of_reader()
        assert reader.get(address).context["payload_query"] == "?find=a+b"
        assert reader.get(address.partition("?")[0]).context["payload_query"] == ""
        assert support.get(address).context["payload_query"] == ""

    def test_links_messages_that_its_first_line_its_error_and_its_history_name(self, support):
        for number in (881_001, 881_002, 881_003, 881_004):
            make_message(msg_id=number)
        message = make_message(
            state="FAILED", failed_desc="after 881001\nat 881002", business_error="see 881003"
        )
        services.restart_message(msg_id=message.pk, actor=Actor(username="ada"), reason="as 881004")
        shown = support.get(f"/messages/{message.pk}/").context
        assert shown["named"] == {881_001, 881_003, 881_004}
        assert shown["changes_cut"] is False

    def test_rejects_an_invalid_choice(self, support):
        response = support.get(f"/messages/{make_message().pk}/?timeline=all")
        assert response.status_code == 400
        assert "timeline" in text_of(response)
