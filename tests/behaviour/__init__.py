"""Tests that run what was generated, in processes of their own."""
