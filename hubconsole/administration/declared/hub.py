"""The settings of the hub and of jobs."""

from django.conf import settings
from django.db import connection

from hubconsole.administration.declared.record import Declared, declare_attribute, declare_time
from messages_app.messages.attachment import rules_of_hub, time_zone


def read_rules() -> str:
    return settings.HUB_RULES or rules_of_hub(connection.settings_dict["NAME"])


HUB = (
    declare_attribute(
        "HUBCONSOLE_HUB_NAME",
        "HUBCONSOLE_HUB_NAME",
        meaning=(
            "the name of the hub at the top of every page, in page titles and in the API's index: [several"
            " hubs](../howto/several_hubs.md)"
        ),
    ),
    declare_attribute(
        "HUBCONSOLE_HUB_COLOUR",
        "HUBCONSOLE_HUB_COLOUR",
        meaning="the colour of that name",
    ),
    Declared(
        name="HUB_RULES",
        read=read_rules,
        meaning="[the states](states.md) that allow restart and cancel",
        default="the rules of an [attached hub](../howto/attach.md), or `cleverbus`",
    ),
    Declared(
        name="HUB_TIME_ZONE",
        read=time_zone,
        meaning=(
            "the default time zone of `attach` and of schedules. Neither this nor `HUB_RULES` may"
            " contradict the attachment"
        ),
        default="that of the [attached hub](../howto/attach.md), or `UTC`",
    ),
    declare_time(
        "HUB_POLL_SECONDS",
        meaning=(
            "the hub's own setting `partlyFailedRepeatTime`, by which pages and API predict the next"
            " attempt ([when to set it](../howto/attach.md#the-intervals-of-the-hub)). `make up` sets the"
            " value of the demo's hub"
        ),
        default="that of an attached OpenHub, or 60",
    ),
    declare_time(
        "HUB_FAILED_REST_SECONDS",
        meaning="the hub's own setting `partlyFailedInterval`, likewise",
        default="that of an attached OpenHub, or 60",
    ),
    declare_time(
        "HUB_POSTPONED_REST_SECONDS",
        meaning="the hub's own setting `postponedInterval`, likewise",
        default="that of an attached OpenHub, or 5",
    ),
)
JOBS = (
    declare_attribute(
        "HUBCONSOLE_JOB_HEARTBEAT_SECONDS",
        "JOB_HEARTBEAT_SECONDS",
        meaning="seconds between two heartbeats of a running job",
    ),
    declare_attribute(
        "HUBCONSOLE_JOB_LEASE_SECONDS",
        "JOB_LEASE_SECONDS",
        meaning="seconds without a heartbeat after which another worker takes over a job",
    ),
    declare_attribute(
        "HUBCONSOLE_SPARK_WARM_UP",
        "SPARK_WARM_UP",
        meaning="whether the worker of jobs [keeps Spark warm](jobs.md#duration-of-small-jobs)",
    ),
    declare_attribute(
        "HUBCONSOLE_JOB_CANARY_SECONDS",
        "JOB_CANARY_SECONDS",
        meaning="seconds after which an operator has to decide about a test batch",
    ),
    declare_attribute(
        "HUBCONSOLE_JOB_ROOM_SECONDS",
        "JOB_ROOM_SECONDS",
        meaning="seconds after which a job retries after a full disk, or a storage that is away",
    ),
    declare_attribute(
        "HUBCONSOLE_JOB_UNDO_HOURS",
        "JOB_UNDO_HOURS",
        meaning="hours for which a job can be undone",
    ),
    declare_attribute(
        "HUBCONSOLE_BULK_GUARD",
        "BULK_GUARD",
        meaning="[the safeguard of very large jobs](jobs.md#very-large-jobs)",
        default=(
            "`none`; in [production](security.md#protection-in-production) `password`, with an identity"
            " provider `second_person`"
        ),
    ),
    declare_attribute(
        "HUBCONSOLE_BULK_GUARD_FROM",
        "BULK_GUARD_FROM",
        meaning="the number of messages from which `HUBCONSOLE_BULK_GUARD` applies",
    ),
    declare_attribute(
        "HUBCONSOLE_RESEND_GUARD",
        "RESEND_GUARD",
        meaning=(
            "`second_person`: payloads are [corrected](../howto/correct_and_resend.md) only by jobs that a"
            " second person has approved"
        ),
    ),
    declare_attribute(
        "HUBCONSOLE_BULK_GUARD_HOURS",
        "BULK_GUARD_HOURS",
        meaning="hours that a job waits for a second person before it is stopped",
    ),
    declare_attribute(
        "HUBCONSOLE_JOBS_PER_USER",
        "JOBS_PER_USER",
        meaning="jobs of one user that have not ended; schedules and commands do not count",
    ),
    declare_attribute(
        "HUBCONSOLE_EXPORT_DAYS",
        "EXPORT_DAYS",
        meaning="days for which an export file is kept",
    ),
    Declared(
        name="HUBCONSOLE_EXPORT_MB",
        read=lambda: settings.EXPORT_BYTES // 10**6,
        meaning="megabytes that all export files may use; above this, new exports are refused",
    ),
)
