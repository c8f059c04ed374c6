"""
The declared list of the settings, in the order and with the headings of the page and of the manual, whose
chapter about them is generated from this list.
"""

from hubconsole.administration.declared.hub import HUB, JOBS
from hubconsole.administration.declared.record import Section
from hubconsole.administration.declared.servers import SERVERS
from hubconsole.administration.declared.stores import (
    ALERTS,
    CP_QUEUE,
    DOCUMENT_HISTORY,
    INCIDENTS,
    MESSAGE_STORE,
)
from hubconsole.administration.declared.web import WEB

SECTIONS = (
    Section(title="Servers and files", settings=SERVERS),
    Section(title="The web", settings=WEB),
    Section(title="The hub", settings=HUB),
    Section(title="Jobs", settings=JOBS),
    Section(title="Document history", settings=DOCUMENT_HISTORY),
    Section(title="Message store", settings=MESSAGE_STORE),
    Section(title="CP queue", settings=CP_QUEUE),
    Section(
        title="Incidents",
        settings=INCIDENTS,
        note="The rule is in [incidents](../how_it_works/incidents.md).",
    ),
    Section(title="Alerts", settings=ALERTS, note="The rules are in [alerts](overview.md#alerts)."),
)
