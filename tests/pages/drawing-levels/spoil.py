from pathlib import Path

from PIL import Image

path = "levels/cave/sprites/layer1.png"
sprites = Image.open(path)
sprites.putpixel((4, 4), (255, 216, 0, 255))
sprites.putpixel((11, 2), (255, 215, 0, 90))
sprites.save(path)
file = Path("levels/cave/level.lvl")
file.write_text(file.read_text().replace('"hearts"', '"heart"').replace("BLUE", "BLEU"))
