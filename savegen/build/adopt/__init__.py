"""Propose marks for a game that has none: what is saved, what is rebuilt, and what is unclear.

`program` indexes the source, `changes` follows the containers that it fills, `inference` finds
the types of expressions, `attributes` decides each attribute of a class, `reach` follows the
types from the classes that the game pickles, and `report` presents the result.
`savegen.build.codemod.mark` writes the marks.
"""
