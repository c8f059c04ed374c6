"""The fields of jobs in the API: masked filters, and allowed values of bodies."""

import pytest
from rest_framework.test import APIRequestFactory

from messages_app.core.parameters import MAX_ID
from messages_app.jobs.api.serializers import (
    FilterField,
    JobItemSerializer,
    NewJobSerializer,
    RateSerializer,
    ResumeSerializer,
    WhySerializer,
)
from messages_app.jobs.models import JobRefusal
from tests.support.factories import make_user

SEARCH = {"payload_contains": "Canary4711", "service_name": "billing"}
MASKED = {"payload_contains": "•••", "service_name": "billing"}


def shown(filter: object, user: object = None) -> object:
    """Return a filter as an answer to this user has it; without a user, as a message to everyone has it."""
    field = FilterField()
    if user is not None:
        request = APIRequestFactory().get("/")
        request.user = user
        field._context = {"request": request}
    return field.to_representation(filter)


class TestFilterField:
    def test_masks_payload_searches_where_everyone_may_read(self):
        assert shown(SEARCH) == MASKED
        assert shown({"state": "FAILED"}) == {"state": "FAILED"}

    @pytest.mark.django_db
    def test_masks_payload_searches_for_users_who_may_not_search(self):
        may_not = make_user("admin")
        may = make_user("admin", "view_payload", username="grace")
        assert (shown(SEARCH, may_not), shown(SEARCH, may)) == (MASKED, SEARCH)
        assert shown({"state": "FAILED"}, may_not) == {"state": "FAILED"}

    @pytest.mark.django_db
    @pytest.mark.parametrize("edited", ["payload_contains", ["payload_contains"], 5, None])
    def test_shows_what_someone_edited_in_the_database(self, edited):
        assert shown(edited) == edited
        assert shown(edited, make_user("support")) == edited


class TestRate:
    def errors_of(self, **body: object) -> dict[str, list[str]]:
        serializer = RateSerializer(data={"reason": "slower"} | body)
        serializer.is_valid()
        return {name: [error.code for error in errors] for name, errors in serializer.errors.items()}

    @pytest.mark.parametrize("rate", [None, 0, -3, 5, 0.25, 10**400, float("inf")])
    def test_may_be_a_number_of_any_size_or_null(self, rate):
        serializer = RateSerializer(data={"reason": "slower", "rate": rate})
        assert serializer.is_valid()
        assert serializer.validated_data == {"reason": "slower", "rate": rate}

    @pytest.mark.parametrize("rate", ["5", True, False, [5], {}, ""])
    def test_may_be_nothing_else(self, rate):
        assert self.errors_of(rate=rate) == {"rate": ["invalid"]}

    def test_is_required(self):
        assert self.errors_of() == {"rate": ["required"]}
        assert self.errors_of(rate=5, reason="") == {"reason": ["blank"]}


class TestBodies:
    def codes_of(self, serializer_class: type, body: object) -> dict[str, list[str]]:
        serializer = serializer_class(data=body)
        serializer.is_valid()
        return {name: [error.code for error in errors] for name, errors in serializer.errors.items()}

    def test_of_a_new_job_has_defaults(self):
        body = NewJobSerializer(data={"kind": "cancel", "reason": "r"})
        assert body.is_valid()
        assert body.validated_data == {
            "kind": "cancel",
            "filter": {},
            "options": {},
            "dry_run": False,
            "reason": "r",
        }

    def test_of_a_new_job_keeps_each_value(self):
        new = {
            "kind": "restart",
            "filter": {"state": ["FAILED"]},
            "options": {"rate": 5},
            "dry_run": True,
            "confirmed": 31,
            "reason": "again",
        }
        body = NewJobSerializer(data=new)
        assert body.is_valid()
        assert body.validated_data == new

    @pytest.mark.parametrize("serializer_class", [NewJobSerializer, ResumeSerializer])
    @pytest.mark.parametrize(
        ("confirmed", "code"),
        [
            (None, None),
            (0, None),
            (MAX_ID, None),
            (-1, "min_value"),
            (MAX_ID + 1, "max_value"),
            ("5", "invalid"),
            (True, "invalid"),
            (5.0, "invalid"),
        ],
    )
    def test_take_a_confirmed_number(self, serializer_class, confirmed, code):
        body = {"reason": "r", "confirmed": confirmed}
        if serializer_class is NewJobSerializer:
            body["kind"] = "cancel"
        assert self.codes_of(serializer_class, body) == ({"confirmed": [code]} if code else {})

    @pytest.mark.parametrize("serializer_class", [WhySerializer, ResumeSerializer])
    def test_require_a_reason(self, serializer_class):
        assert self.codes_of(serializer_class, {}) == {"reason": ["required"]}
        assert self.codes_of(serializer_class, {"reason": "r"}) == {}
        assert self.codes_of(serializer_class, {"reason": "r", "why": 1}) == {"why": ["unknown_field"]}


class TestRefusedItems:
    @pytest.mark.parametrize(
        ("outcome", "kind", "reason"),
        [
            (None, None, None),
            ("done", "done", None),
            ("skipped:in_job", "skipped", "in_job"),
            ("failed:uq_x: a:b", "failed", "uq_x: a:b"),
        ],
    )
    def test_have_each_value_of_their_own_column(self, outcome, kind, reason):
        refusal = JobRefusal(job_id=1, msg_id=2, root_msg_id=3, old_state="NEW", outcome=outcome)
        assert JobItemSerializer(refusal).data == {
            "msg_id": 2,
            "root_msg_id": 3,
            "old_state": "NEW",
            "new_state": None,
            "outcome": outcome,
            "outcome_kind": kind,
            "outcome_reason": reason,
            "resent_as": None,
        }
