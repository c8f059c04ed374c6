"""Settings: one file, every deploy value from the environment (README lists them), the rest fixed here."""

import os
from pathlib import Path

from hubconsole import celery_beat, drf, embedded, log_lines
from hubconsole.environment import (  # noqa: F401
    HUB_FAILED_REST_SECONDS,
    HUB_POLL_SECONDS,
    HUB_POSTPONED_REST_SECONDS,
    database,
    file_mask,
    flag,
    kept_secret_key,
    minutes_or_off,
    names,
    networks,
    one_of,
    stop,
    whole_number,
)
from messages_app.core.stores import registered
from messages_app.message_store.retry_times import Timing
from messages_app.shared.job_states import BulkGuard

# Before any file is written: nothing that the console writes is for other users of the machine.
os.umask(file_mask("HUBCONSOLE_UMASK"))

BASE_DIR = Path(__file__).resolve().parent.parent
HUBCONSOLE_HOME = Path(os.environ.get("HUBCONSOLE_HOME") or BASE_DIR / "var").resolve()
HUBCONSOLE_ARCHIVE_URI = os.environ.get("HUBCONSOLE_ARCHIVE_URI") or str(HUBCONSOLE_HOME / "archive")
if "://" not in HUBCONSOLE_ARCHIVE_URI:
    HUBCONSOLE_ARCHIVE_URI = str(Path(HUBCONSOLE_ARCHIVE_URI).resolve())
# The list of what was erased: by it a backup that is restored is erased again.
ERASED_LIST = Path(os.environ.get("HUBCONSOLE_ERASED_LIST") or HUBCONSOLE_HOME / "erased.jsonl").resolve()
# The hub's tables that are archived. Of an older hub some are missing; "table.key" names a further one.
ARCHIVED_TABLES = names("HUBCONSOLE_ARCHIVED_TABLES", "message,external_call,request,response,funnel")

# The monitor of the message store scans so often; the vendor's minute. Read here: the scheduler asks for it.
MESSAGE_STORE_INTERVAL = float(os.environ.get("HUBCONSOLE_STORE_INTERVAL") or 60)

# "web" (gunicorn) gets short timeouts on its database sessions; commands and workers set their own.
PROCESS = os.environ.get("HUBCONSOLE_PROCESS")
IS_WEB = PROCESS == "web"

DATABASE_URL = os.environ.get("DATABASE_URL", "")
SECRET_KEY = os.environ.get("DJANGO_SECRET_KEY", "")
if not SECRET_KEY and DATABASE_URL:
    stop("DJANGO_SECRET_KEY is required when DATABASE_URL is set.")
# Previous keys, which are still accepted for verification.
SECRET_KEY_FALLBACKS = names("DJANGO_SECRET_KEY_FALLBACKS")
if 0 < len(SECRET_KEY) < 50:  # Source: docs/spec/promises.md, S-4
    stop(f"DJANGO_SECRET_KEY has {len(SECRET_KEY)} characters; it must have at least 50 random characters.")
try:
    SECRET_KEY = SECRET_KEY or kept_secret_key(HUBCONSOLE_HOME)
except OSError as error:
    stop(f"HUBCONSOLE_HOME {HUBCONSOLE_HOME} cannot be used: {error.strerror}.")

# Addresses of proxies in front of the console, with commas: what they say of a caller's address is believed.
TRUSTED_PROXIES = names("HUBCONSOLE_TRUSTED_PROXIES")
# Requests a minute of a token or session at the API, and the ones that services make for each piece of work.
API_REQUESTS_PER_MINUTE = whole_number("HUBCONSOLE_API_REQUESTS_PER_MINUTE", default=6000)
SERVICE_REQUESTS_PER_MINUTE = whole_number("HUBCONSOLE_SERVICE_REQUESTS_PER_MINUTE", default=120_000)
# Pages, and parts of pages, that a user may open in a minute; before a log-in, an address.
PAGES_PER_MINUTE = whole_number("HUBCONSOLE_PAGES_PER_MINUTE", default=600)

# A request that takes longer is ended, and answered with 503.
REQUEST_SECONDS = whole_number("HUBCONSOLE_REQUEST_SECONDS", default=20)

DEBUG = flag("DJANGO_DEBUG")
ALLOWED_HOSTS = names("DJANGO_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")

# Served on loopback over http by `up`; anything else is behind TLS and gets secure cookies and HSTS.
IS_LOOPBACK = set(ALLOWED_HOSTS) <= {"localhost", "127.0.0.1", "[::1]"}

