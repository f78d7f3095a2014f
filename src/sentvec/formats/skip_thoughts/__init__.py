"""The released files of Skip-Thought."""
