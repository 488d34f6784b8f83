"""A small platformer that shows how a game marks what it saves.

Begin with `camera.py`; `python -m sample_game` saves a level, spoils it and loads it again.
"""
