import pytest

from messages_app.core.clock import database_clock
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.models import Message
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> ApiClient:
    return caller("operator")


@pytest.fixture
def group() -> FailureGroup:
    make_message(
        state="FAILED",
        failed_error_code="E103",
        failed_desc="E103: order 7 timed out",
        receive_timestamp=database_clock(),
    )
    group_new_failures()
    return FailureGroup.objects.get()


class TestGroupListView:
    def test_lists_groups_with_their_windows_and_advice(self, operator, group):
        (line,) = operator.get("failure-groups/").json()["results"]
        assert line["group"]["summary"] == "E103: order … timed out"
        assert line["windows"] == {"hour": 1, "hours_3": 1, "day": 1, "days_7": 1}
        assert line["known"]["action"]
        assert line["failing_now"] == 1
        Message.objects.update(state="OK")
        (line,) = operator.get("failure-groups/").json()["results"]
        assert line["failing_now"] == 0


class TestGroupView:
    def test_returns_a_group_with_its_newest_messages(self, operator, group):
        body = operator.get(f"failure-groups/{group.pk}/").json()
        assert (body["failures"], len(body["msg_ids"]), body["known"]["code"]) == (1, 1, "E103")
        assert (body["outcome"]["failed"], body["outcome"]["is_repaired"]) == (1, False)
        Message.objects.update(state="OK")
        body = operator.get(f"failure-groups/{group.pk}/").json()
        assert (body["outcome"]["ok"], body["outcome"]["is_repaired"]) == (1, True)

    @pytest.mark.parametrize("group_id", ["0", "odd", "9" * 30])
    def test_rejects_unknown_groups(self, operator, group_id):
        assert problem(operator.get(f"failure-groups/{group_id}/"))["code"] == "not_found"


class TestMarkView:
    def test_marks_a_group(self, operator, group):
        path = f"failure-groups/{group.pk}/mark/"
        response = operator.post(path, {"state": "fixed", "reason": "new release", "expected_state": "new"})
        assert (response.status_code, response.json()["state"]) == (200, "fixed")
        again = problem(operator.post(path, {"state": "fixed", "reason": "again"}))
        assert (again["status"], again["current_state"]) == (409, "fixed")
        other = {"state": "known", "reason": "x", "expected_state": "new"}
        assert problem(operator.post(path, other))["status"] == 412

    def test_requires_a_reason(self, operator, group):
        body = problem(operator.post(f"failure-groups/{group.pk}/mark/", {"state": "fixed"}))
        assert body["errors"][0]["field"] == "reason"


class TestDescribeView:
    def test_changes_the_named_fields(self, operator, group):
        response = operator.post(f"failure-groups/{group.pk}/describe/", {"owner": "ada", "note": "Ask."})
        assert (response.json()["owner"], response.json()["note"]) == ("ada", "Ask.")


class TestErrorCodeListView:
    def test_has_the_hubs_own_codes(self, operator):
        codes = {entry["code"] for entry in operator.get("error-codes/").json()["results"] if entry["is_own"]}
        assert codes == {f"E{number}" for number in range(100, 124)}
