"""The schema files of the package, derived from its types. `make schema` writes them.

python tests/schema.py          print them all as one JSON object
python tests/schema.py write    write them into the package
"""

from __future__ import annotations

import json
import sys
import typing
from pathlib import Path

import typing_extensions
from pydantic import TypeAdapter
from scenario_schema import scenario_schema

typing.TypedDict = typing_extensions.TypedDict  # pydantic insists on it before Python 3.12

import workings  # noqa: E402
from workings.explain.document import Document  # noqa: E402
from workings.explain.view import TraceData  # noqa: E402

FOLDER = Path(workings.__file__).parent / "schema"
TYPES: dict[str, typing.Any] = {"document": Document, "trace": TraceData}


def derived() -> dict[str, dict[str, typing.Any]]:
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schemas = {name: TypeAdapter(kind).json_schema() for name, kind in TYPES.items()}
    # A scenario is written by people, in short forms that no type describes.
    schemas["scenario"] = scenario_schema()
    return {name: {**draft, **schema} for name, schema in schemas.items()}


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        for name, schema in derived().items():
            (FOLDER / f"{name}.json").write_text(json.dumps(schema, indent=1) + "\n")
    else:
        print(json.dumps(derived()))
