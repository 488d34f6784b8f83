"""The sounds of the game. Without a device for sound, or switched off, it is silent."""

from __future__ import annotations

import pygame

from sample_game.screen.painter import ART

APART = 3  # frames between two of the same sound


class Sounds:
    """Plays sounds by the names of events."""

    def __init__(self) -> None:
        self.volume = 0.8
        self._last: dict[str, int] = {}
        self._sounds: dict[str, pygame.mixer.Sound] = {}
        try:
            pygame.mixer.init(16_000, -16, 1, 256)
        except pygame.error:
            return
        for file in sorted((ART / "sounds").glob("*.wav")):
            self._sounds[file.stem] = pygame.mixer.Sound(file)

    def play(self, name: str, time: int) -> None:
        """Play a sound at a time in frames, if there is one of this name."""
        sound = self._sounds.get(name)
        if sound is None or not self.volume:
            return
        if 0 <= time - self._last.get(name, -APART) < APART:
            return  # many of the same at once are only louder
        self._last[name] = time
        sound.set_volume(self.volume)
        sound.play()
