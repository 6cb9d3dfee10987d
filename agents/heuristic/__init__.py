"""Rule-based players, one module per game, each with a compiled ``policy(view, mask, key)`` that sees a view only."""
