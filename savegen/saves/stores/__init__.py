"""Stores: where the files of saves are kept."""
