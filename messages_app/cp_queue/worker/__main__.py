"""
Runs a worker: --queues RENDITION --service ID -- PROGRAM...

The token is read from the file that --token-file names, or from HUBCONSOLE_TOKEN, because other users can see
arguments. Exit status: 0 stopped as asked, 1 the server refuses the worker, 2 bad arguments.
"""

import argparse
import logging
import os
import signal
import sys
from pathlib import Path

from .client import Client, Refused
from .loop import Worker
from .work import TRY_AGAIN, Command, Function

log = logging.getLogger("cp_queue.worker")

_TOKEN = "HUBCONSOLE_TOKEN"  # noqa: S105 (its name)


def run_worker(arguments: list[str]) -> int:
    parser = _make_parser()
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        program = None if options.callable else _program_of_arguments(options)
        client = Client(address=options.url, token=_read_token(options.token_file), service=options.service)
        work = Command(program, grace=options.grace) if program else Function(options.callable, client=client)
    except ValueError as error:
        parser.error(str(error))
    if not options.queues.strip(" ,"):
        parser.error("--queues needs the name of a queue.")
    worker = Worker(client, work, queues=options.queues, longest=options.longest_pause)
    log.info("Worker %s pulls messages of %s from %s.", options.service, options.queues, options.url)

    def stop(*_: object) -> None:
        worker.stop()
        work.stop()

    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, stop)
    try:
        worker.run(most=options.most)
    except Refused as error:
        print(f"worker: the server refused the request: {error}", file=sys.stderr)  # noqa: T201 (a program's own words)
        return 1
    finally:
        client.close()
    return 0


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m {__package__}",
        description="Pull messages from the CP queue, and run a program or a function for each.",
        epilog=f"The program exits with 0 for OK and {TRY_AGAIN} for RETRY; anything else is a failure.",
    )
    parser.add_argument("--queues", required=True, help="queue names, separated by commas")
    parser.add_argument("--service", required=True, help="unique name of this worker")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="address of the console (%(default)s)")
    parser.add_argument("--token-file", type=Path, help=f"file with the API token (default: {_TOKEN})")
    parser.add_argument("--callable", metavar="MODULE:FUNCTION", help="call this instead of a program")
    parser.add_argument(
        "--grace",
        type=float,
        default=30.0,
        help="seconds that the program may continue after a stop signal (%(default)s)",
    )
    parser.add_argument(
        "--longest-pause",
        type=float,
        default=5.0,
        help="maximum seconds between polls without a message (%(default)s)",
    )
    parser.add_argument("--most", type=int, help="stop after this number of messages")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="-- and a program with its arguments")
    return parser


def _program_of_arguments(options: argparse.Namespace) -> list[str]:
    program = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not program:
        raise ValueError("Give a program after --, or a function with --callable.")
    return program


def _read_token(file: Path | None) -> str:
    """Return the token. Raises ValueError: no token is given."""
    try:
        token = (file.read_text() if file else os.environ.get(_TOKEN, "")).strip()
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}.") from None
    if not token or not token.isascii() or not token.isprintable():
        raise ValueError(f"No token: set {_TOKEN}, or give a file with --token-file.")
    return token


if __name__ == "__main__":
    sys.exit(run_worker(sys.argv[1:]))
