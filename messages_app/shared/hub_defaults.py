"""
The hub's own timing and limits, at its defaults: it keeps them in files that the console cannot read.

The times of its retries are settings of the console: hub_times.py.

Source: docs/spec/cleverbus.md, "Retries", "Repair", "Settings of the hub", "Funnels", "Built-in alert".
"""

from datetime import timedelta

# countPartlyFailsBeforeFailed: with this many failures behind it, the next one is final.
TRIES_BEFORE_FAILED = 3
# repairRepeatTime: how often the repair runs, and how long PROCESSING may last before it steps in.
REPAIR_AFTER = timedelta(seconds=300)
# At most this many messages a repair run.
REPAIRED_PER_RUN = 50
# postponedIntervalWhenFailed, since receipt: past it, what is not first in its order fails with E121.
ORDER_FAILS_AFTER = timedelta(seconds=300)
# idleInterval of a funnel, unless the route says otherwise, which no table tells.
FUNNEL_IDLE_AFTER = timedelta(seconds=600)
# confirmation.failedLimit, .repeatTime, .interval.
CONFIRMATION_TRIES = 3
CONFIRMATION_EVERY = timedelta(seconds=60)
# WAITING_MSG_ALERT: how long a message waits for an answer before the hub's built-in alert counts it.
RESPONSE_ALERT_AFTER = timedelta(seconds=3600)
