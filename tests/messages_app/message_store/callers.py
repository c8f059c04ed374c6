"""The callers in the tests of the hard cases: the services, and a client of the API."""

from django.test import Client

from messages_app.message_store import selectors
from messages_app.message_store.errors import InvalidInput, StatusConflict
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.intake import read_message, store_message
from messages_app.message_store.services.messages import release_message, reprocess_message, retry_now
from tests.support.api_client import BASE, caller
from tests.support.stores import ADA


class ByServices:
    """Calls the services; answers are shaped as the API's."""

    def send(self, **values: object) -> dict:
        """Send a message object; the answer's `refused` is the field at fault."""
        try:
            message = read_message(values)
            stored = store_message(message, actor=ADA)
        except InvalidInput as error:
            return {"refused": error.field}
        if message.process and not stored.is_dropped:
            process_message(stored.identifier)
        return self.look(stored.identifier) | {"dropped": stored.is_dropped}

    def look(self, identifier: str) -> dict:
        found = selectors.message_of(identifier)
        if found is None:
            return {"status": 404}
        error = found.process.error_message if found.process else None
        return {"message_identifier": identifier, "status": found.status, "error_message": error}

    def reprocess(self, identifier: str, confirm_refresh: str | None = None) -> int | str:
        """Return the status after it, or what was wrong."""
        try:
            return reprocess_message(
                identifier=identifier, actor=ADA, reason="again", confirmed_entity=confirm_refresh
            ).status
        except StatusConflict:
            return "state_conflict"
        except InvalidInput as error:
            return error.field

    def retry_now(self, identifier: str) -> int | str:
        try:
            return retry_now(identifier=identifier, actor=ADA, reason="it is there").status
        except StatusConflict:
            return "state_conflict"

    def release(self, identifier: str, *, worker_is_dead: bool = False) -> int | str:
        try:
            return release_message(
                identifier=identifier, actor=ADA, reason="stuck", is_worker_dead=worker_is_dead
            ).status
        except StatusConflict:
            return "state_conflict"


class ByApi:
    """Calls the API as an administrator."""

    def __init__(self) -> None:
        self._client = caller("admin", username="grace")

    def send(self, **values: object) -> dict:
        answer = self._post("", values)
        if answer.status_code == 400:
            return {"refused": answer.json()["errors"][0]["field"]}
        assert answer.status_code in (200, 201), answer.content
        assert answer.json()["dropped"] == (answer.status_code == 200)
        return answer.json()

    def look(self, identifier: str) -> dict:
        return self._client.get(f"message-store/{identifier}/").json()

    def reprocess(self, identifier: str, confirm_refresh: str | None = None) -> int | str:
        return self._act(identifier, "reprocess", confirm_refresh=confirm_refresh)

    def retry_now(self, identifier: str) -> int | str:
        return self._act(identifier, "retry-now")

    def release(self, identifier: str, *, worker_is_dead: bool = False) -> int | str:
        return self._act(identifier, "release", worker_is_dead=worker_is_dead)

    def _act(self, identifier: str, what: str, **values: object) -> int | str:
        answer = self._post(f"{identifier}/{what}/", {"reason": "checked it"} | values).json()
        if answer.get("errors"):
            return answer["errors"][0]["field"]
        return answer.get("code") or answer["status"]

    def _post(self, path: str, body: dict):
        # A client for each call: threads share this object, and a client is for one of them.
        return Client(raise_request_exception=False).post(
            f"{BASE}message-store/{path}", body, content_type="application/json", headers=self._client.headers
        )
