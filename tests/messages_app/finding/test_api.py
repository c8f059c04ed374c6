import pytest

from tests.support.api_client import caller, problem
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


class TestSearch:
    def test_returns_the_kind_id_title_and_address_of_each_result(self):
        message = make_message(correlation_id="order-1", service_name="orders", operation_name="create")
        answer = caller("support").get("search/?q=order-1")
        assert answer.status_code == 200
        assert answer.json() == {
            "results": [
                {
                    "kind": "correlation_id",
                    "id": "order-1",
                    "title": f"orders · create · {message.pk}",
                    "url": f"/messages/{message.pk}/",
                }
            ]
        }

    @pytest.mark.parametrize(
        ("query", "detail"),
        [
            ("", "q is required."),
            ("?q=", "q must not be empty."),
            ("?q=" + "x" * 201, "q must have at most 200 characters."),
            ("?q=a%00b", "q must not contain NUL."),
        ],
    )
    def test_refuses_impossible_texts(self, query, detail):
        (error,) = problem(caller("support").get(f"search/{query}"))["errors"]
        assert (error["field"], error["message"]) == ("q", detail)

    def test_is_not_for_everyone(self):
        assert caller().get("search/?q=order").status_code == 403
