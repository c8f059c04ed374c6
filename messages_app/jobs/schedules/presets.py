"""The usual times of schedules: every hour, day, week or month, each as a cron expression."""

import re
from collections.abc import Mapping
from datetime import time
from enum import StrEnum

from cron_descriptor import CasingTypeEnum, Options, get_description


class Every(StrEnum):
    """How often a schedule runs."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    OWN = "cron"


WEEKDAYS: Mapping[str, str] = {
    "1": "Monday",
    "2": "Tuesday",
    "3": "Wednesday",
    "4": "Thursday",
    "5": "Friday",
    "6": "Saturday",
    "0": "Sunday",
}
_NUMBERS = {name[:3].lower(): number for number, name in WEEKDAYS.items()}
_NUMBER = re.compile(r"[0-9]{1,2}")
_WORDS = Options()
_WORDS.use_24hour_time_format = True
_WORDS.casing_type = CasingTypeEnum.Sentence


def cron_of(
    every: Every, *, minute: int = 0, at: time = time(), weekday: str = "1", day: int = 1, cron: str = ""
) -> str:
    """Return the cron expression of a preset, or `cron`."""
    clock = f"{at.minute} {at.hour}"
    lines = {
        Every.HOUR: f"{minute} * * * *",
        Every.DAY: f"{clock} * * *",
        Every.WEEK: f"{clock} * * {weekday}",
        Every.MONTH: f"{clock} {day} * *",
        Every.OWN: cron,
    }
    return lines[every]


def read_preset(cron: str) -> dict[str, object]:
    """Return the values of `cron_of` that make a valid line."""
    minute, hour, day, month, weekday = cron.split()
    weekday = _NUMBERS.get(weekday, weekday)
    own: dict[str, object] = {"every": Every.OWN, "cron": cron}
    if month != "*" or not _NUMBER.fullmatch(minute):
        return own
    if (hour, day, weekday) == ("*", "*", "*"):
        return {"every": Every.HOUR, "minute": int(minute)}
    if not _NUMBER.fullmatch(hour):
        return own
    at = {"at": time(int(hour), int(minute))}
    if day == "*" and weekday == "*":
        return {"every": Every.DAY, **at}
    if day == "*" and weekday in WEEKDAYS:
        return {"every": Every.WEEK, "weekday": weekday, **at}
    if _NUMBER.fullmatch(day) and weekday == "*":
        return {"every": Every.MONTH, "day": int(day), **at}
    return own


def describe_times(cron: str) -> str:
    """Return a valid cron expression in words, such as "Every day at 02:30"."""
    values = read_preset(cron)
    every, at = values["every"], values.get("at")
    if every == Every.OWN:
        return get_description(cron, _WORDS)
    if every == Every.HOUR:
        return f"Every hour at minute {values['minute']}" if values["minute"] else "Every hour"
    if every == Every.DAY:
        return f"Every day at {at:%H:%M}"
    if every == Every.WEEK:
        return f"Every {WEEKDAYS[str(values['weekday'])]} at {at:%H:%M}"
    return f"Day {values['day']} of every month at {at:%H:%M}"
