"""The bytes of a save file: written, verified, limited, read."""
