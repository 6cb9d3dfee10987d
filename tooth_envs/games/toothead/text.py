def describe(game, view): return ""
def describe_action(game, view, action): return game.actions[action]
def describe_event(game, event, seat): return None
def why_not(game, state, action): return ""
