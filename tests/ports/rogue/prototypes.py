from .ai import HostileEnemy, Wanderer
from .components import Fighter, Inventory, Level
from .consumables import Confusion, Fireball, Healing
from .entity import Actor, Item

player = Actor(
    char="@",
    color=(255, 255, 255),
    name="Player",
    ai_cls=Wanderer,
    fighter=Fighter(hp=40, base_defense=2, base_power=6),
    inventory=Inventory(capacity=5),
    level=Level(base=80),
)
orc = Actor(
    char="o",
    color=(63, 127, 63),
    name="Orc",
    ai_cls=HostileEnemy,
    fighter=Fighter(hp=10, base_defense=0, base_power=3),
    inventory=Inventory(capacity=0),
    level=Level(xp_given=35),
)
troll = Actor(
    char="T",
    color=(0, 127, 0),
    name="Troll",
    ai_cls=HostileEnemy,
    fighter=Fighter(hp=16, base_defense=1, base_power=4),
    inventory=Inventory(capacity=0),
    level=Level(xp_given=100),
    speed=14,
)
treasures = [
    Item(char="!", color=(127, 0, 255), name="Potion", consumable=Healing(4)),
    Item(char="~", color=(207, 63, 255), name="Wand", consumable=Confusion(6)),
    Item(char="?", color=(255, 0, 0), name="Scroll", consumable=Fireball(5, 3)),
]