_database = database("DATABASE_URL", DATABASE_URL or embedded.database_url(HUBCONSOLE_HOME))
# How Spark reaches that database: under a role of its own, or as we do.
SPARK_DATABASE = None
if _address := os.environ.get("HUBCONSOLE_SPARK_DATABASE_URL", ""):
    SPARK_DATABASE = database("HUBCONSOLE_SPARK_DATABASE_URL", _address)
    if SPARK_DATABASE["NAME"] != _database["NAME"]:
        stop("HUBCONSOLE_SPARK_DATABASE_URL must name the same database as DATABASE_URL.")
_options = _database.setdefault("OPTIONS", {})
_options["application_name"] = f"hubconsole-{PROCESS or 'command'}"
_options.setdefault("connect_timeout", 5)
# A stock server would spend up to half a second on compiling a plan that looks expensive.
_options["options"] = f"-c jit=off {_options.get('options', '')}"
if IS_WEB:
    # No page waits for the hub's locks or scans for long: past this it answers 503 (docs/spec/design.md,
    #
    _options["options"] += (
        " -c statement_timeout=5000 -c lock_timeout=2000 -c idle_in_transaction_session_timeout=15000"
    )
    _options["pool"] = {"min_size": 1, "max_size": 8, "timeout": 5}
    _database["CONN_HEALTH_CHECKS"] = True
DATABASES = {"default": _database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

HUB_RULES = one_of("HUB_RULES", ("cleverbus", "openhub"))

INSTALLED_APPS = [
    "hubconsole.apps.HubConsoleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_celery_beat",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "messages_app",
    "django_htmx",  # its static files only: htmx
]

# The stores: what each brings to the console is in its `registration.py`, and only this list names them.
STORES = [
    "messages_app.messages",
    "messages_app.document_history",
    "messages_app.message_store",
    "messages_app.cp_queue",
]

MIDDLEWARE = [
    "messages_app.core.middleware.ProxyMiddleware",
    "messages_app.core.middleware.RequestIdMiddleware",
    "messages_app.core.middleware.HeadersMiddleware",
    "messages_app.access.rate_limits.RateLimitMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "messages_app.core.request_times.RequestTimesMiddleware",
    "messages_app.core.time_budget.RequestLimitMiddleware",
    "messages_app.core.middleware.ProblemMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "messages_app.access.sessions.store.VisitMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "messages_app.access.unmasking_views.ReadingMiddleware",
    "messages_app.access.rate_limits.PageLimitMiddleware",
    "messages_app.access.second_factor.pending_login.SecondFactorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "hubconsole.urls"
WSGI_APPLICATION = "hubconsole.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "messages_app.access.passwords.NoWordOfHere"},
]
# Whether administrators log in with a second factor; "required": they can do nothing before they have one.
SECOND_FACTOR = one_of("HUBCONSOLE_SECOND_FACTOR", ("offered", "required", "off"))
OTP_TOTP_ISSUER = "Hub Console"
# Wrong codes are counted as wrong passwords are, in access/throttling.py.
OTP_TOTP_THROTTLE_FACTOR = OTP_STATIC_THROTTLE_FACTOR = 0
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"

LANGUAGE_CODE = "en-gb"
FORMAT_MODULE_PATH = "hubconsole.formats"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
HUB_TIME_ZONE = os.environ.get("HUB_TIME_ZONE") or "UTC"

STATIC_URL = "static/"
STATIC_ROOT = HUBCONSOLE_HOME / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

# Behind TLS no other host of the domain can set them (docs/spec/promises.md, S-13).
_COOKIES = "" if IS_LOOPBACK else "__Host-"
SESSION_COOKIE_NAME = f"{_COOKIES}sessionid"
CSRF_COOKIE_NAME = f"{_COOKIES}csrftoken"
DEVICE_COOKIE_NAME = f"{_COOKIES}hubconsole_device"  # of access/throttling.py
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"  # no cookie of its own
SESSION_COOKIE_HTTPONLY = True
SESSION_ENGINE = "messages_app.access.sessions.store"
SESSION_COOKIE_AGE = 12 * 3600  # seconds from its beginning, however much it is used
# A session that no one uses ends after this many minutes; 0: not before its 12 hours.
IDLE_MINUTES = minutes_or_off("HUBCONSOLE_IDLE_MINUTES", 15, least=3, most=720)
SESSION_IDLE_AGE = IDLE_MINUTES * 60 or SESSION_COOKIE_AGE
# So long a session shows values to who gave a reason, and may read payloads; 0: at once, and no one is asked.
REVEAL_MINUTES = minutes_or_off("HUBCONSOLE_REVEAL_MINUTES", 15, least=1, most=720)
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = not IS_LOOPBACK
CSRF_COOKIE_SECURE = not IS_LOOPBACK
SECURE_SSL_REDIRECT = not IS_LOOPBACK
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = 0 if IS_LOOPBACK else 365 * 24 * 3600
SECURE_HSTS_INCLUDE_SUBDOMAINS = not IS_LOOPBACK
SECURE_HSTS_PRELOAD = not IS_LOOPBACK
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440  # bytes; the API answers 413 above it
# Of a form: the 500 messages that may be picked at once, and the fields next to them. Query strings have
# less.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 600
CSRF_FAILURE_VIEW = "messages_app.core.error_handlers.csrf_failure"

REST_FRAMEWORK = drf.FRAMEWORK
SPECTACULAR_SETTINGS = drf.description(registered(STORES))

CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL") or embedded.broker_url(HUBCONSOLE_HOME)
CELERY_TASK_IGNORE_RESULT = True
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = False  # a job is taken over by the sweeper, never delivered again by the broker
CELERY_TASK_ROUTES = {
    "messages_app.jobs.tasks.run_job": {"queue": "spark"},
    **{task: {"queue": queue} for store in registered(STORES) for task, queue in store.queues.items()},
}
CELERY_TASK_DEFAULT_QUEUE = "short"
# Only the worker of jobs loads Spark's client, 50 MB. Its jobs are threads, which share a Spark session.
CELERY_IMPORTS = ["messages_app.jobs.engine.warm_up"] if PROCESS == "spark-worker" else []
CELERY_WORKER_POOL = "threads" if PROCESS == "spark-worker" else "prefork"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 1, "socket_timeout": 5}
CELERY_BEAT_SCHEDULER = "django_celery_beat.schedulers:DatabaseScheduler"
CELERY_BEAT_SCHEDULE = celery_beat.schedule(registered(STORES), globals())

