"""
The work on a message: a command or a function, whose result is the reason of the dispatch.

A command finds the message in its environment: CP_MESSAGE_GUID, CP_QUEUE_NAME, CP_OBJECT_ID, CP_OBJECT_TYPE.
It exits with 0 for OK, with 75 (a failure that passes, in sysexits.h) for RETRY; anything else is a failure.
"""

import importlib
import inspect
import os
import subprocess
import threading
from collections.abc import Callable, Sequence

from .client import Client, Message, Unreachable

OK, RETRY = "OK", "RETRY"
TRY_AGAIN = 75
_MAX_REASON = 1000
_BY_PLACE = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}

Work = Callable[[Message], str]


class TryAgain(Exception):
    """Raised by a function that wants to be called again for this message later."""


class Command:
    """
    Runs a program for each message.

    Args:
        program: it and its arguments.
        grace: seconds that it may continue after the worker was asked to stop; then it is ended, and its
            message is retried.
    """

    def __init__(self, program: Sequence[str], *, grace: float) -> None:
        self._program = list(program)
        self._grace = grace
        self._stopping = threading.Event()

    def __call__(self, message: Message) -> str:
        try:
            # In its own session, so that only the worker gets an interrupt at the terminal.
            process = subprocess.Popen(  # noqa: S603 (the caller's own program)
                self._program, env=os.environ | _environment_of_message(message), start_new_session=True
            )
        except OSError as error:
            return f"FAILED: cannot run {self._program[0]}: {error.strerror}"[:_MAX_REASON]
        return self._make_reason(*self._wait(process))

    def stop(self) -> None:
        """Let a program that runs end within its grace. Safe to call from a signal handler."""
        self._stopping.set()

    def _wait(self, process: subprocess.Popen) -> tuple[int, bool]:
        """Return the exit status, and whether the program had to be ended."""
        patience = None
        while True:
            try:
                return process.wait(timeout=0.2 if patience is None else patience), False
            except subprocess.TimeoutExpired:
                if patience is not None:
                    break
            if self._stopping.is_set():
                patience = self._grace
        process.terminate()
        try:
            return process.wait(timeout=5), True
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait(), True

    @staticmethod
    def _make_reason(status: int, was_ended: bool) -> str:
        if was_ended or status == TRY_AGAIN:
            return RETRY
        if status == 0:
            return OK
        return f"FAILED: signal {-status}" if status < 0 else f"FAILED: exit {status}"


class Function:
    """
    Calls a function with each message.

    It returns a reason, or None for OK; TryAgain and a server that cannot be reached are RETRY, any other
    exception a failure. One with a second parameter is given the client, with which it asks for the object.

    Args:
        name: module:function.

    Raises:
        ValueError: there is no such function.
    """

    def __init__(self, name: str, *, client: Client | None = None) -> None:
        module, _, function = name.partition(":")
        try:
            self._function = getattr(importlib.import_module(module), function)
        except (ImportError, AttributeError, ValueError, TypeError) as error:
            raise ValueError(f"There is no function {name!r}: {error}") from None
        self._more = [client] if _has_client_parameter(self._function) else []

    def __call__(self, message: Message) -> str:
        try:
            return _clean_reason(str(self._function(message, *self._more) or OK))
        except (TryAgain, Unreachable):
            return RETRY
        except Exception as error:
            return _clean_reason(f"FAILED: {type(error).__name__}: {error}")

    def stop(self) -> None:
        """Do nothing, because a running function cannot be ended."""


def _has_client_parameter(function: Callable[..., object]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a function without a readable signature
        return False
    required = [one for one in parameters if one.default is one.empty and one.kind in _BY_PLACE]
    return len(required) == 2


def _clean_reason(reason: str) -> str:
    """Return the reason in the form that the server accepts."""
    text = reason.encode("utf-8", "replace").decode().replace("\0", "").strip()
    return text[:_MAX_REASON] or OK


def _environment_of_message(message: Message) -> dict[str, str]:
    return {
        "CP_MESSAGE_GUID": message.guid,
        "CP_QUEUE_NAME": message.queue,
        "CP_OBJECT_ID": str(message.object_id),
        "CP_OBJECT_TYPE": str(message.object_type),
    }
