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
from tooth_envs.engine.records import Mask
from tooth_envs.engine.state import RUNNING
from tooth_envs.games.toothead import dice, eating, effects, fight, outcome, setup, tricks, turns
from tooth_envs.games.toothead.machine import halts
from tooth_envs.games.toothead.state import Action, Decision, Phase, State, Tables

finish = outcome.finish


@compiled
def deal(tables: Tables, state: State) -> None:
    """R4-R10: from the box to the first decision."""
    setup.lay_out(tables, state)
    run(tables, state)


@compiled
def legal(tables: Tables, state: State, mask: Mask) -> None:
    """What the seat to act may do (section 5.2)."""
    asked = state.decision
    if asked == Decision.TURN:
        turns.legal_turn(tables, state, mask)
    elif asked == Decision.FTURN:
        fight.legal_placing(tables, state, mask)
    elif asked == Decision.LANE:
        fight.legal_lanes(state, mask)
    elif asked == Decision.FLIP:
        fight.legal_flip(mask)
    elif asked == Decision.ATTACKED:
        fight.legal_attacked(tables, state, mask)
    elif asked == Decision.FWIN:
        fight.legal_fight_window(tables, state, mask)
    elif asked == Decision.FUEL:
        fight.legal_fuel(state, mask)
    elif asked == Decision.DRAWN:
        turns.legal_drawn(mask)
    elif asked == Decision.EXCH:
        turns.legal_exchange(tables, state, mask)
    elif asked == Decision.TARGET and state.phase == Phase.TRICK:
        tricks.legal_target(tables, state, mask)
    elif asked == Decision.TARGET2:
        tricks.legal_second_target(tables, state, mask)
    elif asked == Decision.TRICKWIN:
        tricks.legal_trick_window(tables, state, mask)
    elif asked == Decision.DIEWIN:
        dice.legal_dice_window(tables, state, mask)
    elif asked in (Decision.DISCARD, Decision.GIVE, Decision.PICK):
        effects.legal_cards(tables, state, mask)
    elif asked in (Decision.TARGET, Decision.DIESEAT, Decision.FSIDE):
        effects.legal_seats(tables, state, mask)
    elif asked == Decision.DIE:
        effects.legal_dice(state, mask)
    elif asked == Decision.EATWIN:
        eating.legal_eating_window(tables, state, mask)
    elif asked == Decision.EAT:
        eating.legal_eating(tables, state, mask)
    else:
        setup.legal_docks(tables, state, mask)


@compiled
def apply(tables: Tables, state: State, action: int) -> None:
    """Carry out a decision."""
    outcome.add_potential(tables, state, -1.0)
    seat = int(state.seat)
    asked = int(state.decision)
    state.seat = -1
    state.decision = -1
    if asked == Decision.TURN:
        turns.take_turn(tables, state, seat, action)
    elif asked == Decision.FTURN:
        fight.place_card(tables, state, seat, action)
    elif asked == Decision.LANE:
        fight.choose_lane(tables, state, seat, action)
    elif asked == Decision.FLIP:
        fight.flip(tables, state, action)
    elif asked == Decision.ATTACKED:
        fight.answer_attack(tables, state, seat, action)
    elif asked == Decision.FWIN:
        fight.in_fight_window(tables, state, seat, action)
    elif asked == Decision.FUEL:
        fight.give_fuel(state, seat, action)
    elif asked == Decision.DRAWN:
        turns.decide_drawn(tables, state, seat, action)
    elif asked == Decision.EXCH:
        turns.exchange(tables, state, seat, action)
    elif asked == Decision.TARGET2 or (asked == Decision.TARGET and state.phase == Phase.TRICK):
        tricks.choose_target(tables, state, seat, action)
    elif asked == Decision.TRICKWIN:
        tricks.object_to_trick(state, seat, action)
    elif asked == Decision.DIEWIN:
        dice.in_dice_window(tables, state, seat, action)
    elif asked in (Decision.DISCARD, Decision.GIVE, Decision.PICK):
        effects.chosen_card(tables, state, seat, asked, action)
    elif asked in (Decision.TARGET, Decision.DIESEAT, Decision.FSIDE, Decision.DIE):
        effects.chosen_other(tables, state, seat, asked, action)
    elif asked == Decision.EATWIN:
        eating.in_eating_window(tables, state, seat, action)
    elif asked == Decision.EAT:
        eating.eat(tables, state, seat, action)
    elif asked == Decision.DOCK:
        setup.take_dock(state, seat, action - Action.DOCK)
    run(tables, state)
    outcome.add_potential(tables, state, 1.0)


@compiled
def advance(tables: Tables, state: State) -> None:
    """Go on from ``phase``, whoever was asked before."""
    state.seat = -1
    state.decision = -1
    run(tables, state)


@compiled
def run(tables: Tables, state: State) -> None:
    """The state machine: node after node, until a seat has to decide or the game is over."""
    for _ in range(protocol.MOST_PHASES):
        if state.seat >= 0 or state.over != RUNNING or halts(state):
            return
        now = state.phase
        if now == Phase.TURN:
            turns.ask_turn(state)
        elif now >= Phase.ATTACK:
            go_on_fighting(tables, state, now)
        elif now >= Phase.TRICK:
            go_on_playing(tables, state, now)
        else:
            go_on_round(tables, state, now)
    protocol.give_up(state)


@compiled
def go_on_fighting(tables: Tables, state: State, now: int) -> None:
    """Nodes of a fight."""
    if now == Phase.ATTACK:
        fight.attack_stage(state)
    elif now == Phase.FIGHT_START:
        fight.start_stage(tables, state)
    elif now == Phase.PLACING:
        fight.placing_stage(tables, state)
    elif now == Phase.FIGHT_DICE:
        fight.roll_fight_dice(tables, state)
    elif now == Phase.FIGHT_WINDOW:
        fight.fight_window(tables, state)
    elif now == Phase.OUTCOME:
        fight.outcome(tables, state)
    elif now == Phase.AFTERMATH:
        fight.aftermath(tables, state)
    elif now == Phase.CLEAN_UP:
        fight.clean_up(tables, state)


@compiled
def go_on_playing(tables: Tables, state: State, now: int) -> None:
    """Nodes of a trick, of an effect, and of card dice."""
    if now == Phase.EFFECT:
        effects.effect(tables, state)
    elif now == Phase.TRICK:
        tricks.ask_target(tables, state)
    elif now == Phase.TRICK_WINDOW:
        tricks.trick_window(tables, state)
    elif now == Phase.TRICK_EFFECT:
        tricks.trick_effect(tables, state)
    elif now == Phase.TRICK_END:
        tricks.trick_end(tables, state)
    elif now == Phase.DICE_WINDOW:
        dice.dice_window(tables, state)


@compiled
def go_on_round(tables: Tables, state: State, now: int) -> None:
    """Nodes of setup and of a round."""
    if now == Phase.NEXT_TURN:
        turns.next_turn(tables, state)
    elif now == Phase.EXCHANGE:
        turns.ask_exchange(state)
    elif now == Phase.PHASE_START:
        turns.start_phase(state)
    elif now == Phase.EATING_WINDOW:
        eating.eating_window(tables, state)
    elif now == Phase.EATING:
        eating.eating(tables, state)
    elif now == Phase.ROUND_END:
        eating.end_round(tables, state)
    elif now == Phase.SETUP:
        setup.roll_for_order(tables, state)
    elif now == Phase.DOCKS:
        setup.choose_docks(tables, state)
    elif now == Phase.DEAL:
        setup.deal_cards(state)
