"""Times, durations and sizes in readable units."""

from __future__ import annotations

from datetime import datetime


def local_time(text: str) -> str:
    """Return an ISO time as local time: `2026-01-31 19:05`."""
    try:
        return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return text


def duration(seconds: float) -> str:
    """Return a duration in hours, minutes and seconds.

    >>> duration(3725.0), duration(59.0), duration(1e300)
    ('1 h 02 min', '59 s', 'long')
    """
    if not 0 <= seconds < 1e9:
        return "long"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def size(count: int) -> str:
    """Return a number of bytes in B, kB or MB.

    >>> size(999), size(123_456), size(7_654_321)
    ('999 B', '123 kB', '7.7 MB')
    """
    if count < 1000:
        return f"{count} B"
    return f"{count / 1e3:.0f} kB" if count < 1e6 else f"{count / 1e6:.1f} MB"
