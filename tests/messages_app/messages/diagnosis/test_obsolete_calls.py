import pytest

from tests.messages_app.messages.diagnosis.explanations import explanation_of, reason_of
from tests.messages_app.messages.funnels.rows import ago, stored
from tests.support.factories import make_external_call

pytestmark = pytest.mark.django_db


def ok(*, age: float, **columns: object):
    return stored("OK", age=age, **({"object_id": "42"} | columns))


def call_of(owner, *, created: float, ended: float, **columns: object):
    return make_external_call(
        owner,
        creation_timestamp=ago(created),
        last_update_timestamp=ago(ended),
        **({"entity_id": "42"} | columns),
    )


class TestExplainObsolete:
    def test_says_that_a_newer_message_made_the_call(self):
        old = ok(age=100, start_process_timestamp=ago(50), last_process_timestamp=ago(40))
        newer = ok(age=90)
        call_of(newer, created=85, ended=84)
        explanation = explanation_of(old)
        assert (explanation.reason, explanation.blocked_by) == ("call_probably_skipped", [])
        assert f"probably skipped: message {newer.pk}" in explanation.summary
        assert explanation.mentions == [newer.pk]
        assert (explanation.next["what"], explanation.next["by"]) == ("check_target", "operator")

    def test_says_that_a_newer_message_took_the_call_over(self):
        old = ok(age=100, last_process_timestamp=ago(90))
        newer = ok(age=50)
        call_of(newer, created=95, ended=45)
        explanation = explanation_of(old)
        assert explanation.reason == "call_probably_taken_over"
        assert f"now belongs to {newer.pk}" in explanation.summary

    @pytest.mark.parametrize("entity_id", ["42", "42_a", "invoice_42", "invoice_42_a"])
    def test_recognizes_keys_that_name_the_object(self, entity_id):
        old = ok(age=100, entity_type="invoice", last_process_timestamp=ago(90))
        call_of(ok(age=50), created=95, ended=45, entity_id=entity_id)
        assert reason_of(old) == "call_probably_taken_over"

    @pytest.mark.parametrize(
        "changes",
        [
            {"entity_id": "421"},
            {"created": 80},
            {"operation_name": "confirmation"},
        ],
    )
    def test_ignores_other_calls(self, changes):
        old = ok(age=100, last_process_timestamp=ago(90))
        call_of(ok(age=50), **({"created": 95, "ended": 45} | changes))
        assert reason_of(old) == "done"

    @pytest.mark.parametrize(
        "columns", [{"age": 101}, {"object_id": "43"}, {"operation_name": "other"}, {"service_name": "crm"}]
    )
    def test_ignores_other_messages(self, columns):
        old = ok(age=100, last_process_timestamp=ago(90))
        call_of(ok(**({"age": 50} | columns)), created=95, ended=45)
        assert reason_of(old) == "done"

    def test_ignores_a_call_that_the_message_still_owns(self):
        old = ok(age=100, last_process_timestamp=ago(90))
        make_external_call(old)
        call_of(ok(age=50), created=95, ended=45)
        assert reason_of(old) == "done"

    def test_counts_a_message_of_the_same_time(self):
        old = ok(age=100, start_process_timestamp=ago(50), last_process_timestamp=ago(40))
        call_of(ok(age=100), created=95, ended=94)
        assert reason_of(old) == "call_probably_skipped"
