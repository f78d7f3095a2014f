"""What the readers of all formats use."""
