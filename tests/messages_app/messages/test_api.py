import pytest

from messages_app.core.parameters import MAX_ID
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db

NO_IDS = [
    "abc",
    "-1",
    str(MAX_ID + 1),
    "9" * 5000,
    "1.5",
    "%00",
    "%D9%A1",
    "1_0",
    "%201",
    "+1",
    "..%2f..%2fetc%2fpasswd",
    "0x1",
]


@pytest.fixture
def operator() -> ApiClient:
    return caller("operator")


class TestMessageListView:
    def test_returns_narrow_rows_newest_first(self, operator):
        older = make_message(state="FAILED", failed_desc="Timeout\n at line 7", failed_error_code="E101")
        newer = make_message()
        body = operator.get("messages/").json()
        assert list(body) == ["next", "previous", "results"]
        assert [row["msg_id"] for row in body["results"]] == [newer.msg_id, older.msg_id]
        row = body["results"][1]
        assert row["failed_summary"] == "Timeout"
        assert row["archived"] is False
        assert row["receive_timestamp"].endswith("Z")
        assert not {"payload", "envelope", "failed_desc", "custom_data"} & set(row)

    def test_links_to_the_next_page_and_back(self, operator):
        stored = [make_message(state="FAILED").msg_id for _ in range(5)]
        first = operator.get("messages/?page_size=2&state=FAILED&ordering=msg_id").json()
        second = operator.client.get(first["next"], headers=operator.headers).json()
        assert [row["msg_id"] for row in second["results"]] == stored[2:4]
        back = operator.client.get(second["previous"], headers=operator.headers).json()
        assert back["results"] == first["results"]
        assert back["previous"] is None

    def test_reads_the_archive_if_requested(self, operator):
        make_message()
        old = make_archived_message()
        rows = operator.get("messages/?archived=true").json()["results"]
        assert [(row["msg_id"], row["archived"]) for row in rows] == [(old.msg_id, True)]

    def test_reads_the_live_table_and_the_archive_together(self, operator):
        live, old = make_message(), make_archived_message()
        body = operator.get("messages/?archived=any&page_size=1").json()
        rest = operator.client.get(body["next"], headers=operator.headers).json()
        rows = body["results"] + rest["results"]
        assert [(row["msg_id"], row["archived"]) for row in rows] == [
            (old.msg_id, True),
            (live.msg_id, False),
        ]

    def test_searches_the_archive_by_a_filter_without_an_index(self, operator):
        make_archived_message(service_name="orders")
        old = make_archived_message(service_name="billing")
        body = operator.get("messages/?archived=true&service_name=billing").json()
        assert [row["msg_id"] for row in body["results"]] == [old.msg_id]
        assert body["next"] is None

    def test_finds_the_parents_of_failures(self, operator):
        parent = make_message(state="FAILED")
        make_message(state="FAILED", parent_msg_id=parent.pk)
        rows = operator.get("messages/?family=failed").json()["results"]
        assert [row["msg_id"] for row in rows] == [parent.pk]

    @pytest.mark.parametrize(
        ("query", "field", "code"),
        [
            ("zzz=1", "zzz", "unknown_parameter"),
            ("State=OK", "State", "unknown_parameter"),
            ("format=json", "format", "unknown_parameter"),
            ("state=NOPE", "state", "invalid_value"),
            ("process_id=a&process_id=b", "process_id", "ambiguous_parameter"),
            ("cursor=garbage", "cursor", "invalid_value"),
            ("cursor=a&cursor=b", "cursor", "ambiguous_parameter"),
            ("ordering=payload", "ordering", "invalid_value"),
            ("page_size=0", "page_size", "out_of_range"),
            ("exact=true", "exact", "unknown_parameter"),
            ("token=hubc_x", "token", "unknown_parameter"),
        ],
    )
    def test_rejects_unknown_parameters_and_values(self, operator, query, field, code):
        body = problem(operator.get(f"messages/?{query}"))
        assert body["status"] == 400
        assert (body["errors"][0]["field"], body["errors"][0]["code"]) == (field, code)

    @pytest.mark.parametrize("raw", ["%ff%fe", "%ED%A0%80"])
    def test_rejects_a_query_that_is_not_utf_8(self, operator, raw):
        assert problem(operator.get(f"messages/?correlation_id={raw}"))["code"] == "invalid_encoding"

    def test_rejects_too_many_parameters(self, operator):
        body = problem(operator.get("messages/?" + "&".join(f"a{i}=1" for i in range(1001))))
        assert (body["status"], body["code"]) == (400, "too_many")

    def test_answers_only_json(self, operator):
        assert problem(operator.get("messages/", Accept="text/csv"))["code"] == "not_acceptable"

    def test_rejects_post(self, operator):
        response = operator.post("messages/", {})
        assert problem(response)["code"] == "method_not_allowed"
        assert response.headers["Allow"] == "GET, HEAD, OPTIONS"

    def test_runs_the_same_number_of_queries_for_any_page(self, operator, django_assert_max_num_queries):
        for _ in range(60):
            make_message(state="FAILED", failed_desc="x")
        with django_assert_max_num_queries(7):  # the caller's limit is one of them
            operator.get("messages/")


