"""What belongs to the process while a run goes on, and is given back as it was: random states, threads, signals."""

from __future__ import annotations

import contextlib
import random
import signal
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from tooth_training.learning.progress import Reporter


@contextlib.contextmanager
def random_states_kept() -> Iterator[None]:
    """The process's generators are afterwards as they were.

    Around a run: stable-baselines3 seeds them, and whoever called us gets theirs back. Within a run, around all that
    only watches it: a network built for an evaluation draws its first weights, which must not change what is learnt.
    """
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    on_devices = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002
        torch.set_rng_state(states[2])
        if on_devices is not None:
            torch.cuda.set_rng_state_all(on_devices)


@contextlib.contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """torch computes on this many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Interruption:
    """Turns Ctrl-C and SIGTERM into a wish to stop after the update; the second one stops at once."""

    def __init__(self) -> None:
        self.wanted: int | None = None
        self.news: Reporter | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: object) -> None:
        if self.wanted is not None:
            self.leave(number)
        self.wanted = number
        if self.news is not None:
            self.news.say("Stopping after this update, with a checkpoint. (Once more: at once, without.)")

    @staticmethod
    def leave(number: int) -> None:
        """End the program as the signal would have."""
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)
