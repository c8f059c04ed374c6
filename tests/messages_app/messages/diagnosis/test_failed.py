import pytest

from messages_app.messages.models import Message
from tests.messages_app.messages.diagnosis.told import child, reason, told
from tests.messages_app.messages.funnels.rows import stored
from tests.support.factories import make_archived_message, make_external_call

pytestmark = pytest.mark.django_db

ERROR = {"failed_error_code": "E103", "failed_count": 4}


class TestExplainFailure:
    def test_says_that_all_attempts_were_used(self):
        found = told(stored("FAILED", age=60, **ERROR))
        assert (found.reason, found.blocked_by) == ("failed_after_tries", [])
        assert "FAILED with E103 (communication with the target failed)" in found.summary
        assert "all 4 attempts failed" in found.summary
        assert "exactly one more attempt" in found.summary
        assert (found.next["what"], found.next["by"]) == ("restart", "operator")

    def test_counts_the_attempts_after_restarts(self):
        message = stored("FAILED", failed_error_code="E103", failed_count=6)
        assert "and 2 more attempts after a restart" in told(message).summary

    @pytest.mark.parametrize(
        ("failed_count", "tries"),
        [(0, "no attempt is counted"), (1, "1 of 4 attempts used"), (3, "3 of 4 attempts used")],
    )
    def test_says_that_the_error_was_fatal(self, failed_count, tries):
        found = told(stored("FAILED", failed_error_code="E102", failed_count=failed_count))
        assert found.reason == "failed_at_once"
        assert tries in found.summary

    def test_shows_a_code_of_an_application_as_it_is(self):
        assert "FAILED with CU12 at" in told(stored("FAILED", failed_error_code="CU12")).summary

    def test_says_that_the_repair_gave_it_up(self):
        found = told(stored("FAILED", failed_error_code="E116", failed_count=4))
        assert found.reason == "failed_after_repair"
        assert "stuck in PROCESSING after 3 counted failures" in found.summary

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
        assert told(message).summary.endswith(note)


class TestByChild:
    def test_names_the_child(self):
        parent = stored("FAILED", **ERROR)
        culprit = child(parent, "FAILED", **ERROR)
        found = told(parent)
        assert (found.reason, found.blocked_by) == ("failed_by_child", [culprit.pk])
        assert found.mentions == [culprit.pk]
        assert "the hub sets this parent to OK" in found.summary

    def test_says_that_openhub_does_not_heal_the_parent(self, openhub):
        parent = stored("FAILED", **ERROR)
        child(parent, "FAILED", **ERROR)
        assert "it does not become OK on its own" in told(parent).summary

    def test_goes_down_to_the_root(self):
        parent = stored("FAILED", **ERROR)
        middle = child(parent, "FAILED", **ERROR)
        root = child(middle, "FAILED", **ERROR)
        found = told(parent)
        assert found.blocked_by == [root.pk]
        assert found.mentions == [root.pk, middle.pk]

    def test_ends_in_a_circle(self):
        one = stored("FAILED", **ERROR)
        two = child(one, "FAILED", **ERROR)
        Message.objects.filter(pk=one.pk).update(parent_msg_id=two.pk, parent_binding_type="HARD")
        assert told(one).reason == "failed_by_child"

    def test_finds_an_archived_child(self):
        parent = stored("FAILED", **ERROR)
        gone = make_archived_message(
            parent_msg_id=parent.pk, parent_binding_type="HARD", state="FAILED", **ERROR
        )
        assert told(parent).blocked_by == [gone.pk]

    def test_counts_the_other_children(self):
        parent = stored("FAILED", **ERROR)
        for _ in range(3):
            child(parent, "FAILED", **ERROR)
        assert "2 other HARD children also FAILED" in told(parent).summary

    @pytest.mark.parametrize(
        "columns",
        [{"binding": "SOFT"}, {"binding": None}, {"failed_error_code": "E102"}, {"failed_count": 1}],
    )
    def test_does_not_blame_another_failure(self, columns):
        parent = stored("FAILED", **ERROR)
        child(parent, "FAILED", **(ERROR | columns))
        assert reason(parent) == "failed_after_tries"

    def test_waits_for_a_child_that_was_restarted(self):
        parent = stored("FAILED", **ERROR)
        restarted = child(parent, "PARTLY_FAILED", **ERROR)
        found = told(parent)
        assert (found.reason, found.blocked_by, found.next["what"]) == (
            "failed_by_child",
            [restarted.pk],
            "children",
        )

    def test_says_that_a_mended_child_left_its_parent_failed(self, openhub):
        parent = stored("FAILED", **ERROR)
        mended = child(parent, "OK", **ERROR)
        found = told(parent)
        assert (found.reason, found.blocked_by, found.next["what"]) == ("failed_by_child", [], "restart")
        assert found.mentions == [mended.pk]
