"""The terminals of the reader: commands run as they are written, in the folder of the clone."""

import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.hubconsole.console import REPOSITORY
from tests.support.eventually import eventually
from tests.tutorial.words import is_shown, split_lines

# Until a console has started, on a busy machine.
_PATIENCE = 900  # s
# A command that has printed its lines and runs longer is one that lasts.
_SECONDS_OF_END = 5


@dataclass
class _Command:
    process: subprocess.Popen
    output: Path
    is_interrupted: bool = False

    def printed(self) -> str:
        return self.output.read_text(errors="replace")

    def missing_of(self, lines: list[str]) -> list[str]:
        printed = split_lines(self.printed())
        return [line for line in lines if not is_shown(line, printed)]


class Terminals:
    """
    Runs one command after the other. A command that lasts, as `make up` does, keeps the first terminal.

    Args:
        folder: for what they print.
        environment: of the commands.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = environment
        self._commands: list[_Command] = []
        # The one whose lines are checked next.
        self._current: _Command | None = None

    def run(self, command: str) -> None:
        """Start a command in a shell."""
        output = self._folder / f"output-{len(self._commands)}"
        with output.open("wb") as file:
            process = subprocess.Popen(
                ["bash", "-c", command],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=REPOSITORY,
                env=self._environment,
                start_new_session=True,
            )
        self._current = _Command(process, output)
        self._commands.append(self._current)

    def check_output(self, words: str) -> None:
        """Wait until a command has printed the lines, and make sure that it lasts or has succeeded."""
        command, lines = self._current, words.splitlines()
        eventually(lambda: command.process.poll() is not None or not command.missing_of(lines), _PATIENCE)
        try:
            status = command.process.wait(timeout=_SECONDS_OF_END)
        except subprocess.TimeoutExpired:
            status = 0
        has_failed = status != 0 and not command.is_interrupted
        assert (command.missing_of(lines), has_failed) == ([], False), command.printed()

    def interrupt(self) -> None:
        """Press Ctrl-C in the first terminal, whose command then ends."""
        self._current = self._commands[0]
        self._current.is_interrupted = True
        os.killpg(self._current.process.pid, signal.SIGINT)
        self._current.process.wait(timeout=_PATIENCE)

    def printed(self) -> str:
        """Return what the first terminal shows."""
        return self._commands[0].printed()

    def end(self) -> None:
        """End what lasts, if the reader did not."""
        for command in self._commands:
            if command.process.poll() is None:
                os.killpg(command.process.pid, signal.SIGKILL)
                command.process.wait()
