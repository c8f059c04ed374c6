import gzip
import json
from collections.abc import Iterator
from io import StringIO

import pytest
import yaml
from django.core.management import call_command
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from messages_app.messages.filters.message_filter import FILTERS
from tests.support.api_client import BASE, caller, problem
from tests.support.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def schema() -> dict:
    response = caller("support").get("schema/", Accept="application/vnd.oai.openapi+json")
    return json.loads(response.content)


def list_parts(part: object) -> Iterator[dict]:
    """Yield every object of a description, at any depth."""
    if isinstance(part, dict):
        yield part
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from list_parts(each)


def has_doubled_type(part: dict) -> bool:
    types = part.get("type")
    return (
        isinstance(types, list) and all(isinstance(one, str) for one in types) and len({*types}) < len(types)
    )


class TestSchemaView:
    def test_is_valid_and_complete(self):
        call_command("spectacular", "--validate", "--fail-on-warn", stdout=StringIO())

    def test_is_openapi_3_1(self, schema):
        assert schema["openapi"].startswith("3.1")

    def test_names_each_type_of_a_value_once(self, schema):
        doubled = [part for part in list_parts(schema) if has_doubled_type(part)]
        assert doubled == []

    def test_names_every_filter_of_the_list(self, schema):
        named = {each["name"] for each in schema["paths"]["/api/v1/messages/"]["get"]["parameters"]}
        assert named == {*FILTERS, "cursor", "page_size", "ordering", "fields"}

    def test_has_samples_of_every_call_for_the_requested_server(self, schema):
        for calls in schema["paths"].values():
            for call in calls.values():
                labels = [sample["label"] for sample in call["x-codeSamples"]]
                assert labels[:2] == ["curl", "Python"]
                assert labels[2:] == (["hubconsole-client"] if "x-client-name" in call else [])
        (curl, *_) = schema["paths"]["/api/v1/alerts/"]["get"]["x-codeSamples"]
        assert curl["source"].startswith("curl -sS --fail-with-body 'http://testserver/api/v1/alerts/'")

    def test_lists_the_codes_of_errors(self, schema):
        for name in ("Problem", "FieldError"):
            code = schema["components"]["schemas"][name]["properties"]["code"]
            assert code["anyOf"] == [{"$ref": "#/components/schemas/ProblemCode"}, {"type": "string"}]
        codes = schema["components"]["schemas"]["ProblemCode"]["enum"]
        assert {"state_conflict", "unknown_parameter"} <= set(codes)
        assert len(codes) == len(set(codes))

    def test_describes_every_error_as_a_problem(self, schema):
        for path, calls in schema["paths"].items():
            for method, call in calls.items():
                refusals = {status: each for status, each in call["responses"].items() if status >= "400"}
                assert {"400", "401", "403", "503"} <= set(refusals), (method, path)
                assert all(set(each["content"]) == {"application/problem+json"} for each in refusals.values())

    def test_explains_why_a_session_reads_masked(self, schema):
        assert "[Show values](/reveal/?next=/api/v1/docs/)" in schema["info"]["description"]
        assert "masked" in schema["components"]["securitySchemes"]["session"]["description"]
        for name in ("Content", "Data"):
            told = schema["components"]["schemas"][name]["properties"]["masked"]["description"]
            assert "in a session, a reason" in told
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

    def test_lists_the_codes_of_jobs(self, schema):
        found = schema["components"]["schemas"]
        assert set(found["JobState"]["enum"]) == {
            *("planning", "planned", "queued", "running", "paused", "stopping", "done", "failed", "stopped")
        }
        assert {"restart", "cancel", "archive", "restore", "reprocess", "export"} <= set(
            found["JobKind"]["enum"]
        )
        assert found["OutcomeKind"]["enum"] == ["done", "skipped", "failed"]
        assert found["Job"]["properties"]["state"] == {"$ref": "#/components/schemas/JobState"}

    def test_leaves_enumerations_open_if_others_write_them(self, schema):
        found = schema["components"]["schemas"]
        for name, column, codes in [
            ("Message", "state", "MessageState"),
            ("MessageInList", "state", "MessageState"),
            ("TreeNode", "state", "MessageState"),
            ("ExternalCall", "state", "ExternalCallState"),
            ("Job", "kind", "JobKind"),
            ("JobItem", "old_state", "MessageState"),
            ("StoreMessage", "status_name", "StoreStatusName"),
        ]:
            choices = found[name]["properties"][column]["anyOf"]
            assert choices == [{"$ref": f"#/components/schemas/{codes}"}, {"type": "string"}], (name, column)
        for name in ("Message", "TreeNode"):
            assert found[name]["properties"]["parent_binding_type"]["anyOf"] == [
                {"$ref": "#/components/schemas/ParentBinding"},
                {"type": "string"},
                {"type": "null"},
            ]

    def test_types_the_parameters_and_report_of_a_job(self, schema):
        found = schema["components"]["schemas"]
        asked, told = (found[name]["properties"] for name in ("NewJobRequest", "Job"))
        for part in ("filter", "options"):
            assert asked[part]["additionalProperties"] is False
        assert {*FILTERS, "status", "source_entity"} <= set(asked["filter"]["properties"])
        assert set(asked["options"]["properties"]) == {
            *("older_than_months", "to", "total", "also_resent", "rate", "canary", "stop_at_failure_rate"),
            *("refresh_entities", "format", "payload", "compare_with", "definition_id"),
            *("find", "replace", "path", "value", "cancel_original"),
        }
        assert asked["options"]["properties"]["format"]["enum"] == ["csv", "jsonl", "parquet"]
        file = told["report"]["properties"]["files"]["items"]["properties"]
        assert {"sha256", "rows", "bytes", "download"} <= set(file)

    def test_describes_the_files_of_a_download(self, schema):
        answer = schema["paths"]["/api/v1/jobs/{job_id}/download/"]["get"]["responses"]["200"]
        assert list(answer["content"]) == [
            "text/csv",
            "application/x-ndjson",
            "application/vnd.apache.parquet",
        ]

    def test_gives_every_answer_except_errors_a_schema(self, schema):
        for path, calls in schema["paths"].items():
            for method, call in calls.items():
                for status, answer in call["responses"].items():
                    assert answer.get("content") or status == "304", (method, path, status)

    def test_names_the_server_and_the_headers_of_answers(self, schema):
        assert schema["servers"] == [{"url": "http://testserver"}]
        assert {"RateLimit", "RateLimit-Policy", "Location", "ETag"} <= set(schema["components"]["headers"])
        job, message = schema["paths"]["/api/v1/jobs/"], schema["paths"]["/api/v1/messages/{msg_id}/"]
        assert "Location" in job["post"]["responses"]["202"]["headers"]
        assert "ETag" in message["get"]["responses"]["200"]["headers"]
        for status, answer in message["get"]["responses"].items():
            assert {"RateLimit", "RateLimit-Policy"} <= set(answer["headers"]), status

    @pytest.mark.parametrize(
        ("query", "kind"),
        [
            ("?format=json", "application/json"),
            pytest.param("?format=yaml", "application/yaml", marks=pytest.mark.slow),
        ],
    )
    def test_has_the_requested_format(self, query, kind):
        response = caller("support").get(f"schema/{query}", Accept="text/html")
        assert (response.status_code, response.headers["Content-Type"].split(";")[0]) == (200, kind)
        read = json.loads if kind.endswith("json") else yaml.safe_load
        assert read(response.content)["openapi"].startswith("3.1")

    def test_is_sent_compressed(self):
        user = caller("support")
        response = user.get("schema/?format=json", **{"Accept-Encoding": "gzip"})
        assert response.headers["Content-Encoding"] == "gzip"
        assert len(response.content) < 150_000
        assert json.loads(gzip.decompress(response.content))["openapi"].startswith("3.1")
        assert "Accept-Encoding" in response.headers["Vary"]
        assert "Content-Encoding" not in user.get("schema/?format=json").headers

    def test_is_not_sent_again_to_a_reader_who_has_it(self):
        user = caller("support")
        for encoding in ("gzip", "identity"):
            first = user.get("schema/?format=json", **{"Accept-Encoding": encoding})
            tag = {"If-None-Match": first.headers["ETag"], "Accept-Encoding": encoding}
            again = user.get("schema/?format=json", **tag)
            assert (again.status_code, again.content) == (304, b"")
        assert user.get("schema/?format=yaml", **tag).status_code == 200

    def test_is_generated_once_and_names_the_requested_server(self, monkeypatch):
        user = caller("support")
        user.get("schema/")
        monkeypatch.setattr(SchemaGenerator, "get_schema", None)
        for server in ("http://testserver", "https://testserver"):
            address = f"{BASE}schema/?format=json"
            response = user.client.get(address, headers=user.headers, secure=server.startswith("https"))
            assert json.loads(response.content)["servers"] == [{"url": server}]

    def test_describes_each_call(self, schema):
        for path, calls in schema["paths"].items():
            for method, call in calls.items():
                assert 3 < len(call.get("summary", "")) <= 150, (method, path, call.get("summary"))

    @pytest.mark.parametrize("query", ["format=xml", "format=", "format=json&format=yaml", "zzz=1"])
    def test_refuses_another_format(self, query):
        body = problem(caller("support").get(f"schema/?{query}"))
        assert (body["status"], body["errors"][0]["field"]) == (400, query.partition("=")[0])


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
        assert b'<a class="c-brand" href="/">' in response.content
        assert b'hx-get="/api-docs/description/"' in response.content
        assert response.content.count(b"<script") == response.content.count(b"<script src=")
        policy = response.headers["Content-Security-Policy"]
        assert "script-src 'self'; style-src 'self';" in policy
        assert "unsafe" not in policy


