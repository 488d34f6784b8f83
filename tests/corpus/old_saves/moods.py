from enum import Enum


class Mood(Enum):
    CALM = 1
    ANGRY = 2
