from savegen import migration


@migration(to=3)
def to_three(save):
    pass


@migration(to=4)
def to_four(save):
    pass
