"""
Request pages repeatedly in one process and print the answers as JSON: for each address the milliseconds of
each request, and the status and beginning of the last answer.

Run with DJANGO_SETTINGS_MODULE of the product or of stock_settings. This process renders the response, so the
figures include the view, its queries and the markup, but no network.
"""

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus

import django

from hubconsole.preload import warm_up

_BEGINNING = 4_000


def ask_server(questions: Mapping[str, object], *, environment: Mapping[str, str]) -> list[dict]:
    """Run this module in a process of its own, and return the answers."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.probe"],
        input=json.dumps(questions),
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def times_of(answers: Sequence[dict]) -> list[list[float]]:
    """Return the milliseconds of each address. Exits if one of them has no page."""
    for answer in answers:
        if answer["status"] != HTTPStatus.OK:
            raise SystemExit(f"A page answered {answer['status']}: {answer['begins']}")
    return [answer["ms"] for answer in answers]


def answer_input() -> int:
    django.setup()
    warm_up()
    questions = json.loads(sys.stdin.read())
    client = _create_client()
    addresses = questions["addresses"] + [
        _find_deep_page(query, questions["depth"]) for query in questions["deep_queries"]
    ]
    print(json.dumps([_time_address(client, address, questions["rounds"]) for address in addresses]))
    return 0


def _create_client():
    from django.contrib.auth import get_user_model
    from django.test import Client

    user, _ = get_user_model().objects.get_or_create(
        username="bench", defaults={"is_staff": True, "is_superuser": True}
    )
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    return client


def _time_address(client, address: str, rounds: int) -> dict[str, object]:
    """Send the request once without measuring, then `rounds` times."""
    times: list[float] = []
    for number in range(rounds + 1):
        began = time.monotonic()
        response = client.get(address)
        content = response.getvalue() if response.streaming else response.content
        if number:
            times.append(round((time.monotonic() - began) * 1000, 1))
    begins = content[:_BEGINNING].decode(errors="replace")
    return {"ms": times, "status": response.status_code, "begins": begins}


def _find_deep_page(query: str, depth: int) -> str:
    """Return the address of the product's list, `depth` rows from its beginning, or near its end."""
    from django.http import QueryDict

    from messages_app.messages import selectors
    from messages_app.messages.filters import message_filter

    filters, cursor = message_filter.parse_message_filter(QueryDict(query), user=None), None
    for _ in range(depth // 500):
        page = selectors.message_page(filters=filters, ordering="-msg_id", cursor=cursor, page_size=500)
        if page.next_cursor is None:
            break
        cursor = page.next_cursor
    parts = [query, "ordering=-msg_id", f"cursor={cursor}" if cursor else ""]
    return f"/messages/?{'&'.join(filter(None, parts))}"


if __name__ == "__main__":
    sys.exit(answer_input())
