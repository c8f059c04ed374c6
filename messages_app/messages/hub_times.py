"""
When the hub tries a message again, by the settings of the console, which say what the hub's own files say.

Source: spec/cleverbus.md 2.5 and 10.
"""

from datetime import timedelta

from django.conf import settings

# partlyFailedRepeatTime: how often the hub looks for messages to try again.
POLL_EVERY = timedelta(seconds=settings.HUB_POLL_SECONDS)
# partlyFailedInterval, postponedInterval: how long such a message rests at least.
PARTLY_FAILED_RESTS = timedelta(seconds=settings.HUB_FAILED_REST_SECONDS)
POSTPONED_RESTS = timedelta(seconds=settings.HUB_POSTPONED_REST_SECONDS)