class TestMessageCountView:
    def test_counts_exactly_on_request(self, operator):
        make_message(state="FAILED")
        make_message(state="CANCEL")
        make_message()
        body = operator.get("messages/count/?state=FAILED,CANCEL&exact=true").json()
        assert body == {"count": 2, "exact": True}

    def test_estimates_otherwise(self, operator):
        body = operator.get("messages/count/?object_id=1").json()
        assert body["exact"] is False
        assert isinstance(body["count"], int)

    @pytest.mark.parametrize("query", ["exact=yes", "exact=", "ordering=msg_id", "page_size=5", "cursor=x"])
    def test_rejects_the_parameters_of_the_list(self, operator, query):
        assert problem(operator.get(f"messages/count/?{query}"))["status"] == 400


class TestMessageView:
    def test_returns_every_column_except_the_texts(self, operator):
        message = make_message(state="FAILED", failed_desc="Timeout\nat line 7", custom_data="c")
        body = operator.get(f"messages/{message.msg_id}/").json()
        columns = {field.name for field in Message._meta.concrete_fields} - {"payload", "envelope"}
        assert set(body) == columns | {
            *("archived", "archived_to", "allowed_actions", "resent_from", "resent_as")
        }
        assert body["failed_desc"] == "Timeout\nat line 7"
        assert (body["archived"], body["allowed_actions"]) == (False, ["restart"])

    def test_returns_an_archived_message_without_actions(self, operator):
        message = make_archived_message(state="FAILED")
        body = operator.get(f"messages/{message.msg_id}/").json()
        assert (body["archived"], body["allowed_actions"]) == (True, [])

    @pytest.mark.parametrize("text", NO_IDS)
    def test_finds_nothing_under_an_invalid_id(self, operator, text):
        make_message(msg_id=1)
        make_message(msg_id=10)
        assert problem(operator.get(f"messages/{text}/"))["code"] == "not_found"

    def test_finds_nothing_under_an_unknown_id(self, operator):
        assert problem(operator.get("messages/777/"))["detail"] == "No message has the id 777."

    @pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "FOO"])
    def test_rejects_other_methods(self, operator, method):
        message = make_message()
        response = operator.send(method, f"messages/{message.msg_id}/", b'{"state": "OK"}')
        assert problem(response)["code"] == "method_not_allowed"
        message.refresh_from_db()
        assert message.state == MessageState.NEW

    def test_rejects_other_methods_with_unknown_parameters(self, operator):
        assert problem(operator.send("TRACE", "messages/5/?zzz="))["code"] == "method_not_allowed"

    def test_ignores_a_method_override(self, operator):
        message = make_message()
        response = operator.send(
            "POST", f"messages/{message.msg_id}/", b"{}", HTTP_X_HTTP_METHOD_OVERRIDE="DELETE"
        )
        assert response.status_code == 405
        assert Message.objects.filter(pk=message.pk).exists()
