"""
The client of Hub Console.

    from hubconsole_client import Client

    with Client("https://hub.example.org", token) as hub:
        for message in hub.messages.list(state="FAILED", service_name="billing"):
            print(message["msg_id"], message["failed_error_code"])
        failed = {"state": "FAILED", "service_name": "billing"}
        hub.run_job(kind="restart", filter=failed, reason="billing is back")
"""

from hubconsole_client.async_client import AsyncClient
from hubconsole_client.client import Client
from hubconsole_client.errors import (
    BadInput,
    Busy,
    Conflict,
    Damaged,
    HubConsoleError,
    JobNotDone,
    NotAllowed,
    NotFound,
    NotLoggedIn,
    NotTrusted,
    Refused,
    Unreachable,
)

__all__ = [
    "AsyncClient",
    "BadInput",
    "Busy",
    "Client",
    "Conflict",
    "Damaged",
    "HubConsoleError",
    "JobNotDone",
    "NotAllowed",
    "NotFound",
    "NotLoggedIn",
    "NotTrusted",
    "Refused",
    "Unreachable",
]
