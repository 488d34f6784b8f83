from PIL import Image

ground = Image.new("RGBA", (16, 8))
ground.paste("#6b6358", (0, 6, 16, 8))
ground.paste("#6b6358", (9, 3, 13, 4))
ground.save("levels/cave/geometry/layer1.png")
sprites = Image.new("RGBA", (16, 8))
for x, y, colour in [
    (2, 5, "#00ffff"),
    (14, 5, "#8b4a1f"),
    (10, 2, "#ffd700"),
    (5, 5, "#ffe97f"),
    (6, 5, "#c8a000"),
]:
    sprites.paste(colour, (x, y, x + 1, y + 1))
sprites.save("levels/cave/sprites/layer1.png")