LOGGING = log_lines.configuration()

SPARK_REMOTE = os.environ.get("SPARK_REMOTE", "")
SPARK_MASTER = os.environ.get("SPARK_MASTER") or embedded.spark.MASTER
SPARK_WARM_UP = one_of("HUBCONSOLE_SPARK_WARM_UP", ("on", "off")) == "on"

# A running job says it is alive this often, and is taken over when silent for the lease
# (docs/spec/promises.md, I-34).
JOB_HEARTBEAT_SECONDS = float(os.environ.get("HUBCONSOLE_JOB_HEARTBEAT_SECONDS") or 10)
JOB_LEASE_SECONDS = float(os.environ.get("HUBCONSOLE_JOB_LEASE_SECONDS") or 60)
JOB_MAX_ATTEMPTS = 5
# Seconds for a test batch before an operator decides: the hub waits, and retries each message three times.
JOB_CANARY_SECONDS = float(os.environ.get("HUBCONSOLE_JOB_CANARY_SECONDS") or 600)
# A job that found a disk full tries again after this long.
JOB_ROOM_SECONDS = float(os.environ.get("HUBCONSOLE_JOB_ROOM_SECONDS") or 60)
# Time after the end of a cancel or archive job in which it can be undone.
JOB_UNDO_HOURS = int(os.environ.get("HUBCONSOLE_JOB_UNDO_HOURS") or 24)
# What a job of this many messages or more needs in addition to a right, and how long it may wait for a second
# person.
BULK_GUARD = one_of("HUBCONSOLE_BULK_GUARD", tuple(BulkGuard))
BULK_GUARD_FROM = whole_number("HUBCONSOLE_BULK_GUARD_FROM", default=1000)
BULK_GUARD_HOURS = whole_number("HUBCONSOLE_BULK_GUARD_HOURS", default=8)
# Limits of the jobs of a user that have not ended, and of all export files in megabytes.
JOBS_PER_USER = whole_number("HUBCONSOLE_JOBS_PER_USER", default=20)
EXPORT_BYTES = whole_number("HUBCONSOLE_EXPORT_MB", default=20_000) * 10**6
# The file of an export is kept this long (docs/spec/promises.md, S-60).
EXPORT_DAYS = int(os.environ.get("HUBCONSOLE_EXPORT_DAYS") or 1)

# The vendor's suspendAndRetryOnError: a check that cannot reach the history, or whose resolver fails for a
# while, gives no verdict. Switched off, such a document is in doubt and acknowledged, and may be lost.
SUSPEND_AND_RETRY_ON_ERROR = os.environ.get(
    "HUBCONSOLE_SUSPEND_AND_RETRY_ON_ERROR", ""
).strip() == "" or flag("HUBCONSOLE_SUSPEND_AND_RETRY_ON_ERROR")
# Modules of the hub's own code that register document resolvers, with commas.
DOCUMENT_RESOLVERS = names("HUBCONSOLE_RESOLVERS")

