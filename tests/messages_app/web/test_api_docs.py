import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from messages_app.messages.filtering.filters import FILTERS
from tests.api_client import BASE, caller
from tests.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def schema() -> dict:
    response = caller("support").get("schema/", Accept="application/vnd.oai.openapi+json")
    return json.loads(response.content)


class TestSchemaView:
    def test_is_valid_and_complete(self):
        call_command("spectacular", "--validate", "--fail-on-warn", stdout=StringIO())

    def test_is_openapi_3_1(self, schema):
        assert schema["openapi"].startswith("3.1")

    def test_names_every_filter_of_the_list(self, schema):
        named = {each["name"] for each in schema["paths"]["/api/v1/messages/"]["get"]["parameters"]}
        assert named == {*FILTERS, "cursor", "page_size", "ordering"}

    def test_describes_every_refusal_as_a_problem(self, schema):
        for path, calls in schema["paths"].items():
            for method, call in calls.items():
                refusals = {status: each for status, each in call["responses"].items() if status >= "400"}
                assert {"400", "401", "403", "503"} <= set(refusals), (method, path)
                assert all(set(each["content"]) == {"application/problem+json"} for each in refusals.values())

    def test_says_why_a_session_reads_masked(self, schema):
        assert "[Show values](/reveal/?next=/api/v1/docs/)" in schema["info"]["description"]
        assert "masked" in schema["components"]["securitySchemes"]["session"]["description"]
        for name in ("Content", "Data"):
            told = schema["components"]["schemas"][name]["properties"]["masked"]["description"]
            assert "of a reason" in told
        for place in (
            "messages/{msg_id}/payload",
            "messages/{msg_id}/envelope",
            "message-store/{identifier}/data",
        ):
            assert "`/reveal/`" in schema["paths"][f"/api/v1/{place}/"]["get"]["description"]
        for calls in schema["paths"].values():
            for call in calls.values():
                assert "`reveal_required`" in call["responses"]["403"]["description"]

    def test_lets_every_post_name_an_idempotency_key(self, schema):
        for path, calls in schema["paths"].items():
            if "post" in calls:
                assert "Idempotency-Key" in {each["name"] for each in calls["post"]["parameters"]}, path


class TestDocsPage:
    def test_sends_strangers_to_the_login(self):
        response = Client().get(f"{BASE}docs/")
        assert response.status_code == 302
        assert response.headers["Location"].endswith("/login/?next=/api/v1/docs/")

    def test_shows_the_viewer_without_inline_scripts(self):
        make_user("support")
        client = Client()
        client.login(username="ada", password=PASSWORD)
        response = client.get(f"{BASE}docs/")
        assert response.status_code == 200
        assert b'data-schema="/api/v1/schema/"' in response.content
        assert response.content.count(b"<script") == response.content.count(b"<script src=")
        policy = response.headers["Content-Security-Policy"]
        assert "script-src 'self'; style-src 'self';" in policy
        assert "unsafe" not in policy
