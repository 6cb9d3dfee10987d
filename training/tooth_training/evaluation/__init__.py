"""Measuring agents and games."""
