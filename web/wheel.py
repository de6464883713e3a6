"""A wheel without the front end would install well and show nothing: it is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MADE = ("lab/app/index.html", "lab/app/single.js", "render/page/katex.js")


class FrontEndIsThere(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """An editable install points at the source, where the front end may come later."""
        missing = [name for name in MADE if not (Path(self.root, "src", "workings", name)).is_file()]
        if missing and version != "editable":
            sys.exit(f"The front end is not built ({', '.join(missing)}). Run `make wheel`: it builds it first.")
