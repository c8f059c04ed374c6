"""Each field of an answer has the value of its own column, live and archived."""

import pytest
from django.db import models

from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveMessage,
    ArchiveRequest,
    ArchiveResponse,
    ExternalCall,
    Message,
    Request,
    Response,
)
from tests.support.api_client import ApiClient, caller
from tests.support.distinct_rows import as_json, distinct_columns
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db

TEXTS = ("payload", "envelope")


def store_distinct(model: type[models.Model], **fixed: object) -> dict[str, object]:
    """Store a row, and return its columns as the API writes them."""
    columns = distinct_columns(model, **fixed)
    model.objects.create(**columns)
    return as_json(columns)


def without(columns: dict[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in columns.items() if name not in names}


@pytest.fixture
def operator() -> ApiClient:
    return caller("operator")


def only_result(operator: ApiClient, path: str) -> dict[str, object]:
    (line,) = operator.get(path).json()["results"]
    return line


class TestMessages:
    def test_have_each_value_of_their_own_column(self, operator):
        columns = store_distinct(Message, state="CANCEL", parent_msg_id=None, parent_binding_type="SOFT")
        msg_id = columns["msg_id"]
        expected = without(columns, *TEXTS)
        of_live = {"archived": False, "archived_to": None, "allowed_actions": ["restart"]}
        of_live |= {"resent_from": None, "resent_as": None}
        assert operator.get(f"messages/{msg_id}/").json() == expected | of_live
        line = only_result(operator, "messages/")
        assert {name: line[name] for name in expected if name in line} == {
            name: value for name, value in expected.items() if name in line
        }
        assert len(line.keys() & expected.keys()) > 20

    def test_have_each_value_of_their_own_column_in_the_archive(self, operator):
        columns = store_distinct(
            ArchiveMessage, state="CANCEL", parent_msg_id=None, parent_binding_type="SOFT"
        )
        body = operator.get(f"messages/{columns['msg_id']}/").json()
        expected = without(columns, *TEXTS, "archived_at")
        assert {name: body[name] for name in expected} == expected
        assert (body["archived"], body["archived_to"], body["allowed_actions"]) == (True, "tables", [])


@pytest.mark.parametrize("is_archived", [False, True], ids=["live", "archived"])
class TestRows:
    @pytest.fixture
    def msg_id(self, is_archived) -> int:
        return (make_archived_message() if is_archived else make_message()).pk

    def test_of_external_calls_have_each_value_of_their_own_column(self, operator, msg_id, is_archived):
        model = ArchiveExternalCall if is_archived else ExternalCall
        columns = store_distinct(model, msg_id=msg_id, state="FAILED")
        path = f"external-calls/?msg_id={msg_id}{'&archived=true' if is_archived else ''}"
        assert only_result(operator, path) == without(columns, "archived_at") | {"archived": is_archived}

    def test_of_requests_have_each_value_of_their_own_column(self, operator, msg_id, is_archived):
        model = ArchiveRequest if is_archived else Request
        columns = store_distinct(model, msg_id=msg_id, uri="http://a.example/x", req_envelope="12345")
        path = f"requests/?msg_id={msg_id}{'&archived=true' if is_archived else ''}"
        expected = without(columns, "req_envelope", "archived_at")
        assert only_result(operator, path) == expected | {"req_envelope_bytes": 5, "archived": is_archived}

    def test_of_responses_have_each_value_of_their_own_column(self, operator, msg_id, is_archived):
        model = ArchiveResponse if is_archived else Response
        texts = {"res_envelope": "1234567", "failed_reason": "123"}
        columns = store_distinct(model, msg_id=msg_id, req_id=None, failed=True, **texts)
        path = f"responses/?msg_id={msg_id}{'&archived=true' if is_archived else ''}"
        sizes = {"res_envelope_bytes": 7, "failed_reason_bytes": 3}
        expected = without(columns, *texts, "archived_at")
        assert only_result(operator, path) == expected | sizes | {"archived": is_archived}
