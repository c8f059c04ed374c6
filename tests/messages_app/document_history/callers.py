"""The callers in the tests of the hard cases: the services themselves, and a client of the API."""

from django.http import HttpResponse
from django.test import Client

from messages_app.document_history.api.checks import CheckedSerializer
from messages_app.document_history.api.history import SweepSerializer
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import complete_document
from messages_app.document_history.services.errors import (
    CannotDecide,
    DocumentConflict,
    DocumentNotFound,
    LeaseLost,
)
from messages_app.document_history.services.in_doubt import resubmit_document, settle_document
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.services.triggers import change_trigger, clear_statistics
from tests.support.api_client import BASE, caller
from tests.support.histories import ADA

UNAVAILABLE = {"status": "503"}


class ByServices:
    """Calls the services; answers are shaped as the API's."""

    def check(self, trigger_id: str = "t-1", uuid: str = "u-1", **more: object) -> dict:
        values = {"trigger_id": trigger_id, "uuid": uuid} | more
        values["is_guaranteed"] = values.pop("guaranteed", True)
        try:
            return CheckedSerializer(check_document(**values)).data
        except CannotDecide:
            return UNAVAILABLE

    def complete(self, token: str, *, trigger_id: str = "t-1", uuid: str = "u-1") -> str:
        """Return "completed", or the refusal's code."""
        try:
            complete_document(trigger_id=trigger_id, uuid=uuid, token=token)
        except LeaseLost:
            return "lease_lost"
        except DocumentConflict:
            return "state_conflict"
        except DocumentNotFound:
            return "not_found"
        return "completed"

    def resubmit(self, uuid: str = "u-1") -> dict:
        line = DocumentInDoubt.objects.get(document_uuid=uuid, state="open")
        resubmitted = resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="run it")
        return {"status": "NEW", "token": resubmitted.token}

    def settle(self, uuid: str = "u-1") -> None:
        line = DocumentInDoubt.objects.get(document_uuid=uuid, state="open")
        settle_document(in_doubt_id=line.pk, actor=ADA, reason="it was done manually")

    def sweep(self) -> int:
        return SweepSerializer(sweep_entries()).data["removed"]

    def clear_statistics(self) -> None:
        clear_statistics(actor=ADA)

    def change_trigger(self, trigger_id: str = "t-1", **changes: object) -> None:
        change_trigger(trigger_id=trigger_id, actor=ADA, **changes)


class ByApi:
    """Calls the API as an administrator."""

    def __init__(self) -> None:
        self._client = caller("admin", username="grace")

    def check(self, trigger_id: str = "t-1", uuid: str = "u-1", **more: object) -> dict:
        answer = self._post("check/", {"trigger_id": trigger_id, "uuid": uuid} | more)
        if answer.status_code == 503:
            assert answer.headers["Retry-After"]
            return UNAVAILABLE
        assert answer.status_code == 200, answer.content
        return answer.json()

    def complete(self, token: str, *, trigger_id: str = "t-1", uuid: str = "u-1") -> str:
        answer = self._post("complete/", {"trigger_id": trigger_id, "uuid": uuid, "token": token})
        return answer.json().get("code") or answer.json()["status"]

    def resubmit(self, uuid: str = "u-1") -> dict:
        return self._resolve(uuid, "resubmit")

    def settle(self, uuid: str = "u-1") -> None:
        self._resolve(uuid, "settle")

    def sweep(self) -> int:
        return self._post("sweep/", {}).json()["removed"]

    def clear_statistics(self) -> None:
        assert self._post("statistics/clear/", {}).status_code == 200

    def change_trigger(self, trigger_id: str = "t-1", **changes: object) -> None:
        answer = self._client.client.patch(
            f"{BASE}document-history/triggers/{trigger_id}/",
            changes,
            content_type="application/json",
            headers=self._client.headers,
        )
        assert answer.status_code == 200, answer.content

    def _resolve(self, uuid: str, how: str) -> dict:
        inbox = self._client.get("document-history/in-doubt/?state=open").json()["results"]
        (number,) = (line["in_doubt_id"] for line in inbox if line["document_uuid"] == uuid)
        answer = self._post(f"in-doubt/{number}/{how}/", {"reason": "checked it"})
        assert answer.status_code == 200, answer.content
        return answer.json()

    def _post(self, path: str, body: dict) -> HttpResponse:
        # A client for each call: threads share this object, and a client is for one of them.
        return Client(raise_request_exception=False).post(
            f"{BASE}document-history/{path}",
            body,
            content_type="application/json",
            headers=self._client.headers,
        )