class TestViewerDescription:
    @pytest.fixture
    def browser(self) -> Client:
        make_user("support")
        browser = Client()
        browser.login(username="ada", password=PASSWORD)
        return browser

    def test_sends_strangers_to_the_login(self):
        response = Client().get("/api-docs/description/")
        assert response.headers["Location"] == "/login/?next=/api-docs/description/"

    def test_has_only_the_sentences_of_refusals_and_no_headers(self, browser):
        schema = browser.get(f"{BASE}schema/?format=json").json()
        response = browser.get("/api-docs/description/")
        assert response.headers["Content-Type"] == "application/json; charset=utf-8"
        shortened = response.json()
        for path, calls in schema["paths"].items():
            for method, call in calls.items():
                for status, answer in call["responses"].items():
                    del answer["headers"]
                    if status[0] in "45":
                        assert answer.pop("content"), (method, path)
        assert shortened == schema

    def test_leaves_the_description_of_the_api_complete(self, browser):
        browser.get("/api-docs/description/")
        answer = browser.get(f"{BASE}schema/?format=json").json()
        call = answer["paths"]["/api/v1/me/"]["get"]["responses"]
        assert "content" in call["401"]
        assert "headers" in call["200"]

    def test_is_not_sent_again_to_a_browser_that_has_it(self, browser):
        first = browser.get("/api-docs/description/", headers={"Accept-Encoding": "gzip"})
        assert json.loads(gzip.decompress(first.content))["openapi"].startswith("3.1")
        condition = {"Accept-Encoding": "gzip", "If-None-Match": first.headers["ETag"]}
        assert browser.get("/api-docs/description/", headers=condition).status_code == 304
