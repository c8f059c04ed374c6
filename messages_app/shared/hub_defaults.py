"""
The default times and limits of the hub.

Pages and API use messages/hub_times.py, which also reads the hub's own values where it can. The last three
are in no table.

Source: docs/contributing/spec/cleverbus.md, "Retries", "Repair", "Settings of the hub", "Funnels", "Built-in
alert".
"""

from datetime import timedelta

# countPartlyFailsBeforeFailed: after this many failures, the next one is final.
TRIES_BEFORE_FAILED = 3
# partlyFailedRepeatTime: how often the hub polls for messages to retry.
POLL_EVERY = timedelta(seconds=60)
# partlyFailedInterval, postponedInterval: the minimum wait before a retry.
PARTLY_FAILED_RESTS = timedelta(seconds=60)
POSTPONED_RESTS = timedelta(seconds=5)
# repairRepeatTime: the interval of the repair, and the time in PROCESSING after which it repairs a message.
REPAIR_AFTER = timedelta(seconds=300)
# postponedIntervalWhenFailed, since receipt: after this time, a message that is not first in its order fails
# with E121.
ORDER_FAILS_AFTER = timedelta(seconds=300)
# confirmation.failedLimit, .repeatTime, .interval.
CONFIRMATION_TRIES = 3
CONFIRMATION_EVERY = timedelta(seconds=60)
CONFIRMATION_RESTS = timedelta(seconds=60)
# The maximum number of messages in one run of the repair.
REPAIRED_PER_RUN = 50
# idleInterval of a funnel, unless the route sets another.
FUNNEL_IDLE_AFTER = timedelta(seconds=600)
# WAITING_MSG_ALERT: the time that a message waits for a response before the hub's built-in alert counts it.
RESPONSE_ALERT_AFTER = timedelta(seconds=3600)
