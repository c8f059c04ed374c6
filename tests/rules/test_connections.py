"""
Only known modules open connections by HTTP, sockets or mail, none of them to the hub or its external systems.

The servers of the console itself (database, broker, Spark, object store) are reached by their own libraries.
"""

import ast
from collections.abc import Iterable, Iterator

import pytest

from tests.rules.sources import modules

LIBRARIES = ("requests", "urllib.request", "urllib3", "http.client", "httpx", "aiohttp", "socket", "smtplib")
# Each module, and the other end.
ALLOWED = {
    "hubconsole.devserver.programs": "the pages of this console",
    "hubconsole.gunicorn_config": "its own port",
    "messages_app.access.providers.client": "identity providers",
    "messages_app.access.users.links": "the mail server",
    "messages_app.audit.stream.sending": "the receiver of the audit log",
    "messages_app.audit.stream.syslog": "the receiver of the audit log",
    "messages_app.core.deliveries.causes": "none: it names the errors of others",
    "messages_app.core.deliveries.ssrf_guard": "receivers of webhooks and alerts",
    "messages_app.core.deliveries.webhook_calls": "receivers of webhooks and alerts",
    "messages_app.core.embedded_servers": "the embedded servers",
    "messages_app.cp_queue.worker.client": "the API of this console",
}


def test_only_known_modules_connect_to_others():
    assert {module.name for module in modules() if connects(module.tree)} == set(ALLOWED)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import requests", True),
        ("import urllib.request as web", True),
        ("from urllib import request, parse", True),
        ("def call():\n    from http.client import HTTPConnection", True),
        ("from urllib.parse import urlsplit", False),
        ("import urllib.parse, socketserver", False),
    ],
)
def test_imports_at_any_place_are_found(source, expected):
    assert connects(ast.parse(source)) == expected


def connects(tree: ast.AST) -> bool:
    return any(is_library(name) for node in ast.walk(tree) for name in list_imports(node))


def is_library(name: str) -> bool:
    return any(name == library or name.startswith(f"{library}.") for library in LIBRARIES)


def list_imports(node: ast.AST) -> Iterator[str]:
    names: Iterable[ast.alias] = node.names if isinstance(node, ast.Import | ast.ImportFrom) else ()
    prefix = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    for alias in names:
        yield f"{prefix}{alias.name}"
