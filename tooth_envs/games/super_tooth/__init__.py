"""Super Tooth: the class is in game.py."""
