from savegen.runtime import History
from shapes import Vec2
from world import World

world = World()
world.start("cave")
player = world.player
history = History(world.manager)
for _ in range(60):
    world.step()
    history.record()
(bat,) = world.enemies
print(player.hp, "hearts; the bat is at", bat.position)

bat.hit(player, 2)
player.position += Vec2(0, 1)
world.step()
history.record()
print(player.hp, "hearts;", dict(player.stats.kills))

history.rewind(1)
(bat,) = world.enemies
print(player.hp, "hearts; the bat is at", bat.position)
