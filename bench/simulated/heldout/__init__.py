"""The held-out set: simulated people with other lessons, seeds and mistakes than those in `simulated.programs`.

Nothing is tuned with a view to this set. It was written from public issue threads and questions about people's own
implementations, before anybody improved the grader, and it stays as it is: it measures, and is no list of what to
improve. What may be corrected is a person who does not do what their name says, and what may be added is an id in
`names` that a later catalogue gives to the same mistake.

Each file is one computation, written once as it is right; a person is a class that does one thing of it differently.
"""

from __future__ import annotations

from .adam import PEOPLE as ADAM
from .batch import PEOPLE as BATCH
from .cache import PEOPLE as CACHE
from .careful import PEOPLE as CAREFUL
from .cross import PEOPLE as CROSS
from .examinee import Examinee
from .hello_world import PEOPLE as HELLO_WORLD
from .in_block import PEOPLE as IN_BLOCK
from .recurrent import PEOPLE as RECURRENT
from .sampling import PEOPLE as SAMPLING
from .slips import PEOPLE as SLIPS
from .tips import PEOPLE as TIPS
from .token_i import PEOPLE as TOKEN_I
from .twice import PEOPLE as TWICE

SEEDS = (7919, 31337, 860117)  # no other harness uses these

PEOPLE: tuple[type[Examinee], ...] = (
    *TIPS,
    *BATCH,
    *TOKEN_I,
    *HELLO_WORLD,
    *IN_BLOCK,
    *CROSS,
    *ADAM,
    *CACHE,
    *SAMPLING,
    *RECURRENT,
    *CAREFUL,
    *SLIPS,
    *TWICE,
)
