from savegen import migration


@migration(to=2)
def to_two(save):
    pass


@migration(to=3)
def rename_gold(save):
    pass


@migration(to=3)
def rename_wallet(save):
    pass


@migration(to=3)
def rename_purse(save):
    pass
