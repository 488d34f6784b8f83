from savegen.runtime import History
from world import World

world = World()
world.start("cave")
history = History(world.manager)
for _ in range(120):
    world.step()
    history.record()
(bat,) = world.enemies
print(world.player.hp, world.events, bat.position, bat.hp)
bat.hit(world.player, 2)
world.step()
print(len(world.enemies), world.player.stats.kills)
history.rewind(100)
print(len(world.enemies), [b.position for b in world.enemies], world.player.hp)
