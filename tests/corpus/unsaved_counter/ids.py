from itertools import count

numbers = count(3)
_last = 0


def new_id() -> int:
    global _last
    _last += 1
    return _last


def made() -> int:
    return next(numbers)


last = 0
