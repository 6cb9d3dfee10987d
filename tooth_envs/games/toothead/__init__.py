"""Toothead: the class is in game.py."""
