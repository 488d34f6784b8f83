"""What the generated registry and the generated mixins are made of: the base class of mixins, fields, entries, the registry."""
