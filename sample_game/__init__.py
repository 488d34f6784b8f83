"""A small platformer that shows how to mark the classes and fields that a game saves.

Start with `camera.py`, a class with its marks; `game.py` saves, loads and rewinds the world.
`python -m sample_game` plays it.
"""
