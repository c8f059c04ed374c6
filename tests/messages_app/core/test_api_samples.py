import ast
import json
import shlex

import pytest

from messages_app.core.api_docs import describe_api
from messages_app.core.api_samples import SAMPLES, add_samples, write_samples
from messages_app.core.client_names import CLIENT_NAME

SERVER = "https://hub.example.org"
CALLS = [
    (address, method, call)
    for address, calls in describe_api()["paths"].items()
    for method, call in calls.items()
]


CANCEL = {
    "x-client-name": "messages.cancel",
    "parameters": [{"name": "msg_id", "in": "path", "schema": {"type": "string"}}],
    "requestBody": {"content": {"application/json": {"example": {"reason": "sent twice"}}}},
    "responses": {"200": {"content": {"application/json": {"schema": {}, "example": {"msg_id": 5}}}}},
}


def sources(address: str, method: str) -> dict[str, str]:
    call = describe_api()["paths"][f"/api/v1/{address}"][method]
    samples = write_samples(f"/api/v1/{address}", method, call, server=SERVER)
    return {sample["label"]: sample["source"] for sample in samples}


class TestWriteSamples:
    def test_writes_a_call_with_a_body(self):
        curl, python, client = write_samples(
            "/api/v1/messages/{msg_id}/cancel/", "post", CANCEL, server=SERVER
        )
        assert curl["source"] == (
            "curl -sS --fail-with-body -X POST 'https://hub.example.org/api/v1/messages/4711/cancel/' \\\n"
            '  -H "Authorization: Bearer $TOKEN" \\\n'
            "  -H 'Content-Type: application/json' \\\n"
            '  -d \'{\n "reason": "sent twice"\n}\''
        )
        assert python["source"] == (
            "import requests\n\n"
            "answer = requests.post(\n"
            '    "https://hub.example.org/api/v1/messages/4711/cancel/",\n'
            '    headers={"Authorization": f"Bearer {token}"},\n'
            '    json={"reason": "sent twice"},\n'
            "    timeout=30,\n"
            ")\n"
            "answer.raise_for_status()\n"
            "print(answer.json())"
        )
        assert client["source"] == (
            "from hubconsole_client import Client\n\n"
            'hub = Client("https://hub.example.org", token)\n'
            'answer = hub.messages.cancel(4711, reason="sent twice")\n'
            "print(answer)"
        )

    def test_writes_a_list_with_a_filter(self):
        written = sources("messages/", "get")
        assert "/messages/?page_size=50&service_name=billing&state=FAILED'" in written["curl"]
        assert '"service_name": "billing"' in written["Python"]
        assert written["hubconsole-client"] == (
            "from hubconsole_client import Client\n\n"
            'hub = Client("https://hub.example.org", token)\n'
            'for entry in hub.messages.list(page_size=50, service_name="billing", state=["FAILED"]):\n'
            "    print(entry)"
        )

    def test_leaves_out_the_client_for_a_file(self):
        written = sources("jobs/{job_id}/download/", "get")
        assert list(written) == ["curl", "Python"]
        assert written["curl"].startswith("curl -sSf -OJ ")
        assert "write_bytes" in written["Python"]

    @pytest.mark.parametrize(
        ("address", "path"),
        [("jobs/{job_id}/", "jobs/4711/"), ("document-history/triggers/{trigger_id}/", "triggers/shop/")],
    )
    def test_has_an_example_for_each_number_and_the_names_of_the_answer(self, address, path):
        assert all(f"/{path}" in source for source in list(sources(address, "get").values())[:2])

    def test_quotes_the_body_for_a_shell(self):
        content = {"application/json": {"example": {"reason": "ada's"}}}
        call = {"requestBody": {"content": content}, "responses": {}}
        curl, python, *_ = write_samples("/api/v1/x/", "post", call, server=SERVER)
        words = shlex.split(curl["source"])
        assert json.loads(words[words.index("-d") + 1]) == {"reason": "ada's"}
        assert 'json={"reason": "ada\'s"},' in python["source"]

    @pytest.mark.parametrize(("address", "method", "call"), CALLS, ids=lambda part: str(part)[:60])
    def test_writes_every_call_so_that_it_can_be_run(self, address, method, call):
        for sample in write_samples(address, method, call, server=SERVER):
            if sample["lang"] == "Python":
                ast.parse(sample["source"])
            else:
                words = shlex.split(sample["source"].replace("\\\n", " "))
                assert words[0] == "curl"
                assert words[words.index("-H") - 1].startswith(f"{SERVER}/api/v1/")
            assert "{" not in sample["source"].split(SERVER)[1].split()[0]


class TestAddSamples:
    def test_adds_them_to_each_call_of_a_copy(self):
        described = add_samples(describe_api(), server="http://127.0.0.1:8000")
        calls = [call for calls in described["paths"].values() for call in calls.values()]
        assert all({"curl", "Python"} <= {sample["label"] for sample in call[SAMPLES]} for call in calls)
        assert sum(len(call[SAMPLES]) == 3 for call in calls) == sum(CLIENT_NAME in call for call in calls)
        assert "http://127.0.0.1:8000/api/v1/" in calls[0][SAMPLES][0]["source"]
        assert not any(SAMPLES in call for _, _, call in CALLS)
