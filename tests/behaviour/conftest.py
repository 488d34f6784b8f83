"""What is collected of the behaviour tests."""

# Begun, and not yet seen to pass as they stand: each waits for a mend that it names.
collect_ignore = [
    "test_errors.py",
    "test_examples.py",
    "test_hostile.py",
    "test_imports.py",
    "test_inheritance.py",
    "test_names.py",
    "test_override.py",
    "test_types.py",
]
