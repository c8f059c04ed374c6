import gzip
import json

import pytest
from django.test import Client

from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_messages
from tests.support.page_client import reader_of

pytestmark = pytest.mark.django_db

GZIP = {"Accept-Encoding": "gzip, deflate"}


@pytest.fixture
def support() -> ApiClient:
    return caller("support")


class TestAnswers:
    def test_to_a_token_are_compressed(self, support):
        make_messages(500)
        plain = support.get("messages/?page_size=500")
        zipped = support.get("messages/?page_size=500", **GZIP)
        assert zipped.headers["Content-Encoding"] == "gzip"
        assert json.loads(gzip.decompress(zipped.content)) == plain.json()
        assert int(zipped.headers["Content-Length"]) == len(zipped.content)
        assert len(zipped.content) * 5 < len(plain.content)
        assert "Content-Encoding" not in plain.headers

    def test_are_kept_apart_in_caches(self, support):
        make_messages(10)
        for headers in ({}, GZIP):
            assert "Accept-Encoding" in support.get("messages/", **headers).headers["Vary"]

    @pytest.mark.parametrize("accepted", ["identity", "br", "gzip;q=0", "gzip; q=0.0, br", ""])
    def test_to_others_are_not(self, support, accepted):
        make_messages(10)
        answer = support.get("messages/", **{"Accept-Encoding": accepted})
        assert "Content-Encoding" not in answer.headers
        assert len(answer.json()["results"]) == 10

    def test_to_a_session_are_not_because_their_size_would_reveal_secrets(self):
        make_messages(10)
        browser = reader_of("support")
        for address in ("/api/v1/messages/", "/messages/", "/api/v1/docs/", "/login/"):
            answer = browser.get(address, headers=GZIP)
            assert (answer.status_code in {200, 302}, "Content-Encoding" in answer.headers) == (True, False)

    def test_to_a_browser_with_a_wrong_token_are_not(self):
        answer = Client().get("/api/v1/messages/", headers=GZIP | {"Authorization": "Bearer hubc_x"})
        assert "Content-Encoding" not in answer.headers
        assert problem(answer)["status"] == 401

    def test_have_the_entity_tag_that_a_change_accepts(self, support):
        make_messages(1)
        operator = caller("operator", username="bo")
        [row] = operator.get("messages/").json()["results"]
        tag = operator.get(f"messages/{row['msg_id']}/", **GZIP).headers["ETag"]
        assert tag == operator.get(f"messages/{row['msg_id']}/").headers["ETag"]
        same = operator.get(f"messages/{row['msg_id']}/", **GZIP, **{"If-None-Match": tag})
        assert (same.status_code, same.content) == (304, b"")

    def test_that_are_problems_are_compressed_too(self, support):
        answer = support.get(f"messages/?{'x' * 300}=1", **GZIP)
        assert answer.headers["Content-Encoding"] == "gzip"
        assert json.loads(gzip.decompress(answer.content))["code"] == "unknown_parameter"
