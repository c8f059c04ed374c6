"""
How the hub's retries are timed, as an operator has set them in the hub: the console cannot read its files.

What pages say of the next attempt is computed from these. Source: spec/cleverbus.md 10.
"""

from hubconsole.environment import whole_number

# partlyFailedRepeatTime: how often the hub looks for messages to try again.
HUB_POLL_SECONDS = whole_number("HUB_POLL_SECONDS", default=60)
# partlyFailedInterval: how long a message rests after a failed attempt, or a restart.
HUB_FAILED_REST_SECONDS = whole_number("HUB_FAILED_REST_SECONDS", default=60)
# postponedInterval: how long a message rests that gave way to another one.
HUB_POSTPONED_REST_SECONDS = whole_number("HUB_POSTPONED_REST_SECONDS", default=5)
