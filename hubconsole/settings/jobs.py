"""Settings of Celery, of Spark, and of the jobs that run on both."""

from hubconsole import celery_beat
from hubconsole.environment import decimal_number, one_of, read_text, verify_brokers, whole_number
from hubconsole.settings import stores
from hubconsole.settings.deployment import HUBCONSOLE_HOME, IS_PRODUCTION, PROCESS
from hubconsole.settings.providers import OIDC_PROVIDERS
from hubconsole.settings.stores import STORES
from messages_app.core.embedded_servers import broker_url
from messages_app.core.stores import stores_of
from messages_app.shared.job_states import BulkGuard

CELERY_BROKER_URL = verify_brokers(
    read_text("CELERY_BROKER_URL", values="address") or broker_url(HUBCONSOLE_HOME)
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_ACCEPT_CONTENT = ["json"]
# A stalled job is taken over by the sweeper. The broker never delivers it again.
CELERY_TASK_ACKS_LATE = False
CELERY_TASK_ROUTES = {
    "messages_app.jobs.tasks.run_job": {"queue": "spark"},
    **{task: {"queue": queue} for store in stores_of(STORES) for task, queue in store.queues.items()},
}
CELERY_TASK_DEFAULT_QUEUE = "short"
# Only the worker of jobs loads Spark's client, 50 MB. Its jobs are threads that share a Spark session.
CELERY_IMPORTS = ["messages_app.jobs.engine.warm_up"] if PROCESS == "spark-worker" else []
CELERY_WORKER_POOL = "threads" if PROCESS == "spark-worker" else "prefork"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 1, "socket_timeout": 5}
CELERY_BEAT_SCHEDULER = "hubconsole.beat_scheduler:Scheduler"
CELERY_BEAT_SCHEDULE = celery_beat.make_schedule(stores_of(STORES), vars(stores))

SPARK_REMOTE = read_text("SPARK_REMOTE", values="`sc://host:port`")
SPARK_MASTER = read_text("SPARK_MASTER", values="master of Spark")
SPARK_WARM_UP = one_of("HUBCONSOLE_SPARK_WARM_UP", ("on", "off")) == "on"

# Interval of a running job's heartbeat, and the silence after which it is taken over
# (docs/contributing/spec/promises.md, I-34).
JOB_HEARTBEAT_SECONDS = decimal_number("HUBCONSOLE_JOB_HEARTBEAT_SECONDS", default=10)
JOB_LEASE_SECONDS = decimal_number("HUBCONSOLE_JOB_LEASE_SECONDS", default=60)
JOB_MAX_ATTEMPTS = 5
# Seconds between a test batch and the operator's decision: the hub retries each message three times.
JOB_CANARY_SECONDS = decimal_number("HUBCONSOLE_JOB_CANARY_SECONDS", default=600)
# Delay before a job is retried that found the disk full.
JOB_ROOM_SECONDS = decimal_number("HUBCONSOLE_JOB_ROOM_SECONDS", default=60)
# Time after the end of a cancel or archive job in which it can be undone.
JOB_UNDO_HOURS = whole_number("HUBCONSOLE_JOB_UNDO_HOURS", default=24, least=0)
# Message count from which a job needs more than a permission, and the time it may wait for a second person.
# Users of identity providers have no password to enter.
_GUARD = BulkGuard.SECOND_PERSON if OIDC_PROVIDERS else BulkGuard.PASSWORD
BULK_GUARD = one_of(
    "HUBCONSOLE_BULK_GUARD", tuple(BulkGuard), default=_GUARD if IS_PRODUCTION else BulkGuard.NONE
)
BULK_GUARD_FROM = whole_number("HUBCONSOLE_BULK_GUARD_FROM", default=1000)
BULK_GUARD_HOURS = whole_number("HUBCONSOLE_BULK_GUARD_HOURS", default=8)
# Whether every corrected payload needs the approval of a second person, however few there are.
RESEND_GUARD = one_of("HUBCONSOLE_RESEND_GUARD", (BulkGuard.NONE, BulkGuard.SECOND_PERSON))
# Limits for the unfinished jobs of a user, and for all export files in megabytes.
JOBS_PER_USER = whole_number("HUBCONSOLE_JOBS_PER_USER", default=20)
EXPORT_BYTES = whole_number("HUBCONSOLE_EXPORT_MB", default=20_000) * 10**6
# The file of an export is kept this long (docs/contributing/spec/promises.md, S-60).
EXPORT_DAYS = whole_number("HUBCONSOLE_EXPORT_DAYS", default=1, least=0)
