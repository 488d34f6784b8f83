import shutil
from pathlib import Path

from PIL import Image

path = "levels/cave/sprites/layer1.png"
sprites = Image.open(path)
sprites.putpixel((4, 4), (0, 0, 0, 0))
sprites.putpixel((11, 2), (0, 0, 0, 0))
sprites.save(path)
file = Path("levels/cave/level.lvl")
file.write_text(file.read_text().replace('"heart"', '"hearts"').replace("BLEU", "BLUE"))
shutil.copytree("levels/cave", "released/cave")
sprites.putpixel((10, 2), (0, 0, 0, 0))
sprites.putpixel((12, 2), (255, 215, 0, 255))
sprites.putpixel((14, 5), (0, 0, 0, 0))
sprites.putpixel((13, 5), (139, 74, 31, 255))
sprites.save(path)
