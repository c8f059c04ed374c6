"""The result of a program or function is the reason of the dispatch."""

import pytest

from messages_app.cp_queue.worker.client import Client, Message, Unreachable
from messages_app.cp_queue.worker.work import Command, Function, TryAgain

MESSAGE = Message(guid="A" * 32, queue="OCR", object_id=71, object_type=82, token="B" * 32)


def give_nothing(message: Message) -> None:
    """Return no reason."""


def give_blank(message: Message) -> str:
    return " \0 "


def give_much(message: Message) -> str:
    return f" {'x' * 1001}"


def give_names(message: Message) -> str:
    return f"{message.queue} {message.object_id}"


def try_later(message: Message) -> str:
    raise TryAgain


def lose_server(message: Message) -> str:
    raise Unreachable("away")


def fail(message: Message) -> str:
    raise LookupError("no file")


def ask(message: Message, client: Client) -> str:
    return client


def ask_if_given(message: Message, client: object = "nobody") -> str:
    return client


class TestFunction:
    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("give_nothing", "OK"),
            ("give_blank", "OK"),
            ("give_much", "x" * 1000),
            ("give_names", "OCR 71"),
            ("try_later", "RETRY"),
            ("lose_server", "RETRY"),
            ("fail", "FAILED: LookupError: no file"),
            ("ask", "the client"),
            ("ask_if_given", "nobody"),
        ],
    )
    def test_gives_the_reason(self, name, reason):
        assert Function(f"{__name__}:{name}", client="the client")(MESSAGE) == reason

    @pytest.mark.parametrize("name", ["", "nowhere:handle", f"{__name__}:nothing", f"{__name__}", ":ask"])
    def test_must_exist(self, name):
        with pytest.raises(ValueError, match="There is no function"):
            Function(name)


class TestCommand:
    @pytest.mark.parametrize(
        ("script", "reason"),
        [
            ("exit 0", "OK"),
            ("exit 75", "RETRY"),
            ("exit 74", "FAILED: exit 74"),
            ("exit 1", "FAILED: exit 1"),
            ("kill -9 $$", "FAILED: signal 9"),
        ],
    )
    def test_gives_the_reason_of_its_exit(self, script, reason):
        assert Command(["/bin/sh", "-c", script], grace=1)(MESSAGE) == reason

    def test_has_the_message_in_its_environment(self, tmp_path):
        names = ("CP_MESSAGE_GUID", "CP_QUEUE_NAME", "CP_OBJECT_ID", "CP_OBJECT_TYPE")
        words = " ".join(f"${name}" for name in names)
        assert Command(["/bin/sh", "-c", f"echo {words} > {tmp_path}/said"], grace=1)(MESSAGE) == "OK"
        assert (tmp_path / "said").read_text() == f"{'A' * 32} OCR 71 82\n"

    def test_that_cannot_run_is_a_failure(self):
        reason = Command(["/nowhere/program"], grace=1)(MESSAGE)
        assert reason == "FAILED: cannot run /nowhere/program: No such file or directory"

    @pytest.mark.parametrize(("seconds", "grace", "reason"), [("0.3", 30, "OK"), ("20", 0.01, "RETRY")])
    def test_is_ended_after_its_grace(self, seconds, grace, reason):
        command = Command(["/bin/sleep", seconds], grace=grace)
        command.stop()
        assert command(MESSAGE) == reason
