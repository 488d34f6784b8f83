"""Draws `sprites.png` and its table of frames, `sprites.json`, on one fixed palette.

Start it with `python -m sample_game.art.draw_sprites`. A unit of the world is 16 pixels here; the screen shows each
of them as 2 × 2. Everything looks to the right; the game mirrors what looks to the left.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

FOLDER = Path(__file__).parent
PALETTE = {
    # ink and rock
    "k": "17151f", "K": "2b2530", "d": "3a3339", "g": "4b4340",
    "G": "5e554b", "h": "746a58", "H": "8f8468", "i": "b0a28b",
    # grass and goblins
    "q": "1f3a2c", "e": "2f5c38", "E": "4a8143", "f": "83b552", "F": "c0dd7c",
    # wood
    "m": "2a2129", "M": "3f322f", "w": "57453a", "W": "6f5845", "x": "8a7056", "X": "a48a68", "y": "d2b98c",
    # blue
    "n": "1d2b55", "b": "2f5fa8", "B": "4f93d6", "c": "8cc8ef", "C": "d6f0fb",
    # skin
    "s": "f3cda4", "S": "d69c72", "t": "9a5f48",
    # red and fire
    "r": "5e1f33", "R": "a8324a", "o": "dd5a50", "O": "f2935f",
    # gold
    "Z": "7a4a27", "z": "b57a34", "a": "e8b35a", "A": "ffe08a",
    # purple
    "p": "342541", "P": "5a3d73", "u": "8c62ab", "U": "c49adf",
    # steel and white
    "L": "2c3446", "l": "465268", "J": "6f7f96", "j": "aebccb", "v": "dfe8ef", "V": "fbfdff",
}  # fmt: skip
INK = "k"
Colour = tuple[int, int, int, int]
COLOURS: dict[str, Colour] = {
    letter: (*bytes.fromhex(text), 255) for letter, text in PALETTE.items()
}


class Drawing:
    """A small picture, drawn with the letters of the palette."""

    def __init__(self, width: int, height: int) -> None:
        self.image = Image.new("RGBA", (width, height))

    @classmethod
    def of(cls, text: str) -> Drawing:
        rows = text.strip("\n").split("\n")
        drawing = cls(max(map(len, rows)), len(rows))
        drawing.put(text, 0, 0)
        return drawing

    def dot(self, x: float, y: float, letter: str) -> None:
        px, py = round(x), round(y)
        if 0 <= px < self.image.width and 0 <= py < self.image.height:
            self.image.putpixel((px, py), COLOURS[letter])

    def put(self, text: str, x: int, y: int, swap: str = "") -> None:
        """Draw rows of letters; `swap` exchanges letters, as "bR" does blue for red."""
        new = dict(zip(swap[::2], swap[1::2], strict=True))
        for dy, row in enumerate(text.strip("\n").split("\n")):
            for dx, letter in enumerate(row):
                if letter not in ". ":
                    self.dot(x + dx, y + dy, new.get(letter, letter))

    def paste(self, other: Drawing, x: int, y: int) -> None:
        self.image.alpha_composite(other.image, (x, y))

    def box(self, x: int, y: int, width: int, height: int, letter: str) -> None:
        for py in range(y, y + height):
            for px in range(x, x + width):
                self.dot(px, py, letter)

    def line(
        self, x0: float, y0: float, x1: float, y1: float, letter: str, thick: int = 1
    ) -> None:
        steps = max(1, math.ceil(max(abs(x1 - x0), abs(y1 - y0))))
        for step in range(steps + 1):
            x, y = x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps
            for dx in range(thick):
                for dy in range(thick):
                    self.dot(x + dx, y + dy, letter)

    def ball(
        self, x: float, y: float, rx: float, ry: float, tones: str, hard: float = 1.0
    ) -> None:
        """Draw an ellipse that is lit from the upper left; the tones go from dark to light."""
        for py in range(math.floor(y - ry), math.ceil(y + ry) + 1):
            for px in range(math.floor(x - rx), math.ceil(x + rx) + 1):
                dx, dy = (px - x) / rx, (py - y) / ry
                if dx * dx + dy * dy > 1:
                    continue
                light = 0.55 - hard * (0.35 * dx + 0.45 * dy)
                self.dot(
                    px, py, tones[min(len(tones) - 1, max(0, int(light * len(tones))))]
                )

    def outlined(self, letter: str = INK) -> Drawing:
        """Return the drawing with a line around everything in it."""
        width, height = self.image.size
        result = Drawing(width, height)
        solid = self.image.getchannel("A").load()
        assert solid is not None
        for y in range(height):
            for x in range(width):
                near = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
                if any(
                    0 <= nx < width and 0 <= ny < height and solid[nx, ny]
                    for nx, ny in near
                ):
                    result.dot(x, y, letter)
        result.paste(self, 0, 0)
        return result

    def mirrored(self) -> Drawing:
        result = Drawing(*self.image.size)
        result.image = self.image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        return result

    def turned_down(self) -> Drawing:
        result = Drawing(*self.image.size)
        result.image = self.image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
        return result


# -------------------------------------------------------------------------- Pip

PIP_HEAD = """
....nbbbb...
..nbBBBBBb..
.nbBBcccBBb.
nbBBccBBBBBb
nbBBBbbbbbbn
nbBbtssssss.
nbbbtskssks.
.nbbSskssks.
.nnbSosssss.
..nnnSSSSS..
"""
PIP_BACK = """
....nbbbb...
..nbBBBBBb..
.nbBBcccBBb.
nbBBccBBBBBb
nbBBcBBBBBBb
nbBBBBBBBBbn
nbBBBBBBBbbn
.nbbBBBBbbn.
.nnbbbbbbnn.
..nnnnnnnn..
"""
PIP_BLINK = """
ssssss
sSSssS
ssssss
"""
PIP_OUCH = """
ssssss
kssssk
skssks
"""
SPROUT = {
    "up": ".fF.fF\n..ffe.\n...e..",
    "back": "fF.fF.\n.ffe..\n...e..",
    "down": "......\nfFefF.\nf..e.f",
    "blown": "fFfF..\n.ffe..\n...e..",
}
TORSO = """
.RoooooR
nbBBBBbn
nbBBBBbn
MwWAaWwM
.nbbbbn.
"""


def limb(drawing: Drawing, start: tuple[float, float], end: tuple[float, float], letter: str, tip: str) -> None:  # fmt: skip
    """Draw an arm, with a hand of two pixels."""
    drawing.line(*start, *end, letter, 2)
    drawing.box(round(end[0]), round(end[1]), 2, 2, tip)


def leg(drawing: Drawing, hip: tuple[float, float], foot: tuple[float, float], letters: str) -> None:  # fmt: skip
    """Draw a leg with a boot; the letters are for the cloth, the boot and its light edge."""
    cloth, boot, edge = [*letters]
    drawing.line(*hip, foot[0], foot[1] - 2, cloth, 2)
    x, y = round(foot[0]), round(foot[1])
    drawing.box(x, y - 1, 2, 1, boot)
    drawing.box(x, y, 3, 1, boot)
    drawing.dot(x + 1, y - 1, edge)


FRONT, BEHIND = "bWx", "nwW"


def pip(
    *,
    head: int = 0,
    lean: int = 0,
    face: str = "",
    sprout: str = "up",
    scarf: Iterable[tuple[int, int]] = ((0, 0), (-2, 1), (-4, 2)),
    front: tuple[float, float] = (0, 0),
    behind: tuple[float, float] = (0, 0),
    hand: tuple[float, float] = (0, 4),
    far_hand: tuple[float, float] = (0, 4),
    back: bool = False,
) -> Drawing:
    """Draw Pip. Feet and hands are given by where they are, from the place of a standing Pip."""
    art = Drawing(26, 26)
    top = 3 + head  # of the hood
    x = 7 + lean
    limb(art, (x + 8, top + 11), (x + 8 + far_hand[0], top + 11 + far_hand[1]), "n", "S")  # fmt: skip
    leg(art, (13 + lean, top + 15), (14 + behind[0], 24 + behind[1]), BEHIND)
    leg(art, (10 + lean, top + 15), (10 + front[0], 24 + front[1]), FRONT)
    points = [(x + 2 + px, top + 10 + py) for px, py in scarf]
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        art.line(x0, y0, x1, y1, "R", 2)
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        art.line(x0, y0, x1, y1, "o", 1)
    art.put(TORSO, x + 1, top + 10)
    limb(art, (x + 2, top + 11), (x + 2 + hand[0], top + 11 + hand[1]), "B", "s")
    art.put(PIP_BACK if back else PIP_HEAD, x - 1, top)
    if face:
        art.put(face, x + 4, top + 5)
    art.put(SPROUT[sprout], x + 3, top - 3)
    return art.outlined()


STRIDE = ((4, 0), (1, 0), (-3, 0), (-5, -1.5), (-2, -3), (2, -2))


def pip_run() -> list[Drawing]:
    frames = []
    swing = (-3, -1, 2, 4, 2, -1)
    for phase in range(6):
        hand, far = swing[phase], swing[(phase + 3) % 6]
        frames.append(
            pip(
                head=(0, 1, 0)[phase % 3],
                lean=1,
                sprout=("back", "blown", "back")[phase % 3],
                scarf=[(0, 0)]
                + [
                    (-2 * at - 1, round(1.3 * math.sin((phase - at) * math.pi / 3)))
                    for at in (1, 2, 3)
                ],
                front=STRIDE[phase],
                behind=STRIDE[(phase + 3) % 6],
                hand=(hand, 4 - abs(hand) // 2),
                far_hand=(far, 4 - abs(far) // 2),
            )
        )
    return frames


def pip_frames() -> None:
    hang = ((0, 0), (-2, 1), (-4, 3))
    add("pip.stand", [
        pip(scarf=hang), pip(scarf=hang), pip(scarf=((0, 0), (-2, 1), (-5, 3))),
        pip(head=1, hand=(0, 3), far_hand=(0, 3), sprout="back", scarf=((0, 0), (-3, 1), (-5, 2))),
        pip(head=1, hand=(0, 3), far_hand=(0, 3), sprout="back", face=PIP_BLINK, scarf=((0, 0), (-3, 1), (-5, 2))),
        pip(head=1, hand=(0, 3), far_hand=(0, 3), scarf=((0, 0), (-2, 1), (-5, 3))),
    ], 9)  # fmt: skip
    add("pip.run", pip_run(), 5)
    add("pip.jump", [
        pip(head=-1, sprout="down", front=(-1, -1), behind=(2, -4), hand=(-3, -1), far_hand=(3, -3),
            scarf=((0, 0), (-2, 2), (-3, 5), (-4, 7))),
        pip(head=-1, sprout="down", front=(-2, -1), behind=(2, -4), hand=(-3, 0), far_hand=(3, -3),
            scarf=((0, 0), (-2, 2), (-4, 5), (-3, 7))),
    ], 6)  # fmt: skip
    add("pip.fall", [
        pip(sprout="up", front=(-2, -2), behind=(2, -1), hand=(-5, -3), far_hand=(3, -4),
            scarf=((0, 0), (-4, -2), (-5, -5), (-4, -8))),
        pip(sprout="up", front=(-2, -1), behind=(2, -2), hand=(-5, -4), far_hand=(3, -3),
            scarf=((0, 0), (-4, -2), (-6, -5), (-6, -8))),
    ], 6)  # fmt: skip
    climb = pip(back=True, front=(0, -2), behind=(0, 0), hand=(-1, -5), far_hand=(0, 2),
                scarf=())  # fmt: skip
    add("pip.climb", [climb, climb.mirrored()], 9)
    add("pip.hurt", [
        pip(lean=-2, face=PIP_OUCH, sprout="blown", front=(3, -2), behind=(4, -3), hand=(-4, -1), far_hand=(4, -2),
            scarf=((0, 0), (-3, -1), (-6, -1))),
        pip(lean=-2, head=1, face=PIP_OUCH, sprout="down", front=(3, -1), behind=(4, -2), hand=(-4, 0),
            far_hand=(4, -1), scarf=((0, 0), (-3, 0), (-6, 1))),
    ], 6)  # fmt: skip
    add("pip.shoot", [
        pip(hand=(0, 3), far_hand=(5, 0), sprout="back", scarf=((0, 0), (-3, 1), (-6, 1))),
    ], 6)  # fmt: skip
    low = pip(
        head=3,
        hand=(-3, 3),
        far_hand=(3, 3),
        front=(-2, 0),
        behind=(2, 0),
        sprout="down",
        face=PIP_BLINK,
    )
    add("pip.land", [low], 6)
    add("pip.cheer", [
        pip(hand=(-6, -4), far_hand=(3, -5), scarf=hang),
        pip(head=-2, hand=(-6, -6), far_hand=(3, -6), front=(0, -2), behind=(0, -2), sprout="down",
            scarf=((0, 0), (-2, 3), (-3, 5))),
    ], 12)  # fmt: skip


# ---------------------------------------------------------------------- goblins

GOBLIN_HEAD = """
.....EEEEE......
...EEfffffEE....
e.EfFFFffffEE.e.
eEEfFFffffffEEE.
qeEfffffffffEeq.
.qeEaakffaakE...
..eEAakffAakEe..
..eEfffffEEEEE..
..qeEvEEvEvee...
....qeeeeeq.....
"""
GOBLIN_VEST = """
..wWWxWw..
.wWxxxXWw.
.wWxWxxWw.
.MmMMaMmM.
..wWwwWw..
"""
CLUB = """
...xX.
..xXyx
..WxXx
..WWx.
.wW...
.w....
w.....
"""


def goblin(
    *,
    bob: int = 0,
    front: tuple[float, float] = (0, 0),
    behind: tuple[float, float] = (0, 0),
    club: tuple[int, int] = (0, 0),
    angry: bool = False,
    ouch: bool = False,
) -> Drawing:
    art = Drawing(26, 24)
    x, top = 5, 3 + bob
    leg(art, (13, 17), (14 + behind[0], 22 + behind[1]), "qMw")
    leg(art, (9, 17), (9 + front[0], 22 + front[1]), "ewW")
    cx, cy = 16 + club[0], top + 7 + club[1]
    art.put(CLUB, cx, cy)
    art.line(15, top + 11, cx, cy + 5, "e", 2)
    art.put(GOBLIN_VEST, x + 2, top + 9)
    art.put(GOBLIN_HEAD, x - 1, top - 1, "aoAO" if angry else "")
    if ouch:
        art.put("fkffffkf\nffkffkff\nfkffffkf", x + 2, top + 4)
    art.line(x + 3, top + 11, x + 2, top + 14, "E", 2)
    art.box(x + 2, top + 14, 2, 2, "f")
    if angry:
        art.put("kk..\n..kk", x + 3, top + 3)
        art.put("..k\nkk.", x + 8, top + 3)
    return art.outlined()


def goblin_frames() -> None:
    stand = [goblin(), goblin(), goblin(bob=1), goblin(bob=1)]
    add("goblin.stand", stand, 10)
    step = ((3, 0), (0, 0), (-3, 0), (0, -2))
    walk = [
        goblin(
            bob=(0, 1)[phase % 2],
            front=step[phase],
            behind=step[(phase + 2) % 4],
            club=(0, (0, -1)[phase % 2]),
        )
        for phase in range(4)
    ]
    add("goblin.walk", walk, 8)
    hunt = [
        goblin(
            bob=(0, 1)[phase % 2],
            front=step[phase],
            behind=step[(phase + 2) % 4],
            club=(1, -5 + (0, -1)[phase % 2]),
            angry=True,
        )
        for phase in range(4)
    ]
    add("goblin.hunt", hunt, 5)
    add("goblin.hurt", [goblin(bob=1, front=(2, -1), behind=(2, -2), club=(2, 3), ouch=True)], 6)  # fmt: skip


CHIEF_HEAD = """
......A....A....A.......
......Aa..AaA..aA.......
......AaoaaAaaoaz.......
......zaaaaaaaaaz.......
.....EEEEEEEEEEEEE......
....EEffFFFfffffEEE.....
e..EEfFFFFfffffffEE..e..
eE.EffFFffffffffffE.Ee..
eEEEfkkkfffffffkkkEEEe..
.eEEffkkkfffffkkkfEEe...
..eEeaaakkfffkaaakEe....
...eEAaakfffffAaakE.....
...eEfaafffEEEfaafE.....
....EfffffEEffEfffe.....
....eEfffffeeeffEEe.....
....eEkkkkkkkkkkkEe.....
.....evEEkkkkkEEveq.....
.....eEvEeeeeeEvEe......
......eeEEEEEEEee.......
........qqeeeqq.........
"""


def chief(
    *,
    phase: int = 0,
    bob: int = 0,
    front: tuple[float, float] = (0, 0),
    behind: tuple[float, float] = (0, 0),
    club: tuple[int, int] = (0, 0),
    tired: bool = False,
) -> Drawing:
    """Draw the chief of the goblins; he looks angrier in each phase."""
    art = Drawing(56, 56)
    top = 11 + bob
    tones = ("qeEf", "qeEf", "rRoO")[phase]
    # cape
    for row in range(24):
        side = 5 + row // 4
        art.box(24 - side, top + 16 + row, 2 * side - 4, 1, "rR"[row % 5 > 1])
    for at, foot, shade in ((31, behind, "qeE"), (18, front, "eEf")):
        shade = shade if phase < 2 else "rRRo"
        art.line(at, 42, at + foot[0], 45 + foot[1], shade[0], 6)
        art.ball(at + 3 + foot[0], 46 + foot[1], 4, 5, shade)
        art.box(round(at - 1 + foot[0]), round(52 + foot[1]), 10, 2, "w")
        art.box(round(at - 1 + foot[0]), round(51 + foot[1]), 8, 1, "x")
    # the far arm and the club
    hx, hy = 40 + club[0], top + 27 + club[1]
    art.line(36, top + 20, hx, hy, tones[1], 5)
    direction = -1 if club[1] <= 0 else 1
    tip_x, tip_y = hx + 7, hy + direction * 19
    for width, letter in ((4, "w"), (3, "W"), (2, "x")):
        art.line(hx - 1, hy, tip_x, tip_y, letter, width)
    art.ball(tip_x + 1, tip_y + 2, 5, 7, "MwWxX")
    for dx, dy in ((-4, -2), (5, 0), (-3, 5), (4, 6), (1, -5)):
        art.box(round(tip_x + dx), round(tip_y + 2 + dy), 2, 2, "v")
    art.ball(hx + 2, hy + 1, 3, 3, tones)
    # belly
    art.ball(26, top + 26, 13, 11, tones)
    art.ball(28, top + 28, 8, 7, tones[1:], 0.6)
    art.box(14, top + 31, 25, 3, "M")
    art.box(14, top + 31, 25, 1, "w")
    art.put("aAa\nakz\nzzz", 26, top + 31)
    for dx in range(0, 24, 6):
        art.put("wWWWw\nwWxWw\n.wWw.\n..w..", 14 + dx, top + 34)
    # the near arm
    art.ball(15, top + 22, 5, 5, tones)
    art.line(12, top + 24, 11, top + 30, tones[1], 5)
    art.ball(13, top + 33, 4, 4, tones)
    swap = {0: "", 1: "aOAA", 2: "fOEoeRqrFAaAAV"}[phase]
    art.put(CHIEF_HEAD, 14, top - 2, swap)
    if phase:
        for side in (18, 31):
            art.put("oo\nRo\n.R", side, top + 12)
    if tired:
        art.put("fkkkf\nkfffk", 18, top + 9, swap)
        art.put("fkkkf\nkfffk", 28, top + 9, swap)
    return art.outlined()


def chief_frames() -> None:
    step = ((3, 0), (0, 0), (-3, 0), (0, -2))
    for phase in range(3):
        add(f"chief{phase + 1}.stand", [chief(phase=phase), chief(phase=phase, bob=1)], 14 - 4 * phase)  # fmt: skip
        add(
            f"chief{phase + 1}.walk",
            [
                chief(
                    phase=phase,
                    bob=(0, 1)[at % 2],
                    front=step[at],
                    behind=step[(at + 2) % 4],
                )
                for at in range(4)
            ],
            10 - 2 * phase,
        )
        add(f"chief{phase + 1}.strike", [
            chief(phase=phase, bob=-1, club=(-3, -8)), chief(phase=phase, bob=2, club=(3, 4), front=(-2, 0)),
        ], 10)  # fmt: skip
        add(f"chief{phase + 1}.tired", [chief(phase=phase, bob=2, tired=True, club=(2, 3)),
                                        chief(phase=phase, bob=3, tired=True, club=(2, 3))], 12)  # fmt: skip


# -------------------------------------------------------------------------- bat

BAT_BODY = """
.U.......U.
.Pu.....uP.
.PuU...UuP.
.PuuUUUuuP.
PuuUUUUUuuP
PuVkuuukVuP
PuAkuuukAuP
.PuuokouuP.
.pPuvuvuPp.
..pPuuuPp..
...ppppp...
"""
BAT_WINGS = (
    "..pPP.....\n.pPuPPP...\npPuuPPPPp.\npPuP.pPPPp\npPP...pPPP\np......pPP\n........p.",
    "..........\n..pPPPP...\n.pPuuPPPPp\npPuuPPPPPP\npPP.pPPPPP\npP...pP.pP\n..........",
    "..........\n..........\n..........\n..pPPPPPPp\n.pPuuPPPPP\npPuuPPpPPP\npPP.pP..pP\nP....p...p",
    "..........\n..........\n..........\n....pPPPPP\n..pPuuPPPP\n.pPuuPPPp.\npPuPPp....\npPPp......\npP........\np.........",
)


def bat_frames() -> None:
    frames = []
    for turn, height in zip((0, 1, 2, 3, 2, 1), (1, 0, -1, -2, -1, 0), strict=True):
        art = Drawing(34, 24)
        wing = Drawing.of(BAT_WINGS[turn])
        art.paste(wing, 3, 5 + height)
        art.paste(wing.mirrored(), 31 - wing.image.width, 5 + height)
        art.put(BAT_BODY, 11, 6 + height)
        frames.append(art.outlined())
    add("bat.fly", frames, 4)
    hang = Drawing(34, 24)
    hang.paste(Drawing.of(BAT_BODY.replace("V", "P").replace("A", "u").replace("o", "u")).turned_down(), 11, 5)  # fmt: skip
    fold = Drawing.of("..PP\n.pPu\npPuu\npPuu\npPuP\npPPp\n.pP.\n..p.")
    hang.paste(fold, 9, 5)
    hang.paste(fold.mirrored(), 20, 5)
    add("bat.hang", [hang.outlined()], 8)
    hurt = Drawing(34, 24)
    wing = Drawing.of(BAT_WINGS[3])
    hurt.paste(wing, 3, 6)
    hurt.paste(wing.mirrored(), 21, 6)
    hurt.put(BAT_BODY, 11, 6, "VkkVAk")
    add("bat.hurt", [hurt.outlined()], 8)


# ------------------------------------------------------------ turrets, missiles

TURRET = """
......llllll......
....llJjjJJJll....
...lJjvvjJJJJll...
..lJjvvjJJJJJJLL..
..lJjvjJkkkkJJLL..
.lJJjJJkooookJLLL.
.lJJJJkoROOookLLL.
.lJJJJkoOAOookLLL.
.lJJJJkooOoookLLL.
.lLJJJJkooookLLLL.
.lLLLJJJkkkkLLLLL.
..lllllllllllllL..
..gGGhHHhhGGGgdd..
.gGGhhHHhhGGGggdd.
.dddddddddddddddd.
"""
BARREL = """
lllllllljl
jjvvvjjvvk
JJjjjJJjjk
llllllllLk
"""


def turret_frames() -> None:
    for name, swap in (
        ("pebble", "oHOiRhAy"),
        ("rocket", ""),
        ("seeker", "oBOcRbAC"),
        ("bouncer", "ofOFREAF"),
    ):
        art = Drawing(22, 20)
        art.put(TURRET, 2, 3, swap)
        add(f"turret.{name}", [art.outlined()], 8)
    barrel = Drawing(14, 8)
    barrel.put(BARREL, 2, 2)
    add("turret.barrel", [barrel.outlined()], 8)
    # drawn over a turret that answers missiles
    eye = Drawing(12, 12)
    eye.put("..zaa.\n.zAVAa\nzAAkAa\nzaAAaz\n.zaaz.", 3, 3)
    add("turret.watch", [eye.outlined()], 8)


def missile_frames() -> None:
    def shots(name: str, *texts: str, swap: str = "") -> None:
        drawings = []
        for text in texts:
            art = Drawing(22, 16)
            rows = text.strip("\n").split("\n")
            art.put(text, (22 - max(map(len, rows))) // 2, (16 - len(rows)) // 2, swap)
            drawings.append(art.outlined())
        add(f"missile.{name}", drawings, 4)

    shots(
        "pebble",
        ".hii.\nhiViH\nhiiHG\nhHHGg\n.Ggg.",
        ".hHi.\nhHiiH\nhiViG\nhHiHg\n.Ggg.",
    )
    rocket = """