# Alerts go out by mail through this server, and by webhooks to these hosts (host or host:port) and no others.
EMAIL_HOST = os.environ.get("HUBCONSOLE_SMTP_HOST") or "localhost"
EMAIL_PORT = int(os.environ.get("HUBCONSOLE_SMTP_PORT") or 25)
EMAIL_HOST_USER = os.environ.get("HUBCONSOLE_SMTP_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("HUBCONSOLE_SMTP_PASSWORD", "")
EMAIL_USE_TLS = flag("HUBCONSOLE_SMTP_TLS")
EMAIL_TIMEOUT = 5
DEFAULT_FROM_EMAIL = os.environ.get("HUBCONSOLE_MAIL_FROM") or "hubconsole@localhost"
WEBHOOK_HOSTS = names("HUBCONSOLE_WEBHOOK_HOSTS")
# Those of them that are not on the internet must have an address in one of these networks.
WEBHOOK_NETWORKS = networks("HUBCONSOLE_WEBHOOK_NETWORKS")
# What webhooks are signed with.
WEBHOOK_SECRET = os.environ.get("HUBCONSOLE_WEBHOOK_SECRET", "")

# A CP message dispatched with RETRY waits so long, twice as long each further time, up to the longest; after
# this many attempts it is parked until someone sends it on.
CP_RETRY_SECONDS = float(os.environ.get("HUBCONSOLE_CP_RETRY_SECONDS") or 30)
CP_LONGEST_RETRY_SECONDS = 3600.0
CP_MAX_ATTEMPTS = int(os.environ.get("HUBCONSOLE_CP_MAX_ATTEMPTS") or 10)
# A service that holds messages and has not polled for this long is probably dead.
CP_SILENT_SECONDS = float(os.environ.get("HUBCONSOLE_CP_SILENT_SECONDS") or 300)
# The log of dispatches is kept this long.
CP_LOG_DAYS = int(os.environ.get("HUBCONSOLE_CP_LOG_DAYS") or 30)

# The message store's monitor, by the vendor's properties and their values. Source:
# docs/spec/message_store.md, "Monitor and retries".
MESSAGE_STORE_QUEUE = int(os.environ.get("HUBCONSOLE_STORE_QUEUE") or 10)
MESSAGE_STORE_THREADS = int(os.environ.get("HUBCONSOLE_STORE_THREADS") or 1)
# Processes of one worker for them, which is also the largest number that administrators may set.
MESSAGE_STORE_MOST_THREADS = max(16, MESSAGE_STORE_THREADS)
MESSAGE_STORE_PROCESS_TIMEOUT = float(os.environ.get("HUBCONSOLE_STORE_PROCESS_TIMEOUT") or 21_600)
MESSAGE_STORE_TIMING = Timing(
    minimum_delay=float(os.environ.get("HUBCONSOLE_STORE_MINIMUM_DELAY") or 60),
    maximum_delay=float(os.environ.get("HUBCONSOLE_STORE_MAXIMUM_DELAY") or 14_400),
    minimum_delay_multiplier=float(os.environ.get("HUBCONSOLE_STORE_MINIMUM_DELAY_MULTIPLIER") or 10),
    age_exponent=float(os.environ.get("HUBCONSOLE_STORE_AGE_EXPONENT") or 1),
    age_multiplier=float(os.environ.get("HUBCONSOLE_STORE_AGE_MULTIPLIER") or 1),
    message_timeout=float(os.environ.get("HUBCONSOLE_STORE_MESSAGE_TIMEOUT") or 3_456_000),
)
# A worker's loop hands over to a task of its own after this long.
MESSAGE_STORE_WORK_SECONDS = float(os.environ.get("HUBCONSOLE_STORE_WORK_SECONDS") or 30)
# A message whose attempts died this many times in a row is set aside.
MESSAGE_STORE_ABANDONED_TIMES = 3
# What is asked to be processed at once and is larger, or takes longer, waits for the monitor.
MESSAGE_STORE_AT_ONCE_BYTES = 1_000_000
MESSAGE_STORE_AT_ONCE_SECONDS = 10
# The file store: file_path of a message is relative to it.
MESSAGE_STORE_FILES = Path(os.environ.get("HUBCONSOLE_STORE_FILES") or HUBCONSOLE_HOME / "store-files")
MESSAGE_STORE_FILE_BYTES = 100 * 1024 * 1024
# Modules that register readers and processors: ours, and the hub's own code, with commas.
MESSAGE_STORE_EXTENSIONS = ["messages_app.processors.cp_messages"]
MESSAGE_STORE_EXTENSIONS += names("HUBCONSOLE_STORE_EXTENSIONS")

# Source of the objects of CP messages: a class with the methods of cp_queue/objects.py.
CP_OBJECT_SOURCE = (
    os.environ.get("HUBCONSOLE_CP_OBJECT_SOURCE") or "messages_app.processors.objects.HubObjects"
)
