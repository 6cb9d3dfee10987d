"""The rules: deal, legal, apply, advance, finish. Each chapter has a file of its own; this one finds the right page.

setup     who begins, docks, the deal            specials  special cards
turns     rounds, phases, moves, the exchange    dice      card dice
tricks    tricks and weapons                     fight     attack, tokens, dice, aftermath
effects   what cards say, instruction by         pool      what counts in a fight
          instruction                            eating    the Eating Phase
island    island cards and the island die        outcome   ranks and rewards
table     what lies on the table and moves       machine   interrupting and going back

R and J are rules and rulings of the specification.
"""

from __future__ import annotations

from tooth_envs.engine import protocol
from tooth_envs.engine.compile import compiled
from tooth_envs.engine.state import RUNNING
from tooth_envs.games.toothead import dice, eating, effects, fight, outcome, setup, tricks, turns
from tooth_envs.games.toothead.machine import halts
from tooth_envs.games.toothead.state import (
    AFTERMATH,
    ASK_ATTACKED,
    ASK_DIE,
    ASK_DIESEAT,
    ASK_DIEWIN,
    ASK_DISCARD,
    ASK_DOCK,
    ASK_DRAWN,
    ASK_EAT,
    ASK_EATWIN,
    ASK_EXCH,
    ASK_FLIP,
    ASK_FSIDE,
    ASK_FTURN,
    ASK_FUEL,
    ASK_FWIN,
    ASK_GIVE,
    ASK_LANE,
    ASK_PICK,
    ASK_TARGET,
    ASK_TARGET2,
    ASK_TRICKWIN,
    ASK_TURN,
    ATTACK,
    CHOOSE_DOCKS,
    CLEAN_UP,
    DEAL,
    DICE_WINDOW,
    DOCK,
    EATING,
    EATING_WINDOW,
    EFFECT,
    EXCHANGE,
    FIGHT_DICE,
    FIGHT_START,
    FIGHT_WINDOW,
    IN_TURN,
    NEXT_TURN,
    OUTCOME,
    PHASE_START,
    PLACING,
    ROUND_END,
    SETUP,
    TRICK,
    TRICK_EFFECT,
    TRICK_END,
    TRICK_WINDOW,
)

finish = outcome.finish


@compiled
def deal(tables, state):  # type: ignore[no-untyped-def]
    """R4-R10: from the box to the first decision."""
    setup.lay_out(tables, state)
    run(tables, state)


@compiled
def legal(tables, state, mask):  # type: ignore[no-untyped-def]
    """What the seat to act may do (section 5.2)."""
    asked = state.decision
    if asked == ASK_TURN:
        turns.legal_turn(tables, state, mask)
    elif asked == ASK_FTURN:
        fight.legal_placing(tables, state, mask)
    elif asked == ASK_LANE:
        fight.legal_lanes(state, mask)
    elif asked == ASK_FLIP:
        fight.legal_flip(mask)
    elif asked == ASK_ATTACKED:
        fight.legal_attacked(tables, state, mask)
    elif asked == ASK_FWIN:
        fight.legal_fight_window(tables, state, mask)
    elif asked == ASK_FUEL:
        fight.legal_fuel(state, mask)
    elif asked == ASK_DRAWN:
        turns.legal_drawn(mask)
    elif asked == ASK_EXCH:
        turns.legal_exchange(tables, state, mask)
    elif asked == ASK_TARGET and state.phase == TRICK:
        tricks.legal_target(tables, state, mask)
    elif asked == ASK_TARGET2:
        tricks.legal_second_target(tables, state, mask)
    elif asked == ASK_TRICKWIN:
        tricks.legal_trick_window(tables, state, mask)
    elif asked == ASK_DIEWIN:
        dice.legal_dice_window(tables, state, mask)
    elif asked in (ASK_DISCARD, ASK_GIVE, ASK_PICK):
        effects.legal_cards(tables, state, mask)
    elif asked in (ASK_TARGET, ASK_DIESEAT, ASK_FSIDE):
        effects.legal_seats(tables, state, mask)
    elif asked == ASK_DIE:
        effects.legal_dice(state, mask)
    elif asked == ASK_EATWIN:
        eating.legal_eating_window(tables, state, mask)
    elif asked == ASK_EAT:
        eating.legal_eating(tables, state, mask)
    else:
        setup.legal_docks(tables, state, mask)


