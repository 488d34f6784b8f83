"""What has changed since the last save, behind it in a file of its own."""
