"""The settings of the stores, of incidents and of alerts."""

from hubconsole.administration.declared.record import declare_attribute, declare_limit, declare_secret

DOCUMENT_HISTORY = (
    declare_attribute(
        "HUBCONSOLE_RESOLVERS",
        "DOCUMENT_RESOLVERS",
        meaning=(
            "modules that register [resolvers](../howto/process_documents_exactly_once.md#resolvers); the"
            " same in every process that answers checks"
        ),
    ),
    declare_attribute(
        "HUBCONSOLE_SUSPEND_AND_RETRY_ON_ERROR",
        "SUSPEND_AND_RETRY_ON_ERROR",
        meaning=(
            "whether a trigger is suspended if its history or resolver cannot be reached; `0`: its"
            " documents are in doubt"
        ),
    ),
)
MESSAGE_STORE = (
    declare_limit(
        "HUBCONSOLE_STORE_INTERVAL",
        "interval",
        meaning="seconds between two scans of the monitor",
    ),
    declare_limit(
        "HUBCONSOLE_STORE_QUEUE",
        "queue",
        meaning="messages that may wait in status 3",
    ),
    declare_limit(
        "HUBCONSOLE_STORE_THREADS",
        "threads",
        meaning="loops that process messages, in all workers together",
    ),
    declare_limit(
        "HUBCONSOLE_STORE_PROCESS_TIMEOUT",
        "process_timeout",
        meaning="seconds after which an attempt that has not ended is taken back",
    ),
    declare_limit(
        "HUBCONSOLE_STORE_MINIMUM_DELAY",
        "minimum_delay",
        meaning=(
            "the shortest [wait](../how_it_works/message_store.md#retries) before another attempt, in seconds"
        ),
    ),
    declare_limit(
        "HUBCONSOLE_STORE_MAXIMUM_DELAY",
        "maximum_delay",
        meaning="the longest wait before another attempt, in seconds",
    ),
    declare_limit(
        "HUBCONSOLE_STORE_MINIMUM_DELAY_MULTIPLIER",
        "minimum_delay_multiplier",
        meaning="the wait is at least this many times the duration of the attempt",
    ),
    declare_limit(
        "HUBCONSOLE_STORE_AGE_MULTIPLIER",
        "age_multiplier",
        meaning="the multiplier of this rule: wait = multiplier × age ^ exponent",
    ),
    declare_limit(
        "HUBCONSOLE_STORE_AGE_EXPONENT",
        "age_exponent",
        meaning="the exponent of this rule: wait = multiplier × age ^ exponent",
    ),
    declare_limit(
        "HUBCONSOLE_STORE_MESSAGE_TIMEOUT",
        "message_timeout",
        meaning="seconds for which a message is retried; then its status is 26",
    ),
    declare_attribute(
        "HUBCONSOLE_STORE_WORK_SECONDS",
        "MESSAGE_STORE_WORK_SECONDS",
        meaning="seconds after which the loop of a worker is continued by a new task",
    ),
    declare_attribute(
        "HUBCONSOLE_STORE_FILES",
        "MESSAGE_STORE_FILES",
        meaning="folder that `file_path` is relative to; nothing outside it is read",
        default="`store-files` in `HUBCONSOLE_HOME`",
    ),
    declare_attribute(
        "HUBCONSOLE_STORE_EXTENSIONS",
        "MESSAGE_STORE_EXTENSIONS",
        meaning="modules that register [readers and processors](../howto/extend_the_message_store.md)",
    ),
)
CP_QUEUE = (
    declare_attribute(
        "HUBCONSOLE_CP_RETRY_SECONDS",
        "CP_RETRY_SECONDS",
        meaning="seconds before the second attempt",
    ),
    declare_attribute(
        "HUBCONSOLE_CP_MAX_ATTEMPTS",
        "CP_MAX_ATTEMPTS",
        meaning="number of dispatches with RETRY after which a message is parked",
    ),
    declare_attribute(
        "HUBCONSOLE_CP_SILENT_SECONDS",
        "CP_SILENT_SECONDS",
        meaning="seconds without a poll after which a service that holds messages is probably dead",
    ),
    declare_attribute(
        "HUBCONSOLE_CP_LOG_DAYS",
        "CP_LOG_DAYS",
        meaning="days for which the log of dispatches is kept",
    ),
    declare_attribute(
        "HUBCONSOLE_CP_OBJECT_SOURCE",
        "CP_OBJECT_SOURCE",
        meaning=(
            "class that provides [the object of a"
            " message](../how_it_works/cp_queue.md#the-object-of-a-message)"
        ),
        default="the console's stores",
    ),
)
INCIDENTS = (
    declare_attribute(
        "HUBCONSOLE_INCIDENT_OPENING",
        "INCIDENT_OPENING",
        meaning="number of failures that open an incident",
    ),
    declare_attribute(
        "HUBCONSOLE_INCIDENT_QUIET_MINUTES",
        "INCIDENT_QUIET_MINUTES",
        meaning="minutes without a failure after which an incident ends, if none of its messages waits",
    ),
)
ALERTS = (
    declare_attribute(
        "HUBCONSOLE_SMTP_HOST",
        "EMAIL_HOST",
        meaning="the mail server",
    ),
    declare_attribute(
        "HUBCONSOLE_SMTP_PORT",
        "EMAIL_PORT",
        meaning="the port of the mail server",
    ),
    declare_attribute(
        "HUBCONSOLE_SMTP_USER",
        "EMAIL_HOST_USER",
        meaning="the user at the mail server",
    ),
    declare_secret(
        "HUBCONSOLE_SMTP_PASSWORD",
        meaning="the password of that user",
    ),
    declare_attribute(
        "HUBCONSOLE_SMTP_TLS",
        "EMAIL_USE_TLS",
        meaning="`1`: use STARTTLS",
    ),
    declare_attribute(
        "HUBCONSOLE_MAIL_FROM",
        "DEFAULT_FROM_EMAIL",
        meaning="the sender of mails",
    ),
    declare_attribute(
        "HUBCONSOLE_WEBHOOK_HOSTS",
        "WEBHOOK_HOSTS",
        meaning="allowed hosts of webhooks: `host` or `host:port`",
    ),
    declare_attribute(
        "HUBCONSOLE_WEBHOOK_NETWORKS",
        "WEBHOOK_NETWORKS",
        meaning=(
            "networks and addresses (`10.1.0.0/16,192.0.2.7`) that those hosts may have in addition to the"
            " internet"
        ),
    ),
    declare_secret(
        "HUBCONSOLE_WEBHOOK_SECRET",
        meaning=(
            "`whsec_…`, the secret that [webhooks](../howto/receive_webhooks.md#set-the-secret) are signed"
            " with; two, comma-separated, while it is replaced"
        ),
    ),
)
