"""The objects of a running game: keys, slots, `GameObject`, pools, assets, groups, hooks."""
