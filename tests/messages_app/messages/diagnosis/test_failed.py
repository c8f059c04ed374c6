import pytest

from messages_app.messages.models import Message
from tests.messages_app.messages.diagnosis.explanations import explanation_of, make_child, reason_of
from tests.messages_app.messages.funnels.rows import stored
from tests.support.factories import make_archived_message, make_external_call

pytestmark = pytest.mark.django_db

ERROR = {"failed_error_code": "E103", "failed_count": 4}


class TestExplainFailure:
    def test_says_that_all_attempts_were_used(self):
        explanation = explanation_of(stored("FAILED", age=60, **ERROR))
        assert (explanation.reason, explanation.blocked_by) == ("failed_after_tries", [])
        assert "FAILED with E103 (communication with the target failed)" in explanation.summary
        assert "all 4 attempts failed" in explanation.summary
        assert "exactly one more attempt" in explanation.summary
        assert (explanation.next["what"], explanation.next["by"]) == ("restart", "operator")

    def test_counts_the_attempts_after_restarts(self):
        message = stored("FAILED", failed_error_code="E103", failed_count=6)
        assert "and 2 more attempts after a restart" in explanation_of(message).summary

    @pytest.mark.parametrize(
        ("failed_count", "attempts"),
        [(0, "no attempt is counted"), (1, "1 of 4 attempts used"), (3, "3 of 4 attempts used")],
    )
    def test_says_that_the_error_was_fatal(self, failed_count, attempts):
        explanation = explanation_of(stored("FAILED", failed_error_code="E102", failed_count=failed_count))
        assert explanation.reason == "failed_at_once"
        assert attempts in explanation.summary

    def test_shows_a_code_of_an_application_unchanged(self):
        assert "FAILED with CU12 at" in explanation_of(stored("FAILED", failed_error_code="CU12")).summary

    def test_says_that_the_repair_gave_up(self):
        explanation = explanation_of(stored("FAILED", failed_error_code="E116", failed_count=4))
        assert explanation.reason == "failed_after_repair"
        assert "stuck in PROCESSING after 3 counted failures" in explanation.summary

    @pytest.mark.parametrize(
        ("state", "note"),
        [
            ("FAILED", "The source system CRM has not been notified yet."),
            ("FAILED_END", "The hub also gave up notifying the source system CRM."),
        ],
    )
    def test_says_that_the_source_was_not_notified(self, state, note):
        message = stored("FAILED", **ERROR)
        key = {"operation_name": "confirmation", "entity_id": message.correlation_id}
        make_external_call(message, state=state, **key)
        assert explanation_of(message).summary.endswith(note)


class TestExplainByChild:
    def test_names_the_child(self):
        parent = stored("FAILED", **ERROR)
        culprit = make_child(parent, "FAILED", **ERROR)
        explanation = explanation_of(parent)
        assert (explanation.reason, explanation.blocked_by) == ("failed_by_child", [culprit.pk])
        assert explanation.mentions == [culprit.pk]
        assert "the hub sets this parent to OK" in explanation.summary

    def test_says_that_openhub_does_not_heal_the_parent(self, openhub):
        parent = stored("FAILED", **ERROR)
        make_child(parent, "FAILED", **ERROR)
        assert "it does not become OK on its own" in explanation_of(parent).summary

    def test_follows_the_children_to_the_root_cause(self):
        parent = stored("FAILED", **ERROR)
        middle = make_child(parent, "FAILED", **ERROR)
        root = make_child(middle, "FAILED", **ERROR)
        explanation = explanation_of(parent)
        assert explanation.blocked_by == [root.pk]
        assert explanation.mentions == [root.pk, middle.pk]

    def test_stops_in_a_cycle(self):
        one = stored("FAILED", **ERROR)
        two = make_child(one, "FAILED", **ERROR)
        Message.objects.filter(pk=one.pk).update(parent_msg_id=two.pk, parent_binding_type="HARD")
        assert explanation_of(one).reason == "failed_by_child"

    def test_finds_an_archived_child(self):
        parent = stored("FAILED", **ERROR)
        archived = make_archived_message(
            parent_msg_id=parent.pk, parent_binding_type="HARD", state="FAILED", **ERROR
        )
        assert explanation_of(parent).blocked_by == [archived.pk]

    def test_counts_the_other_children(self):
        parent = stored("FAILED", **ERROR)
        for _ in range(3):
            make_child(parent, "FAILED", **ERROR)
        assert "2 other HARD children also FAILED" in explanation_of(parent).summary

    @pytest.mark.parametrize(
        "columns",
        [{"binding": "SOFT"}, {"binding": None}, {"failed_error_code": "E102"}, {"failed_count": 1}],
    )
    def test_ignores_children_with_another_failure(self, columns):
        parent = stored("FAILED", **ERROR)
        make_child(parent, "FAILED", **(ERROR | columns))
        assert reason_of(parent) == "failed_after_tries"

    def test_waits_for_a_child_that_was_restarted(self):
        parent = stored("FAILED", **ERROR)
        restarted = make_child(parent, "PARTLY_FAILED", **ERROR)
        explanation = explanation_of(parent)
        assert (explanation.reason, explanation.blocked_by, explanation.next["what"]) == (
            "failed_by_child",
            [restarted.pk],
            "children",
        )

    def test_says_that_a_recovered_child_left_its_parent_failed(self, openhub):
        parent = stored("FAILED", **ERROR)
        recovered = make_child(parent, "OK", **ERROR)
        explanation = explanation_of(parent)
        assert (explanation.reason, explanation.blocked_by, explanation.next["what"]) == (
            "failed_by_child",
            [],
            "restart",
        )
        assert explanation.mentions == [recovered.pk]
