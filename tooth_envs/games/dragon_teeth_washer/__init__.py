"""Dragon Teeth Washer: the class is in game.py."""
