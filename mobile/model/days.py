"""When something was, as people say it."""

from __future__ import annotations

import time
from datetime import date

from mobile.resources import texts

#: So many days back a day is called by its weekday.
_WEEK = 7
#: An evening that ends after midnight is one evening: a day begins at six, in seconds.
_NIGHT = 6 * 3600


def said_day(then: float, now: float | None = None) -> str:
    """A time as a day and an hour: “yesterday, 21:15”.

    Args:
        then: seconds since 1970.
        now: the same; by default this moment.
    """
    day, today = _date(then), _date(now)
    clock, ago = said_hour(then), (today - day).days
    if ago == 0:
        return texts.TODAY_AT.format(time=clock)
    if ago == 1:
        return texts.YESTERDAY_AT.format(time=clock)
    if 0 < ago < _WEEK:
        return texts.DAY_AT.format(day=texts.WEEKDAYS[day.weekday()], time=clock)
    return _said_date(day, today)


def said_hour(then: float) -> str:
    """The hour of a time: “21:15”."""
    moment = time.localtime(then)
    return f"{moment.tm_hour}:{moment.tm_min:02}"


def evening(then: float) -> date:
    """The evening that a time belongs to, by the device's own clock: the day on which it began."""
    return _date(max(0.0, then - _NIGHT))


def said_evening(then: float, now: float | None = None) -> str:
    """The evening that a time belongs to, as a heading: “Yesterday”, “Friday”, “12 March”.

    Args:
        then: seconds since 1970.
        now: the same; by default this moment.
    """
    day, today = evening(then), evening(time.time() if now is None else now)
    ago = (today - day).days
    if ago in (0, 1):
        return (texts.TODAY, texts.YESTERDAY)[ago]
    if 0 < ago < _WEEK:
        return texts.WEEKDAYS[day.weekday()]
    return _said_date(day, today)


def _said_date(day: date, today: date) -> str:
    month = texts.MONTHS[day.month - 1]
    if day.year == today.year:
        return texts.THIS_YEAR.format(day=day.day, month=month)
    return texts.ANOTHER_YEAR.format(day=day.day, month=month, year=day.year)


def _date(then: float | None) -> date:
    moment = time.localtime(then)
    return date(moment.tm_year, moment.tm_mon, moment.tm_mday)
