"""What a game declares, and what is checked of it."""
