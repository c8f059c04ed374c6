"""The stores, their settings, and the destinations of alerts about all of them."""

import os
from pathlib import Path

from hubconsole.environment import (
    decimal_number,
    read_flag,
    read_names,
    read_networks,
    read_text,
    read_webhook_secrets,
    whole_number,
)
from hubconsole.settings.deployment import HUBCONSOLE_HOME
from messages_app.message_store.retry_times import Timing

# The only list of the stores. The `registration.py` of each declares its parts of the console.
STORES = [
    "messages_app.messages",
    "messages_app.document_history",
    "messages_app.message_store",
    "messages_app.cp_queue",
    "messages_app.business_keys",
]

# The vendor's suspendAndRetryOnError: a check gives no verdict if it cannot reach the history or its resolver
# fails temporarily. If this is off, such a document is in doubt and acknowledged, and may be lost.
SUSPEND_AND_RETRY_ON_ERROR = read_flag("HUBCONSOLE_SUSPEND_AND_RETRY_ON_ERROR", default=True)
# Modules of the hub's own code that register document resolvers, separated by commas.
DOCUMENT_RESOLVERS = read_names("HUBCONSOLE_RESOLVERS")

# A CP message dispatched with RETRY waits this long, and twice as long each further time, up to a maximum.
# After the maximum of attempts it is parked until someone releases it.
CP_RETRY_SECONDS = decimal_number("HUBCONSOLE_CP_RETRY_SECONDS", default=30)
CP_LONGEST_RETRY_SECONDS = 3600.0
CP_MAX_ATTEMPTS = whole_number("HUBCONSOLE_CP_MAX_ATTEMPTS", default=10, least=0)
# A service that holds messages and has not polled for this long is probably dead.
CP_SILENT_SECONDS = decimal_number("HUBCONSOLE_CP_SILENT_SECONDS", default=300)
# The log of dispatches is kept this long.
CP_LOG_DAYS = whole_number("HUBCONSOLE_CP_LOG_DAYS", default=30, least=0)

# The message store's monitor, by the vendor's properties and their values. Source:
# docs/contributing/spec/message_store.md, "Monitor and retries".
MESSAGE_STORE_QUEUE = whole_number("HUBCONSOLE_STORE_QUEUE", default=10, least=0)
MESSAGE_STORE_THREADS = whole_number("HUBCONSOLE_STORE_THREADS", default=1)
# Number of processes of one worker for these messages, which is also the maximum for administrators.
MESSAGE_STORE_MOST_THREADS = max(16, MESSAGE_STORE_THREADS)
MESSAGE_STORE_PROCESS_TIMEOUT = decimal_number("HUBCONSOLE_STORE_PROCESS_TIMEOUT", default=21_600)
MESSAGE_STORE_TIMING = Timing(
    minimum_delay=decimal_number("HUBCONSOLE_STORE_MINIMUM_DELAY", default=60),
    maximum_delay=decimal_number("HUBCONSOLE_STORE_MAXIMUM_DELAY", default=14_400),
    minimum_delay_multiplier=decimal_number("HUBCONSOLE_STORE_MINIMUM_DELAY_MULTIPLIER", default=10),
    age_exponent=decimal_number("HUBCONSOLE_STORE_AGE_EXPONENT", default=1),
    age_multiplier=decimal_number("HUBCONSOLE_STORE_AGE_MULTIPLIER", default=1),
    message_timeout=decimal_number("HUBCONSOLE_STORE_MESSAGE_TIMEOUT", default=3_456_000),
)
# After this time a worker's loop is continued by a new task.
MESSAGE_STORE_WORK_SECONDS = decimal_number("HUBCONSOLE_STORE_WORK_SECONDS", default=30)
# A message whose attempts died this many times in a row is set aside.
MESSAGE_STORE_ABANDONED_TIMES = 3
# Of the messages to be processed immediately, larger or slower ones wait for the monitor.
MESSAGE_STORE_AT_ONCE_BYTES = 1_000_000
MESSAGE_STORE_AT_ONCE_SECONDS = 10
# The folder of the file store: file_path of a message is relative to it.
MESSAGE_STORE_FILES = Path(
    read_text("HUBCONSOLE_STORE_FILES", values="folder") or HUBCONSOLE_HOME / "store-files"
)
MESSAGE_STORE_FILE_BYTES = 100 * 1024 * 1024
# Modules that register readers and processors: the console's, and the hub's own code, separated by commas.
MESSAGE_STORE_EXTENSIONS = ["messages_app.processors.cp_messages"]
MESSAGE_STORE_EXTENSIONS += read_names("HUBCONSOLE_STORE_EXTENSIONS")

# An incident opens with this many failures, and ends after this many minutes without one. Source:
# docs/how_it_works/incidents.md.
INCIDENT_OPENING = whole_number("HUBCONSOLE_INCIDENT_OPENING", default=5)
INCIDENT_QUIET_MINUTES = whole_number("HUBCONSOLE_INCIDENT_QUIET_MINUTES", default=30, least=0)

# Scan interval of the message store's monitor, by default the vendor's minute. Read here because the
# scheduler needs it.
MESSAGE_STORE_INTERVAL = decimal_number("HUBCONSOLE_STORE_INTERVAL", default=60)

# Source of the objects of CP messages: a class with the methods of cp_queue/objects.py.
CP_OBJECT_SOURCE = read_text(
    "HUBCONSOLE_CP_OBJECT_SOURCE",
    default="messages_app.processors.objects.HubObjects",
    values="name of a class",
)

# The mail server of alerts, and the only hosts (host or host:port) that webhooks may go to.
IS_MAIL_SET_UP = bool(os.environ.get("HUBCONSOLE_SMTP_HOST"))
EMAIL_HOST = read_text("HUBCONSOLE_SMTP_HOST", default="localhost", values="host")
EMAIL_PORT = whole_number("HUBCONSOLE_SMTP_PORT", default=25)
EMAIL_HOST_USER = read_text("HUBCONSOLE_SMTP_USER")
EMAIL_HOST_PASSWORD = read_text("HUBCONSOLE_SMTP_PASSWORD")
EMAIL_USE_TLS = read_flag("HUBCONSOLE_SMTP_TLS")
EMAIL_TIMEOUT = 5
DEFAULT_FROM_EMAIL = read_text("HUBCONSOLE_MAIL_FROM", default="hubconsole@localhost", values="email address")
WEBHOOK_HOSTS = read_names("HUBCONSOLE_WEBHOOK_HOSTS")
# Webhook hosts outside the internet must have an address in one of these networks.
WEBHOOK_NETWORKS = read_networks("HUBCONSOLE_WEBHOOK_NETWORKS")
# The secrets that sign webhooks: one, or two while it is replaced.
WEBHOOK_SECRETS = read_webhook_secrets("HUBCONSOLE_WEBHOOK_SECRET")
