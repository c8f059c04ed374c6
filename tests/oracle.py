"""
The check that nothing is lost, doubled, altered or torn while rows move between live tables and archive.

It shares no code with what it watches: it compares every row, by its key and the hash of all its columns.
"""

from dataclasses import dataclass, field

from django.db import connection

KEYS = {
    "message": "msg_id",
    "external_call": "call_id",
    "request": "req_id",
    "response": "res_id",
    "funnel": "funnel_id",
}

# Rows of one family in two places, by the link that was cut: each query has a row per torn link.
TORN = {
    "call without its message": (
        "SELECT call_id FROM {p}external_call c WHERE NOT EXISTS"
        " (SELECT FROM {p}message m WHERE m.msg_id = c.msg_id)"
    ),
    "funnel value without its message": (
        "SELECT funnel_id FROM {p}funnel f WHERE NOT EXISTS"
        " (SELECT FROM {p}message m WHERE m.msg_id = f.msg_id)"
    ),
    "request without its message": (
        "SELECT req_id FROM {p}request q WHERE q.msg_id IS NOT NULL AND NOT EXISTS"
        " (SELECT FROM {p}message m WHERE m.msg_id = q.msg_id)"
    ),
    "response without its request": (
        "SELECT res_id FROM {p}response r WHERE r.req_id IS NOT NULL AND NOT EXISTS"
        " (SELECT FROM {p}request q WHERE q.req_id = r.req_id)"
    ),
    "response apart from its message": (
        "SELECT res_id FROM {p}response r JOIN {o}message m ON m.msg_id = r.msg_id WHERE r.req_id IS NULL"
    ),
    "child apart from its parent": (
        "SELECT c.msg_id FROM {p}message c JOIN {o}message m ON m.msg_id = c.parent_msg_id"
    ),
}


@dataclass(frozen=True)
class Verdict:
    """Keys (table, id) of rows that were wronged; empty lists all over mean that all is well."""

    lost: list = field(default_factory=list)
    doubled: list = field(default_factory=list)
    unexpected: list = field(default_factory=list)
    altered: list = field(default_factory=list)
    torn: list = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not (self.lost or self.doubled or self.unexpected or self.altered or self.torn)


class Oracle:
    """Remembers every hub row, live and archived, as it is when this is made."""

    def __init__(self) -> None:
        self.before = {key: hashes[0][1] for key, hashes in _rows().items()}

    def verdict(self) -> Verdict:
        """Compare now with then, in one snapshot."""
        with connection.cursor() as cursor:
            cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try:
                now, torn = _rows(), _torn()
            finally:
                cursor.execute("ROLLBACK")
        return Verdict(
            lost=sorted(set(self.before) - set(now)),
            doubled=sorted(key for key, hashes in now.items() if len(hashes) > 1),
            unexpected=sorted(set(now) - set(self.before)),
            altered=sorted(
                key for key, hashes in now.items() if key in self.before and hashes[0][1] != self.before[key]
            ),
            torn=torn,
        )


def places(table: str) -> tuple[set[int], set[int]]:
    """Return the ids of the table's live and archived rows."""
    now = {key: [place for place, _ in hashes] for key, hashes in _rows().items() if key[0] == table}
    return (
        {key for (_, key), found in now.items() if "live" in found},
        {key for (_, key), found in now.items() if "archive" in found},
    )


def _rows() -> dict[tuple[str, int], list[tuple[str, str]]]:
    """Return (place, hash) of every row, by table and key."""
    rows: dict[tuple[str, int], list[tuple[str, str]]] = {}
    with connection.cursor() as cursor:
        for table, key in KEYS.items():
            for place, prefix in (("live", ""), ("archive", "archive_")):
                cursor.execute(f"SELECT {key}, md5(to_jsonb(t)::text) FROM {prefix}{table} t")
                for row_id, digest in cursor:
                    rows.setdefault((table, row_id), []).append((place, digest))
    return rows


def _torn() -> list[tuple[str, int]]:
    torn = []
    with connection.cursor() as cursor:
        for link, query in TORN.items():
            for prefix, other in (("", "archive_"), ("archive_", "")):
                cursor.execute(query.format(p=prefix, o=other))
                torn += [(link, row[0]) for row in cursor]
    return torn
