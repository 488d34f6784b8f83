from pathlib import Path

from PIL import Image

ground = Image.new("RGBA", (20, 10))
ground.paste("#505050", (0, 8, 20, 10))
sprites = Image.new("RGBA", (20, 10))
for place, colour in {
    (3, 6): (0, 0, 255, 255),
    (8, 3): (255, 0, 255, 255),
    (3, 7): (255, 0, 0, 255),
}.items():
    sprites.putpixel(place, colour)
for kind, image in {"geometry": ground, "sprites": sprites}.items():
    folder = Path("levels/cave", kind)
    folder.mkdir(parents=True, exist_ok=True)
    image.save(folder / "layer1.png")
