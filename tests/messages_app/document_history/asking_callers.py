"""
Callers in a process of their own, for tests that kill it: LOG DOCUMENTS THREADS.

Every thread asks about the same documents in the same order. A caller that gets New writes it to LOG,
and completes every second document: the others stay as if their process had died over them.
"""

import os
import sys
import threading

import django


def main(log: str, documents: int, threads: int) -> None:
    django.setup()
    # One write each, whole even where the process dies after it.
    out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    callers = [threading.Thread(target=_ask_all, args=(out, documents)) for _ in range(threads)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()


def _ask_all(out: int, documents: int) -> None:
    from messages_app.document_history.services.complete import complete_patiently
    from messages_app.document_history.states import Verdict

    for number in range(documents):
        uuid = f"u-{number}"
        checked = _ask(uuid)
        if checked.verdict is not Verdict.NEW:
            continue
        os.write(out, f"{uuid}\n".encode())
        if number % 2:
            complete_patiently(trigger_id="t-1", uuid=uuid, token=checked.token, tries=8, pause=0.1)


def _ask(uuid: str):
    from messages_app.document_history.services.check import check_document
    from messages_app.document_history.services.errors import HistoryUnavailable

    while True:
        try:
            return check_document(trigger_id="t-1", uuid=uuid, redelivery_count=0)
        except HistoryUnavailable:
            threading.Event().wait(0.05)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