@compiled
def apply(tables, state, action):  # type: ignore[no-untyped-def]
    """Carry out a decision."""
    outcome.add_potential(tables, state, -1.0)
    seat = int(state.seat)
    asked = int(state.decision)
    state.seat = -1
    state.decision = -1
    if asked == ASK_TURN:
        turns.take_turn(tables, state, seat, action)
    elif asked == ASK_FTURN:
        fight.place_card(tables, state, seat, action)
    elif asked == ASK_LANE:
        fight.choose_lane(tables, state, seat, action)
    elif asked == ASK_FLIP:
        fight.flip(tables, state, action)
    elif asked == ASK_ATTACKED:
        fight.answer_attack(tables, state, seat, action)
    elif asked == ASK_FWIN:
        fight.in_fight_window(tables, state, seat, action)
    elif asked == ASK_FUEL:
        fight.give_fuel(state, seat, action)
    elif asked == ASK_DRAWN:
        turns.decide_drawn(tables, state, seat, action)
    elif asked == ASK_EXCH:
        turns.exchange(tables, state, seat, action)
    elif asked == ASK_TARGET2 or (asked == ASK_TARGET and state.phase == TRICK):
        tricks.choose_target(tables, state, seat, action)
    elif asked == ASK_TRICKWIN:
        tricks.object_to_trick(state, seat, action)
    elif asked == ASK_DIEWIN:
        dice.in_dice_window(tables, state, seat, action)
    elif asked in (ASK_DISCARD, ASK_GIVE, ASK_PICK):
        effects.chosen_card(tables, state, seat, asked, action)
    elif asked in (ASK_TARGET, ASK_DIESEAT, ASK_FSIDE, ASK_DIE):
        effects.chosen_other(tables, state, seat, asked, action)
    elif asked == ASK_EATWIN:
        eating.in_eating_window(tables, state, seat, action)
    elif asked == ASK_EAT:
        eating.eat(tables, state, seat, action)
    elif asked == ASK_DOCK:
        setup.take_dock(state, seat, action - DOCK)
    run(tables, state)
    outcome.add_potential(tables, state, 1.0)


@compiled
def advance(tables, state):  # type: ignore[no-untyped-def]
    """Go on from ``phase``, whoever was asked before."""
    state.seat = -1
    state.decision = -1
    run(tables, state)


@compiled
def run(tables, state):  # type: ignore[no-untyped-def]
    """The state machine: node after node, until a seat has to decide or the game is over."""
    for _ in range(protocol.MOST_PHASES):
        if state.seat >= 0 or state.over != RUNNING or halts(state):
            return
        now = state.phase
        if now == IN_TURN:
            turns.ask_turn(state)
        elif now >= ATTACK:
            go_on_fighting(tables, state, now)
        elif now >= TRICK:
            go_on_playing(tables, state, now)
        else:
            go_on_round(tables, state, now)
    protocol.give_up(state)


@compiled
def go_on_fighting(tables, state, now):  # type: ignore[no-untyped-def]
    """Nodes of a fight."""
    if now == ATTACK:
        fight.attack_stage(state)
    elif now == FIGHT_START:
        fight.start_stage(tables, state)
    elif now == PLACING:
        fight.placing_stage(tables, state)
    elif now == FIGHT_DICE:
        fight.roll_fight_dice(tables, state)
    elif now == FIGHT_WINDOW:
        fight.fight_window(tables, state)
    elif now == OUTCOME:
        fight.outcome(tables, state)
    elif now == AFTERMATH:
        fight.aftermath(tables, state)
    elif now == CLEAN_UP:
        fight.clean_up(tables, state)


@compiled
def go_on_playing(tables, state, now):  # type: ignore[no-untyped-def]
    """Nodes of a trick, of an effect, and of card dice."""
    if now == EFFECT:
        effects.effect(tables, state)
    elif now == TRICK:
        tricks.ask_target(tables, state)
    elif now == TRICK_WINDOW:
        tricks.trick_window(tables, state)
    elif now == TRICK_EFFECT:
        tricks.trick_effect(tables, state)
    elif now == TRICK_END:
        tricks.trick_end(tables, state)
    elif now == DICE_WINDOW:
        dice.dice_window(tables, state)


@compiled
def go_on_round(tables, state, now):  # type: ignore[no-untyped-def]
    """Nodes of setup and of a round."""
    if now == NEXT_TURN:
        turns.next_turn(tables, state)
    elif now == EXCHANGE:
        turns.ask_exchange(state)
    elif now == PHASE_START:
        turns.start_phase(state)
    elif now == EATING_WINDOW:
        eating.eating_window(tables, state)
    elif now == EATING:
        eating.eating(tables, state)
    elif now == ROUND_END:
        eating.end_round(tables, state)
    elif now == SETUP:
        setup.roll_for_order(tables, state)
    elif now == CHOOSE_DOCKS:
        setup.choose_docks(tables, state)
    elif now == DEAL:
        setup.deal_cards(state)