......llr.......
{}RRjjjjjjRR..
{}vVVvvvvjooOo
{}jjvvjjJJooRR
{}RRJJJJJJRR..
......llr.......
"""
    shots(
        "rocket",
        rocket.format("..a", "oOA", "zaO", "..o"),
        rocket.format(".oa", ".oA", "oaA", ".zo"),
    )
    seeker = """
{}.bbB..
{}bBBBccB
{}BcCCkkc
{}BBcckkB
{}bBBBBBb
{}.bbB..
"""
    shots(
        "seeker",
        seeker.format("....", "...b", "nbBc", ".nbB", "...b", "...."),
        seeker.format("....", "..nb", ".bBc", "nbBB", "...n", "...."),
    )
    shots(
        "bouncer",
        ".EfF.\nEfVFf\nefFfE\neEfEe\n.qeq.",
        "......\n.EFVF.\nEfFFfE\neEffEe\n.qeeq.",
    )


# ------------------------------------------------------------------------ items


def item_frames() -> None:
    coins: list[Drawing] = []
    for width in (5.2, 4.2, 2.6, 0.9, 2.6, 4.2):
        art = Drawing(14, 14)
        art.ball(6.5, 6.5, width, 5.2, "Zzaa" if width > 1 else "za")
        if width > 2:
            art.ball(6.5, 6.5, width - 1.6, 3.6, "zaaA", 0.9)
            art.line(6.5, 5, 6.5, 8, "z")
            art.line(6.5 - width / 2, 4, 6.5 - width / 4, 3, "A")
        else:
            art.line(6, 2, 6, 11, "A")
        if len(coins) > 3:
            art = art.mirrored()
        coins.append(art.outlined())
    add("coin.spin", coins, 6)

    heart = ".RoR.RoR.\nRoOooooooR\n".replace(
        "RoOooooooR", "RoOOooooR"
    ) + "RoOoooooR\nRooooooRr\n.RooooRr.\n..RooRr..\n...RRr...\n....r...."  # fmt: skip
    hearts = []
    for grown in (0, 0, 1, 0):
        art = Drawing(14, 14)
        art.put(heart, 2, 3 - grown)
        hearts.append(art.outlined())
    add("heart.beat", hearts, 8)

    for name, swap in (
        ("red", "aoAOzRZr"),
        ("green", "afAFzEZe"),
        ("blue", "aBAczbZn"),
        ("gold", ""),
    ):
        art = Drawing(18, 12)
        art.put(".zaaz.......\nzAaaaz......\naA..aaAAAAAa\naa..azzazzaz\nzaaaz...a.az\n.zzz....z.z.", 3, 3, swap)  # fmt: skip
        add(f"key.{name}", [art.outlined()], 8)
    chests()
    coin = Drawing(10, 10)
    coin.put(".zaaz.\nzaAAaz\naAzzaa\naAzzaa\nzaaaaz\n.zzzz.", 2, 2)
    add("hud.coin", [coin.outlined()], 8)
    for name, swap in (("full", ""), ("empty", "oKOgRdrk")):
        art = Drawing(14, 12)
        art.put(heart, 2, 2, swap)
        add(f"hud.heart.{name}", [art.outlined()], 8)
    half = Drawing(14, 12)
    half.put(heart, 2, 2, "oKOgRdrk")
    half.put("\n".join(row[:5] for row in heart.split("\n")), 2, 2)
    add("hud.heart.half", [half.outlined()], 8)


def chests() -> None:
    closed = """
