from __future__ import annotations

import random
import weakref
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

from .agents import Agent, Digger, Place, Scout


@dataclass
class Weather:
    """Shares its generator with the colony."""

    noise: np.random.Generator
    temperature: float = 15.0
    log: list[float] = field(default_factory=list)

    def step(self) -> None:
        self.temperature += float(self.noise.normal())
        self.log.append(self.temperature)
        if len(self.log) > 10:
            del self.log[0]


@dataclass
class Rumour:
    """Goes from mouth to mouth, and is forgotten."""

    text: str
    age: int = 0


@dataclass(eq=False)
class Colony:
    rng: random.Random
    noise: np.random.Generator
    weather: Weather
    size: int = 32
    day: int = 0
    agents: list[Agent] = field(default_factory=list)
    rumours: list[Rumour] = field(default_factory=list)
    by_place: dict[Place, list[Agent]] = field(default_factory=dict)
    food: np.ndarray = field(init=False)
    places: weakref.WeakKeyDictionary[Agent, Place] = field(init=False)
    records: dict = field(default_factory=dict)
    on_day: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        self.food = np.zeros((self.size, self.size))
        self.places = weakref.WeakKeyDictionary()
        self.best_name = None

    def add(self, agent: Agent) -> None:
        if self.agents:
            agent.follows = self.agents[-1]
        self.agents.append(agent)
        self.index()

    def index(self) -> None:
        self.places = weakref.WeakKeyDictionary()
        for agent in self.agents:
            self.places[agent] = agent.place

    def step(self) -> None:
        self.day += 1
        self.weather.step()
        for agent in self.agents[self.day % 50 :: 50]:
            agent.act()
            self.places[agent] = agent.place
            self.food[agent.place.x % self.size, agent.place.y % self.size] += 1
        self.food += self.noise.random()
        if self.rng.random() < 0.2:
            self.rumours.append(Rumour(f"day {self.day}"))
            self.by_place.clear()
            for agent in self.agents[:5]:
                self.by_place.setdefault(agent.place, []).append(agent)
        for rumour in self.rumours:
            rumour.age += 1
        self.rumours = [rumour for rumour in self.rumours if rumour.age < 9]
        self.best_name = max(self.agents, key=lambda agent: agent.energy).name
        self.records[self.best_name] = self.weather.temperature
        if self.on_day:
            self.on_day(self.day)


def new_colony(seed: int, count: int) -> Colony:
    rng = random.Random(seed)
    noise = np.random.default_rng(seed)
    colony = Colony(rng, noise, Weather(noise))
    for number in range(count):
        kind = Digger if number % 3 else Scout
        agent = kind(f"ant {number}", Place(number % 7, number % 5), rng)
        if colony.agents:
            agent.follows = colony.agents[-1]
        colony.agents.append(agent)
    colony.index()
    return colony
