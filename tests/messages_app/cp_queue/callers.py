"""The callers in the tests of the hard cases: the services themselves, and a client of the API."""

from django.http import HttpResponse
from django.test import Client

from messages_app.core.problems import Problem
from messages_app.cp_queue.api.vendor import as_problems
from messages_app.cp_queue.services.create import create_messages
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.pickup import get_next
from messages_app.cp_queue.services.reset import reset_message, reset_service
from messages_app.cp_queue.states import FLAGGED_QUEUES
from tests.support.api_client import BASE, caller
from tests.support.queues import ADA


class ByServices:
    """Calls the services; answers are shaped as the API's."""

    def create(self, object_id: int = 5, object_type: int = 65_536, **flags: bool) -> int:
        queues = [queue for flag, queue in FLAGGED_QUEUES.items() if flags.get(flag)]
        return create_messages(object_id=object_id, object_type=object_type, queues=queues)

    def get_next(self, queues: str = "RENDITION", service: str = "W1", **more: bool) -> dict:
        picked = get_next(queues=queues, service=service, wants_token=more.get("WantToken", False))
        if picked is None:
            return {"return_code": 0, "MessageGUID": ""}
        return {
            "return_code": 0,
            "MessageGUID": picked.guid,
            "ObjectID": picked.object_id,
            "ObjectType": picked.object_type,
            "QueueName": picked.queue,
        } | ({"Token": picked.token} if picked.token else {})

    def dispatch(self, guid: str, service: str = "W1", reason: str = "OK", **more: str) -> str:
        """Return the outcome, or the code of the refusal."""
        try:
            with as_problems():
                return dispatch_message(
                    guid=guid, service=service, reason=reason, token=more.get("Token")
                ).outcome
        except Problem as problem:
            return problem.extra.get("refusal") or problem.code

    def reset_service(self, service: str = "W1") -> int:
        return reset_service(service=service, actor=ADA)

    def reset(self, guid: str) -> str:
        return reset_message(guid=guid, actor=ADA)


class ByApi:
    """Calls the API as an operator."""

    def __init__(self) -> None:
        self._client = caller("operator", username="grace")

    def create(self, object_id: int = 5, object_type: int = 65_536, **flags: bool) -> int:
        answer = self.post("create-messages/", {"ObjectID": object_id, "ObjectType": object_type} | flags)
        assert answer.json()["return_code"] == 0
        return answer.json()["created"]

    def get_next(self, queues: str = "RENDITION", service: str = "W1", **more: bool) -> dict:
        answer = self.post("get-next/", {"QueueNames": queues, "ServiceName": service} | more)
        assert answer.status_code == 200, answer.content
        return answer.json()

    def dispatch(self, guid: str, service: str = "W1", reason: str = "OK", **more: str) -> str:
        body = {"MessageGUID": guid, "ServiceName": service, "Reason": reason} | more
        answer = self.post("dispatch/", body).json()
        return answer.get("outcome") or answer.get("refusal") or answer["code"]

    def reset_service(self, service: str = "W1") -> int:
        return self.post("reset-service/", {"ServiceName": service}).json()["released"]

    def reset(self, guid: str) -> str:
        return self.post("reset/", {"MessageGUID": guid}).json()["result"]

    def post(self, path: str, body: dict) -> HttpResponse:
        # A client for each call: threads share this object, and a client is for one of them.
        return Client(raise_request_exception=False).post(
            f"{BASE}cp-queue/{path}",
            body,
            content_type="application/json",
            headers=self._client.headers,
        )