.zXXXXXXXXXXXXz.
zxyXXXXXXXXXXxWz
zXXxxxxxxxxxxWwz
zWWwwwwwwwwwwwMz
zaaazzzaazzzzazz
zzzzzzaAAzzzzzZz
zxXXXxakazxxWWwz
zxXxxxzzzzxWWwwz
zWxxxxxzzxWWwwwz
zWWWWWWWWWwwwwMz
zzzzzzzzzzzzzzZz
"""
    opened = """
.zXXXXXXXXXXXXz.
zxXxxxxxxxxxxWwz
zWMMMMMMMMMMMMMz
zMkkkkkkkkkkkkkz
zkkzaAakzaAazkkz
zkzaAAAaaAAAaakz
zaaazzzaazzzzazz
zzzzzzzzzzzzzzZz
zxXXXxxxxxxxWWwz
zxXxxxxxxxxWWwwz
zWxxxxxxxxWWwwwz
zWWWWWWWWWwwwwMz
zzzzzzzzzzzzzzZz
"""
    for name, text in (("off", closed), ("on", opened)):
        art = Drawing(20, 18)
        art.put(text, 2, 16 - len(text.strip("\n").split("\n")))
        add(f"chest.{name}", [art.outlined()], 8)


# ---------------------------------------------------------------------- machines


def door_frames() -> None:
    """Doors are put together from three slices, so that they can have any height."""
    for name, swap in (
        ("red", "aoAOzRZr"),
        ("green", "afAFzEZe"),
        ("blue", "aBAczbZn"),
        ("none", "aXAyzxZW"),
    ):
        art = Drawing(16, 48)
        art.box(1, 0, 14, 48, "W")
        for x, shades in ((1, "wWx"), (5, "wWx"), (9, "wWW"), (12, "MwW")):
            for y in range(48):
                grain = shades[2] if (y * 7 + x * 5) % 11 < 2 else shades[1]
                art.box(x, y, 4 if x < 9 else 3, 1, grain)
                art.dot(x, y, shades[0])
        for y in (2, 42):
            art.put("zaaaaaaaaaaaaazz\nzAAaaaaaaaaaazZz\nzzzzzzzzzzzzzzZZ", 0, y, swap)  # fmt: skip
            art.put("A\na", 2, y, swap)
            art.put("A\na", 12, y, swap)
        art.put("..zaaz..\n.zaAAaz.\nzaAkkaaz\nzaAkkaaz\n.zakkaz.\n..zaaz..", 4, 20, swap)  # fmt: skip
        for y in range(48):
            art.dot(0, y, INK)
            art.dot(15, y, INK)
        for x in range(16):
            art.dot(x, 0, INK)
            art.dot(x, 47, INK)
        add(f"door.{name}", [art], 8)
    frame = Drawing(24, 10)
    frame.put("GhHHHHHHHHHHHHHHHHhhGG\nGhiHHhHHhHHHhHHHhhhhGg\ngGhhhGhhhGhhGGhhGGGGgd\n.dgggddgggddggggdgddd.", 1, 2)  # fmt: skip
    add("door.lintel", [frame.outlined()], 8)


def switch_frames() -> None:
    base = "..gGhHHHhhGg..\n.gGhhHhhhhGGg.\n.ddddddddddddd"
    for name, line, knob, swap in (
        ("off", (9, 13, 4, 6), (2, 3), ""),
        ("on", (8, 13, 13, 6), (11, 3), "ofOFRE"),
    ):
        art = Drawing(20, 20)
        art.line(*line, "J", 2)
        art.line(*line, "j", 1)
        art.put(".ooR\noOoR\noooR\n.RR.", *knob, swap)
        art.put(base, 2, 14)
        add(f"switch.{name}", [art.outlined()], 8)


def spring_frames() -> None:
    plate = "ROOOOOOOOOOOOOR\nRoooooooooooooR\n.RRRRRRRRRRRRR."
    for name, height in (("rest", 6), ("down", 3), ("up", 14)):
        art = Drawing(20, 24)
        top = 21 - height - 2
        art.box(3, 20, 14, 2, "l")
        art.box(3, 20, 14, 1, "J")
        coils = 3
        for coil in range(coils):
            y0 = top + 3 + coil * (height - 2) / coils
            y1 = top + 3 + (coil + 1) * (height - 2) / coils
            art.line(5, y0, 14, (y0 + y1) / 2, "l", 2 if height > 9 else 1)
            art.line(14, (y0 + y1) / 2, 5, y1, "J", 2 if height > 9 else 1)
            art.line(5, y0, 14, (y0 + y1) / 2, "v")
        art.put(plate, 2, top)
        add(f"spring.{name}", [art.outlined()], 8)


def wide(flag: Drawing) -> Drawing:
    """Return a flag with its pole in the middle."""
    result = Drawing(44, 40)
    result.paste(flag, 16, 0)
    return result


def scenery_frames() -> None:
    art = Drawing(16, 16)
    for x, tall in ((0, 9), (5, 11), (10, 8)):
        for y in range(tall):
            half = y * 2.6 / tall
            for dx in range(-3, 4):
                if abs(dx) <= half:
                    letter = (
                        "v" if dx < 0 else "j" if dx < 1 else "J" if dx < 2 else "l"
                    )
                    art.dot(x + 3 + dx, 14 - tall + y, letter)
        art.dot(x + 3, 14 - tall, "V")
    art.put("lJJjJJJjJJJjJJll\nLllllllllllllllL", 0, 14)
    add("spikes", [art.outlined()], 8)

    # a flag that lies down, and one that is up and waves
    pole = Drawing(28, 40)
    pole.line(5, 4, 5, 38, "J", 2)
    pole.line(5, 4, 5, 38, "v", 1)
    pole.put(".aa.\naAaz\nazzz\n.zz.", 4, 0)
    pole.put(".gGhhGg.\ngGhHhhGg", 2, 37)
    down = Drawing(28, 40)
    down.paste(pole, 0, 0)
    down.put(
        "jjJ....\nvjjJl..\njvjjJl.\nJjvjJJl\nJJjvjJl\nlJJjvJl\nlJJjjJl\n.lJJjJl\n.lJJJjl\n..lJJJl\n..lJJl.\n...lJl.\n....l..",
        7,
        6,
    )
    add("flag.off", [wide(down.outlined())], 8)
    up = []
    for phase in range(4):
        art = Drawing(28, 40)
        art.paste(pole, 0, 0)
        for x in range(17):
            lift = round(1.6 * math.sin(x * 0.55 - phase * math.pi / 2) * x / 10)
            depth = max(3, 11 - x // 4)
            for y in range(depth):
                letter = "eEf"[2 if y < 3 else 1 if y < depth - 2 else 0]
                art.dot(7 + x, 5 + x // 5 + lift + y, letter)
            if 4 <= x <= 10:
                art.dot(7 + x, 5 + x // 5 + lift + 4 + (abs(x - 7)) // 2, "F")
        up.append(art.outlined())
    add("flag.on", [wide(drawing) for drawing in up], 7)

    art = Drawing(16, 16)
    for x in (2, 12):
        art.box(x, 0, 2, 16, "W")
        art.box(x, 0, 1, 16, "x")
    for y in (2, 10):
        art.box(1, y, 14, 3, "x")
        art.box(1, y, 14, 1, "X")
        art.box(1, y + 2, 14, 1, "w")
        art.dot(2, y + 1, "k")
        art.dot(13, y + 1, "k")
    add("ladder", [art.outlined()], 8)

    # platforms: the left end, the middle and the right end
    plank = Drawing(48, 10)
    for y, letters in ((1, "jvvj"), (2, "JjjJ"), (3, "JJJl"), (4, "lJJl"), (5, "llll"), (6, "LllL")):  # fmt: skip
        for x in range(1, 47):
            plank.dot(x, y, letters[(x * 3 + y) % 4])
    for x in (4, 20, 28, 43):
        plank.put("vj\njL", x - 1, 3)
    plank.put("aA\nza\nza\nzz\n.Z", 1, 2)
    plank.put("aA\naz\naz\nzz\nZ.", 45, 2)
    add_slices("platform.steel", plank.outlined())
    for name, cracks in (("whole", 0), ("cracked", 3), ("broken", 8)):
        art = Drawing(48, 12)
        for y in range(1, 10):
            for x in range(1, 47):
                ragged = 9 - (x * 5 // 3 + x // 7) % 4
                if y < ragged:
                    letters = "ihHG" if y < 3 else "hGGg" if y < 6 else "gGdg"
                    art.dot(x, y, letters[(x * 7 + y * 5 + x * y) % 4])
        art.put("fEfFEffEEfFfEEffEFfEEfFfEEffEFfEEfFfEEffEFfEfE", 1, 1)
        art.put("e.eEe.Ee..eE.ee..Ee.eE.e..eE.ee..Ee.eE.e..e.eE", 1, 2)
        for crack in range(cracks):
            x = 6 + crack * 37 % 36
            art.line(x, 1, x + 2, 4, "k")
            art.line(x + 2, 4, x + (0, 4)[crack % 2], 8, "k")
        add_slices(f"platform.{name}", art.outlined())
    bit = Drawing(8, 8)
    bit.put(".hH.\nhHGg\nGGgd\n.dd.", 2, 2)
    add("platform.bit", [bit.outlined()], 8)
    exits()
    sign = Drawing(20, 20)
    sign.box(8, 10, 3, 8, "w")
    sign.box(8, 10, 1, 8, "x")
    sign.put(
        "wxXXXXXXXXXXXxw\nxXyXXXXXyXXXXXx\nxXmmXmmmXmmXmXx\nxXXXXXXXXXXXXXx\nxxmmmXmXmmmXxxx\nxXxxxxxxxxxxxWx\nwWWWWWWWWWWWWWw",
        2,
        3,
    )
    sign.put(".eEf..fE.e\neEeEeEeEEe", 5, 17)
    add("sign", [sign.outlined()], 8)
    cave = Drawing(30, 26)
    cave.ball(15, 13, 13, 11, "ddgGhH")
    cave.ball(15, 14, 9.5, 8, "kkkK")
    add("cave.dark", [cave.outlined()], 8)
    for x, y in ((11, 12), (18, 14)):
        cave.put("aa\nak", x, y)
    add("cave", [cave.outlined()], 8)


def exits() -> None:
    arch = Drawing(40, 52)
    for y in range(4, 51):
        for x in range(2, 38):
            dx, dy = (x - 19.5) / 17.5, min(0.0, (y - 22) / 18)
            if dx * dx + dy * dy <= 1:
                stone = (y // 6 + (x // 8 if y < 22 else x // 9)) % 3
                edge = y % 6 == 0 or (x + (y // 6) * 4) % 9 == 0
                arch.dot(x, y, "g" if edge else "GhH"[stone])
    arch.put("..aa..\n.aAAa.\naAVAAz\n.aAaz.\n..zz..", 17, 4)
    for name, count in (("off", 1), ("on", 4)):
        frames = []
        for phase in range(count):
            art = Drawing(40, 52)
            art.paste(arch, 0, 0)
            for y in range(12, 51):
                for x in range(8, 32):
                    dx, dy = (x - 19.5) / 11.8, min(0.0, (y - 24) / 12)
                    if dx * dx + dy * dy > 1:
                        continue
                    if name == "off":
                        plank = "wWxW"[(x - 8) % 6 // 2] if (x - 8) % 6 else "M"
                        art.dot(x, y, plank)
                    else:
                        far = math.hypot((x - 19.5) / 12, (y - 36) / 20)
                        turn = math.atan2(y - 36, x - 19.5)
                        wave = math.sin(turn * 2 + far * 9 - phase * math.pi / 2)
                        glow = 1.25 - far + 0.28 * wave
                        art.dot(x, y, "ZzaAAVV"[max(0, min(6, int(glow * 5)))])
            if name == "off":
                for y in (20, 40):
                    art.box(9, y, 22, 2, "l")
                    art.box(9, y, 22, 1, "J")
                art.put("aA\nzz", 27, 31)
            frames.append(art.outlined())
        add(f"exit.{name}", frames, 6)


# ------------------------------------------------------------------- the screen


def icon_frames() -> None:
    def icon(name: str, text: str, swap: str = "") -> None:
        rows = text.strip("\n").split("\n")
        art = Drawing(max(map(len, rows)) + 2, len(rows) + 2)
        art.put(text, 1, 1, swap)
        add(f"icon.{name}", [art.outlined()], 8)

    icon("rewind", "....v....v\n...vv...vv\n..vvv..vvv\n.vvvv.vvvv\nvvvvvvvvvv\n.jjjj.jjjj\n..jjj..jjj\n...jj...jj\n....j....j")  # fmt: skip
    icon("play", "v....\nvv...\nvvv..\nvvvv.\nvvvvv\njjjj.\njjj..\njj...\nj....")
    icon("hand", "A........\nAA.......\nAAA......\nAaAA.....\nAaaAA....\nAaaaz....\nAaaz.....\nAaz......\nAz.......\nz........")  # fmt: skip
    icon("clock", "..vvvv..\n.vVkVVv.\nvVVkVVVj\nvVVkVVVj\nvVVkkkVj\nvVVVVVVj\n.jVVVVj.\n..jjjj..")  # fmt: skip
    icon("damaged", "....A....\n...AaA...\n...AkA...\n..AakaA..\n..AakaA..\n.AaaaaaA.\n.AaakaaA.\nAaaaaaaaA\nzzzzzzzzz")  # fmt: skip
    icon("lock", "..jjj..\n.j...j.\n.j...j.\naaaaaaa\naAakaaz\naaakaaz\nazzzzzz")
    icon("check", ".......f\n......fF\n.....fF.\nf...fF..\nfF.fF...\n.fFF....\n..f.....")  # fmt: skip
    icon("skull", ".vVVVv.\nvVVVVVj\nvkkVkkj\nvkkVkkj\njVVkVVj\n.jVVVj.\n.vkvkv.")
    icon("disk", "bBBBBBBb\nbvvvvBcb\nbvJJvBcb\nbBBBBBBb\nbVVVVVVb\nbVJJJJVb\nbVVVVVVb\nnnnnnnnn")  # fmt: skip
    icon("sound", "...a....\n..aa..v.\naaaa.v.v\naaAa...v\naaAa...v\naaaa.v.v\n..aa..v.\n...a....")  # fmt: skip
    icon("mark.hurt", ".o.o.\nooooo\nooooo\n.ooo.\n..o..")
    icon("mark.coin", ".aa.\naAaa\naaaz\n.zz.")
    icon("mark.player-dead", ".vvv.\nvkvkv\nvvvvv\n.v.v.")
    icon("mark.flag", "jff.\njfff\njff.\nj...\nj...")
    icon("mark.key", "cc..\nccBB\nbb.B")
    icon("mark.goblin-dead", "v.v\nvvv\n.v.")

    logo()
    panel = Drawing(24, 24)
    panel.box(0, 0, 24, 24, "k")
    panel.box(1, 1, 22, 22, "z")
    panel.box(2, 2, 20, 20, "Z")
    panel.box(3, 3, 18, 18, "k")
    panel.box(4, 4, 16, 16, "m")
    for x, y in ((1, 1), (22, 1), (1, 22), (22, 22)):
        panel.dot(x, y, "A")
    for x, y in ((0, 0), (23, 0), (0, 23), (23, 23)):
        panel.image.putpixel((x, y), (0, 0, 0, 0))
    for x in range(2, 22):
        panel.dot(x, 1, "a")
    add("panel", [panel], 8)
    row = Drawing(24, 24)
    row.box(0, 0, 24, 24, "Z")
    row.box(1, 1, 22, 22, "w")
    row.box(1, 1, 22, 1, "W")
    add("panel.chosen", [row], 8)
    well = Drawing(24, 24)
    well.box(0, 0, 24, 24, "k")
    well.box(1, 1, 22, 22, "K")
    well.box(1, 22, 22, 1, "d")
    add("panel.well", [well], 8)


LOGO = """
############....########..############....
##############..########..##############..
###############.########..###############.
#####....######.########..#####....######.
#####.....#####...####....#####.....#####.
#####.....#####...####....#####.....#####.
#####....######...####....#####....######.
###############...####....###############.
##############....####....##############..
############......####....############....
#####.............####....#####...........
#####.............####....#####...........
#####...........########..#####...........
#####...........########..#####...........
#####...........########..#####...........
"""


def logo() -> None:
    """The name of the game, of gold, with a sprout."""
    art = Drawing(50, 30)
    rows = LOGO.strip("\n").split("\n")
    tones = "VAAAAaaaaaazzzZ"
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter == "#":
                edge = x == 0 or row[x - 1] == "."
                art.dot(x + 3, y + 11, "A" if edge and y < 11 else tones[y])
    art.put(
        "..........FF.\n.FF.....FffF.\nFffF...FfffE.\nFfffF..fffE..\n.fffEF.fE....\n..EEffeE.....\n....efe......\n.....e.......\n.....e.......",
        17,
        2,
    )
    art = art.outlined()
    shadow = art.outlined("m")
    big = Drawing(200, 120)
    big.image = shadow.image.resize((200, 120), Image.Resampling.NEAREST)
    add("logo", [big], 8)


# ------------------------------------------------------------------- the sheet

FRAMES: dict[str, tuple[list[Drawing], int]] = {}


def add(name: str, drawings: list[Drawing], time: int) -> None:
    """Add an animation; each picture is shown for `time` frames of the game."""
    FRAMES[name] = drawings, time


def add_slices(name: str, drawing: Drawing) -> None:
    """Add a picture in three parts of 16 pixels each: left, middle, right."""
    parts = []
    for x in (0, 16, 32):
        part = Drawing(16, drawing.image.height)
        part.image = drawing.image.crop((x, 0, x + 16, drawing.image.height))
        parts.append(part)
    add(name, parts, 8)


def main() -> None:
    """Draw everything, and put it on one sheet."""
    for draw in (
        *(pip_frames, goblin_frames, bat_frames, chief_frames, turret_frames),
        *(missile_frames, item_frames, door_frames, switch_frames, spring_frames),
        *(scenery_frames, icon_frames),
    ):
        draw()
    width = 512
    table: dict[str, object] = {}
    placed: list[tuple[Drawing, int, int]] = []
    x = y = line = 0
    by_height = sorted(FRAMES.items(), key=lambda item: -item[1][0][0].image.height)
    for name, (drawings, time) in by_height:
        boxes = []
        for drawing in drawings:
            w, h = drawing.image.size
            if x + w > width:
                x, y, line = 0, y + line, 0
            boxes.append([x, y, w, h])
            placed.append((drawing, x, y))
            x, line = x + w, max(line, h)
        table[name] = {"time": time, "frames": boxes}
    sheet = Image.new("RGBA", (width, y + line))
    for drawing, left, top in placed:
        sheet.paste(drawing.image, (left, top))
    sheet.save(FOLDER / "sprites.png", optimize=True)
    rows = (
        f"  {json.dumps(name)}: {json.dumps(table[name])}" for name in sorted(table)
    )
    (FOLDER / "sprites.json").write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
