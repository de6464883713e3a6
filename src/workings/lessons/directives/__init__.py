"""The directives of a lesson, by name."""

from __future__ import annotations

from .boxes import BOXES
from .catalogue import CATALOGUE
from .checks import CHECKS
from .figures import FIGURES
from .files import FILES
from .formulas import FORMULAS
from .kind import Kind
from .merging import MERGING
from .mistakes import MISTAKES
from .nudge import NUDGE
from .rules import RULES
from .source_notes import SOURCE_NOTES
from .steps import STEPS
from .tables import TABLES
from .writing import WRITING

DIRECTIVES: dict[str, Kind] = {
    **STEPS, **FORMULAS, **FIGURES, **TABLES, **CHECKS, **BOXES, **MISTAKES, **NUDGE, **FILES, **SOURCE_NOTES,
    **WRITING, **MERGING, **RULES, **CATALOGUE,
}  # fmt: skip
