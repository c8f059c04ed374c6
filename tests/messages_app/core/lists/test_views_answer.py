"""Lists as pages, for the example of the CP queue's messages."""

import pytest

from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db
LIST = "/cp-queue/messages/"


class TestAnswerList:
    def test_omits_empty_parameters_of_an_address(self):
        answer = client_of("support").get(LIST, {"queuename": "", "osid": "5"})
        assert (answer.status_code, answer.url) == (302, f"{LIST}?osid=5")

    def test_shows_errors_next_to_their_field(self):
        answer = client_of("support").get(LIST, {"osid": "five"})
        assert answer.status_code == 400
        assert "e-osid" in text_of(answer)

    def test_refuses_a_cursor_of_another_list(self):
        assert client_of("support").get(LIST, {"cursor": "nonsense"}).status_code == 400
