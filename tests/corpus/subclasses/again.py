import game

Rider = game.Enemy
