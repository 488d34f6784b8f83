from savegen import migration


@migration(to=2)
def to_two(save):
    pass


@migration(to=4)
def to_four(save):
    pass


@migration(to=7)
def to_seven(save):
    pass
