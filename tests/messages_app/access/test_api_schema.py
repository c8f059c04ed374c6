import json

import pytest

from messages_app.access.scopes import SCOPES
from tests.support.api_client import caller

pytestmark = pytest.mark.django_db


class TestScopedSchema:
    def test_reports_the_scope_of_every_call_and_the_permissions_of_each(self):
        answer = caller("support").get("schema/", Accept="application/vnd.oai.openapi+json")
        document = json.loads(answer.content)
        # For anyone with a token: the index, and the caller.
        for address in ("/api/v1/", "/api/v1/me/"):
            ((call,),) = [document["paths"].pop(address).values()]
            assert call["security"] == [{"bearer": []}, {"token": []}, {"session": []}]
        calls = [call for calls in document["paths"].values() for call in calls.values()]
        needed = [call["security"] for call in calls]
        scopes = [scope for each in needed for [scope] in [each[0]["bearer"]]]
        assert [each[1]["token"] for each in needed] == [[scope] for scope in scopes]
        assert len(scopes) == len(calls) > 90
        # required together with another scope
        assert set(scopes) == set(SCOPES) - {"payload:read", "archive:run"}
        assert all(each[2:] == [{"session": []}] for each in needed)
        told = [f"`{scope}`" in call["description"] for scope, call in zip(scopes, calls, strict=True)]
        assert all(told)
        confined = {"queue:consume": 10, "queue:act": 8, "history:use": 5, "history:take": 1}
        texts = [call["description"] for call in calls]
        assert {name: sum(f"`{name}:NAME`" in text for text in texts) for name in confined} == confined
        text = document["components"]["securitySchemes"]["bearer"]["description"]
        assert [name for name in SCOPES if f"`{name}`" not in text] == []
