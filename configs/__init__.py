"""Training and evaluation settings as YAML files, one per game and purpose."""
