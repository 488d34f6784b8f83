"""A small platformer that shows how to mark the classes and fields that a game saves.

Start with `camera.py`. `python -m sample_game` saves a room, changes everything in it, and
loads it again.
"""
