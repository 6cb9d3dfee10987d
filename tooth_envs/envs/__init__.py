"""Environments: one table, many tables, one seat, trees; and what surrounds them."""
