"""Self-play training, evaluation, statistics and the command line."""

from __future__ import annotations

import os

# Threads of numerical libraries wait by spinning unless told otherwise before they are loaded. On a machine that also
# does other work, every small matrix product then waits for a thread that is not running. Measured, decisions/s of the
# quickstart with two threads on two cores: idle 39,000 spinning and 30,000 sleeping (25,000 with one thread); with two
# busy neighbours 500 to 3,000 spinning and 9,000 to 12,000 sleeping. On an idle machine, OMP_WAIT_POLICY=ACTIVE pays.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
