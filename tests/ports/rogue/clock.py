"""Whose turn it is: tickets in a heap."""

import heapq


class Ticket:
    def __init__(self, tick, number, actor):
        self.tick = tick
        self.number = number
        self.actor = actor

    def __lt__(self, other):
        return (self.tick, self.number) < (other.tick, other.number)


class TurnQueue:
    def __init__(self):
        self.now = 0
        self.last_number = 0
        self.heap = []

    def schedule(self, delay, actor):
        self.last_number += 1
        heapq.heappush(self.heap, Ticket(self.now + delay, self.last_number, actor))

    def next(self):
        ticket = heapq.heappop(self.heap)
        self.now = ticket.tick
        return ticket.actor
