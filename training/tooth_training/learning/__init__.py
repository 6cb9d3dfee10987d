"""Training by self-play."""
