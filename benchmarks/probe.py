"""
Request pages repeatedly in one process and print the times as JSON: a list of milliseconds for each address.

Run with DJANGO_SETTINGS_MODULE of the product or of stock_settings. This process renders the response, so the
figures include the view, its queries and the markup, but no network.
"""

import json
import sys
import time

import django

from hubconsole.preload import warm_up


def main() -> int:
    django.setup()
    warm_up()
    asked = json.loads(sys.stdin.read())
    client = _client()
    addresses = asked["addresses"] + [_deep(query, asked["depth"]) for query in asked["deep_queries"]]
    print(json.dumps([_times(client, address, asked["rounds"]) for address in addresses]))
    return 0


def _client():
    from django.contrib.auth import get_user_model
    from django.test import Client

    user, _ = get_user_model().objects.get_or_create(
        username="bench", defaults={"is_staff": True, "is_superuser": True}
    )
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    return client


def _times(client, address: str, rounds: int) -> list[float]:
    """Send the request once without measuring, then `rounds` times."""
    found = []
    for number in range(rounds + 1):
        began = time.monotonic()
        response = client.get(address)
        if response.status_code != 200:
            raise SystemExit(f"{address} answered {response.status_code}")
        len(response.content)
        if number:
            found.append(round((time.monotonic() - began) * 1000, 1))
    return found


def _deep(query: str, depth: int) -> str:
    """Return the address of the product's list, `depth` rows from its beginning, or near its end."""
    from django.http import QueryDict

    from messages_app.messages import selectors
    from messages_app.messages.filters import filters

    wanted, cursor = filters.parse(QueryDict(query), user=None), None
    for _ in range(depth // 500):
        page = selectors.message_page(filters=wanted, ordering="-msg_id", cursor=cursor, page_size=500)
        if page.next_cursor is None:
            break
        cursor = page.next_cursor
    parts = [query, "ordering=-msg_id", f"cursor={cursor}" if cursor else ""]
    return f"/messages/?{'&'.join(filter(None, parts))}"


if __name__ == "__main__":
    sys.exit(main())
