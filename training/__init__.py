"""Self-play training, evaluation, statistics and the command line."""

from __future__ import annotations

import os

# Threads of numerical libraries wait by spinning unless told otherwise before they are loaded. On a machine that also
# does other work, every small matrix product then waits for a thread that is not running: on two cores with two busy
# neighbours, training fell from 12,000 decisions/s to less than 500. Sleeping costs little on an idle machine.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
