"""When something was, as people say it."""

from __future__ import annotations

import time
from datetime import date

from mobile.resources import texts

#: So many days back a day is called by its weekday.
_WEEK = 7


def said_day(then: float, now: float | None = None) -> str:
    """A time as a day and an hour: “yesterday, 21:15”.

    Args:
        then: seconds since 1970.
        now: the same; by default this moment.
    """
    moment = time.localtime(then)
    day, today = _date(moment), _date(time.localtime(now))
    clock = f"{moment.tm_hour}:{moment.tm_min:02}"
    ago = (today - day).days
    if ago == 0:
        return texts.TODAY_AT.format(time=clock)
    if ago == 1:
        return texts.YESTERDAY_AT.format(time=clock)
    if 0 < ago < _WEEK:
        return texts.DAY_AT.format(day=texts.WEEKDAYS[day.weekday()], time=clock)
    month = texts.MONTHS[day.month - 1]
    if day.year == today.year:
        return texts.THIS_YEAR.format(day=day.day, month=month)
    return texts.ANOTHER_YEAR.format(day=day.day, month=month, year=day.year)


def _date(moment: time.struct_time) -> date:
    return date(moment.tm_year, moment.tm_mon, moment.tm_mday)
