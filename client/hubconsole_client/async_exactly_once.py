"""A decorator that lets a program process each document of a trigger once."""

import functools
import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from hubconsole_client.async_calls import AsyncDocumentHistory
from hubconsole_client.errors import HubConsoleError

log = logging.getLogger("hubconsole_client")

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class AsyncExactlyOnce:
    """
    Each call checks its document, and calls the function only if it is New. Duplicates and documents In Doubt
    give None.

    When the function ends, even with an exception, the document is complete, and later copies are
    Duplicates. If the program is killed in between, a copy is In Doubt, and a person decides. Without a
    decision, because the history cannot be reached or the trigger is suspended, the call raises Busy or
    Unreachable, and the function is not called: deliver the document again later.

    Args:
        trigger: its id.
        uuid: gets the arguments of a call and returns the UUID of the document, a text or uuid.UUID.
    """

    def __init__(self, history: AsyncDocumentHistory, *, trigger: str, uuid: Callable[..., object]) -> None:
        self._history, self._trigger, self._uuid = history, trigger, uuid

    def __call__(
        self, function: Callable[Arguments, Awaitable[Result]]
    ) -> Callable[Arguments, Awaitable[Result | None]]:
        if not inspect.iscoroutinefunction(function):
            raise TypeError(f"{function!r} must be asynchronous, as the client is.")

        @functools.wraps(function)
        async def run_if_new(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result | None:
            document = str(self._uuid(*args, **kwargs))
            if not document:
                raise ValueError("The document has no UUID.")
            checked = await self._history.check(trigger_id=self._trigger, uuid=document)
            if checked["status"] != "NEW":
                log.warning("Document %r of trigger %s: %s.", document, self._trigger, checked["status"])
                return None
            try:
                result = await function(*args, **kwargs)
            except Exception:
                await self._complete_document(document, checked.get("token"))
                raise
            await self._complete_document(document, checked.get("token"))
            return result

        return run_if_new

    async def _complete_document(self, document: str, token: str | None) -> None:
        """Complete a document. A failure is logged, because the function has run: a copy will be In Doubt."""
        if token is None:
            return
        try:
            await self._history.complete(trigger_id=self._trigger, uuid=document, token=token)
        except HubConsoleError as error:
            log.error("Document %r of trigger %s could not be completed: %s", document, self._trigger, error)
