"""The held-out programs for `why`: broken ones, and right ones in unusual forms, in plain NumPy.

Nothing is tuned with a view to this set, and it stays as it is; see `simulated.heldout`. An id that does not exist yet
is a proposal, and the program counts as not named until it does.
"""

from __future__ import annotations

from .attention import PROGRAMS as ATTENTION
from .blocks import PROGRAMS as BLOCKS
from .checked import Call, Checked
from .gradients import PROGRAMS as GRADIENTS
from .parts import PROGRAMS as PARTS
from .right import PROGRAMS as RIGHT

__all__ = ["BROKEN", "PROGRAMS", "RIGHT", "Call", "Checked"]

BROKEN: tuple[Checked, ...] = (*ATTENTION, *PARTS, *BLOCKS, *GRADIENTS)
PROGRAMS: tuple[Checked, ...] = (*BROKEN, *RIGHT)
