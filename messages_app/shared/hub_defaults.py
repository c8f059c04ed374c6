"""
The default times and limits of the hub. The hub keeps the actual ones in files that the console cannot read.

The times of retries are settings of the console: hub_times.py.

Source: docs/spec/cleverbus.md, "Retries", "Repair", "Settings of the hub", "Funnels", "Built-in alert".
"""

from datetime import timedelta

# countPartlyFailsBeforeFailed: after this many failures, the next one is final.
TRIES_BEFORE_FAILED = 3
# repairRepeatTime: the interval of the repair, and the time in PROCESSING after which it repairs a message.
REPAIR_AFTER = timedelta(seconds=300)
# The maximum number of messages in one run of the repair.
REPAIRED_PER_RUN = 50
# postponedIntervalWhenFailed, since receipt: after this time, a message that is not first in its order fails
# with E121.
ORDER_FAILS_AFTER = timedelta(seconds=300)
# idleInterval of a funnel, unless the route sets another, which is in no table.
FUNNEL_IDLE_AFTER = timedelta(seconds=600)
# confirmation.failedLimit, .repeatTime, .interval.
CONFIRMATION_TRIES = 3
CONFIRMATION_EVERY = timedelta(seconds=60)
# WAITING_MSG_ALERT: the time that a message waits for a response before the hub's built-in alert counts it.
RESPONSE_ALERT_AFTER = timedelta(seconds=3600)
