import pytest

from tests.messages_app.messages.diagnosis.told import reason, told
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
    def test_says_that_a_newer_message_had_made_the_call(self):
        old = ok(age=100, start_process_timestamp=ago(50), last_process_timestamp=ago(40))
        newer = ok(age=90)
        call_of(newer, created=85, ended=84)
        found = told(old)
        assert (found.reason, found.blocked_by) == ("call_probably_skipped", [])
        assert f"probably skipped: message {newer.pk}" in found.summary
        assert found.mentions == [newer.pk]
        assert (found.next["what"], found.next["by"]) == ("check_target", "operator")

    def test_says_that_a_newer_message_took_the_call_over(self):
        old = ok(age=100, last_process_timestamp=ago(90))
        newer = ok(age=50)
        call_of(newer, created=95, ended=45)
        found = told(old)
        assert found.reason == "call_probably_taken_over"
        assert f"now belongs to {newer.pk}" in found.summary

    @pytest.mark.parametrize("entity_id", ["42", "42_a", "invoice_42", "invoice_42_a"])
    def test_knows_the_keys_that_name_the_object(self, entity_id):
        old = ok(age=100, entity_type="invoice", last_process_timestamp=ago(90))
        call_of(ok(age=50), created=95, ended=45, entity_id=entity_id)
        assert reason(old) == "call_probably_taken_over"

    @pytest.mark.parametrize(
        "changes",
        [
            {"entity_id": "421"},
            {"created": 80},
            {"operation_name": "confirmation"},
        ],
    )
    def test_does_not_say_so_of_another_call(self, changes):
        old = ok(age=100, last_process_timestamp=ago(90))
        call_of(ok(age=50), **({"created": 95, "ended": 45} | changes))
        assert reason(old) == "done"

    @pytest.mark.parametrize(
        "columns", [{"age": 101}, {"object_id": "43"}, {"operation_name": "other"}, {"service_name": "crm"}]
    )
    def test_does_not_say_so_because_of_another_message(self, columns):
        old = ok(age=100, last_process_timestamp=ago(90))
        call_of(ok(**({"age": 50} | columns)), created=95, ended=45)
        assert reason(old) == "done"

    def test_does_not_say_so_of_a_call_that_it_still_has(self):
        old = ok(age=100, last_process_timestamp=ago(90))
        make_external_call(old)
        call_of(ok(age=50), created=95, ended=45)
        assert reason(old) == "done"

    def test_counts_a_message_of_the_same_time(self):
        old = ok(age=100, start_process_timestamp=ago(50), last_process_timestamp=ago(40))
        call_of(ok(age=100), created=95, ended=94)
        assert reason(old) == "call_probably_skipped"
