from datetime import timedelta

import pytest

from messages_app.messages.actions.planned_calls import MAX_CALLS, LastRequest, PlannedCall, plan_calls
from messages_app.messages.actions.preview import restart_preview, tries_left
from messages_app.messages.models import ArchiveExternalCall, ArchiveRequest, ExternalCall, Message, Request
from messages_app.shared.message_states import MessageState
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_message,
    make_request,
    next_id,
)

pytestmark = pytest.mark.django_db


class TestTriesLeft:
    @pytest.mark.parametrize(("failed", "left"), [(0, 4), (1, 3), (2, 2), (3, 1), (4, 1), (9, 1)])
    def test_compares_the_count_before_it_grows(self, failed, left):
        assert tries_left(failed) == left


class TestRestartPreview:
    def test_shows_when_the_hub_picks_it_up(self):
        preview = restart_preview(make_message(state="FAILED"), total=False, at=NOON)
        assert preview.picked_up_from == NOON + timedelta(seconds=60)
        assert preview.picked_up_until == NOON + timedelta(seconds=120)
        assert "12:01:00 UTC and 12:02:00 UTC" in preview.pickup_words

    @pytest.mark.parametrize(
        ("failed", "words", "drawn"), [(0, "4 attempts", 4), (2, "2 attempts", 4), (4, "exactly one", 5)]
    )
    def test_shows_the_attempts_as_text_and_dots(self, failed, words, drawn):
        message = make_message(state="FAILED", failed_count=failed)
        preview = restart_preview(message, total=False, at=NOON)
        assert words in preview.tries_words
        assert len(preview.tries) == drawn

    @pytest.mark.parametrize("rules", ["cleverbus", "openhub"])
    @pytest.mark.parametrize("state", list(MessageState))
    def test_previews_every_state_and_says_whether_a_restart_is_allowed(self, settings, rules, state):
        settings.HUB_RULES = rules
        preview = restart_preview(make_message(state=state), total=False, at=NOON)
        allowed = {"cleverbus": {"FAILED", "CANCEL"}, "openhub": {"OK", "FAILED", "CANCEL"}}[rules]
        assert preview.allowed == (state in allowed)
        assert bool(preview.why_not) != preview.allowed

    def test_does_not_allow_a_restart_in_the_archive(self):
        preview = restart_preview(make_archived_message(state="FAILED"), total=False, at=NOON)
        assert not preview.allowed
        assert preview.archive.code == "archived"

    def test_counts_the_outcomes_of_the_calls(self):
        message = make_message(state="FAILED")
        make_external_call(message, state="OK")
        make_external_call(message, state="FAILED")
        preview = restart_preview(message, total=False, at=NOON)
        assert preview.call_counts == [("skipped", 1), ("sent again", 1)]
        assert preview.repeated == 0
        assert restart_preview(message, total=True, at=NOON).repeated == 1

    def test_puts_warnings_first_and_leaves_out_missing_objects(self):
        parent = make_message(state="FAILED")
        message = make_message(state="FAILED", parent_msg_id=parent.pk, parent_binding_type="HARD")
        make_message(parent_msg_id=message.pk)
        codes = [effect.code for effect in restart_preview(message, total=False, at=NOON).effects]
        assert codes == ["children_twice", "parent_heals", "archive_later"]

    def test_sends_a_bounded_number_of_queries(self, django_assert_max_num_queries):
        parent = make_message(state="FAILED")
        message = make_message(
            state="FAILED",
            parent_msg_id=parent.pk,
            parent_binding_type="HARD",
            guaranteed_order=True,
            funnel_value="V",
            object_id="A",
        )
        message = Message.objects.defer("payload", "envelope").get(pk=message.pk)
        with django_assert_max_num_queries(12):
            restart_preview(message, total=False, at=NOON)


EARLIER, LATER = timedelta(minutes=-1), timedelta(minutes=1)


def outcomes_of(message, *, total: bool = False) -> list[str]:
    return [str(call.will_be) for call in plan_calls(message, total=total)[0]]


