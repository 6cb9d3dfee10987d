"""Tools of the repository, not part of what is installed."""
