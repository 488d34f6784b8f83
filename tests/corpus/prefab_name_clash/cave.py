# cave.py
from savegen import part, prefab

from hill import Body


@prefab
class Orc:
    body = part(Body)