class TestPlannedCalls:
    def test_shows_the_calls_that_are_repeated(self):
        message = make_message(state="FAILED")
        make_external_call(message, state="OK")
        make_external_call(message, state="FAILED")
        assert [call.is_repeated for call in plan_calls(message, total=True)[0]] == [True, False]
        assert [call.is_repeated for call in plan_calls(message, total=False)[0]] == [False, False]

    def test_names_the_last_request_to_the_same_target(self):
        message = make_message(state="FAILED")
        make_external_call(message, operation_name="spring-ws:http://a.example/ws")
        make_request(message, uri="spring-ws:http://a.example/ws")
        last = make_request(message, uri="spring-ws:http://a.example/ws")
        make_request(message, uri="spring-ws:http://b.example/ws")
        calls, _ = plan_calls(message, total=False)
        assert calls[0].last_request.req_id == last.req_id

    def test_names_a_request_that_the_hub_saved_in_the_form_of_camel(self):
        message = make_message(state="FAILED")
        make_external_call(message, operation_name="direct:billing")
        last = make_request(message, uri="direct://billing")
        calls, _ = plan_calls(message, total=False)
        assert calls[0].last_request.req_id == last.req_id

    def test_does_not_show_a_request_that_was_not_kept(self):
        message = make_message(state="FAILED")
        make_external_call(message)
        assert plan_calls(message, total=False)[0][0].last_request is None

    @pytest.mark.parametrize(
        ("key", "uri"),
        [("A-7", "direct:billing"), ("ACCOUNT_A-7", "direct:billing"), ("A-7", "direct://billing")],
    )
    def test_finds_the_call_of_a_newer_message_of_the_object(self, key, uri):
        older = make_message(state="FAILED", msg_timestamp=NOON, object_id="A-7", entity_type="ACCOUNT")
        newer = make_message(state="OK", msg_timestamp=NOON + LATER, object_id="A-7")
        make_request(older, uri=uri)
        make_external_call(newer, entity_id=key)
        calls, _ = plan_calls(older, total=True)
        assert [(call.msg_id, str(call.will_be)) for call in calls] == [(newer.pk, "skipped")]

    def test_leaves_out_calls_of_older_messages_and_to_other_targets(self):
        message = make_message(state="FAILED", msg_timestamp=NOON, object_id="A-7")
        make_request(message, uri="direct:billing")
        older = make_message(state="OK", msg_timestamp=NOON + EARLIER, object_id="A-7")
        newer = make_message(state="OK", msg_timestamp=NOON + LATER, object_id="A-7")
        make_external_call(older, entity_id="A-7")
        make_external_call(newer, entity_id="A-7", operation_name="direct:other")
        assert outcomes_of(message) == []

    @pytest.mark.parametrize(("count", "is_cut"), [(MAX_CALLS, False), (MAX_CALLS + 1, True)])
    def test_is_bounded(self, count, is_cut):
        message = make_message(state="FAILED")
        ExternalCall.objects.bulk_create(
            ExternalCall(
                call_id=next_id(),
                msg_id=message.pk,
                operation_name="direct:billing",
                state="OK",
                entity_id=f"e-{number}",
                msg_timestamp=message.msg_timestamp,
                creation_timestamp=NOON,
                last_update_timestamp=NOON,
            )
            for number in range(count)
        )
        calls, more = plan_calls(message, total=False)
        assert (len(calls), more) == (MAX_CALLS, is_cut)

    def test_has_all_values_of_a_call(self):
        message = make_message(state="FAILED")
        call = make_external_call(message, entity_id="A-7", state="FAILED")
        sent = make_request(message, uri="direct:billing", req_timestamp=NOON + LATER)
        (planned,), _ = plan_calls(message, total=False)
        assert planned == PlannedCall(
            call_id=call.pk,
            msg_id=message.pk,
            operation_name="direct:billing",
            entity_id="A-7",
            state="FAILED",
            will_be="sent_again",
            why=planned.why,
            is_repeated=False,
            last_request=LastRequest(req_id=sent.pk, req_timestamp=NOON + LATER),
        )
        assert planned.words == "sent again"

    def test_of_an_archived_message_is_in_the_archive(self):
        message = make_archived_message(state="FAILED")
        make_message(msg_id=message.pk)
        times = dict.fromkeys(("msg_timestamp", "creation_timestamp", "last_update_timestamp"), NOON)
        values = {"msg_id": message.pk, "operation_name": "direct:billing", "state": "OK", **times}
        ArchiveExternalCall.objects.create(call_id=next_id(), entity_id="old", **values)
        ExternalCall.objects.create(call_id=next_id(), entity_id="live", **values)
        kept = {"res_join_id": "j", "uri": "direct:billing", "req_envelope": "", "req_timestamp": NOON}
        sent = ArchiveRequest.objects.create(req_id=next_id(), msg_id=message.pk, **kept)
        Request.objects.create(req_id=next_id(), msg_id=message.pk, **kept)
        (planned,), _ = plan_calls(message, total=False)
        assert (planned.entity_id, planned.last_request.req_id) == ("old", sent.pk)

    def test_without_an_object_takes_over_no_call(self):
        message = make_message(state="FAILED", msg_timestamp=NOON, object_id="", entity_type="ACCOUNT")
        make_request(message, uri="direct:billing")
        newer = make_message(state="OK", msg_timestamp=NOON + LATER)
        make_external_call(newer, entity_id="ACCOUNT_")
        assert outcomes_of(message) == []
