"""Building objects from prefabs, for a game and for levels; `linking/` describes every prefab for pass 3."""
