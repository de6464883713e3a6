"""The schema files of the package, derived from its types. `make schema` writes them.

python tests/support/schema.py          print them all as one JSON object
python tests/support/schema.py write    write them into the package
"""

from __future__ import annotations

import dataclasses
import json
import sys
import typing
from pathlib import Path

import typing_extensions
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from scenario_schema import scenario_schema

typing.TypedDict = typing_extensions.TypedDict  # pydantic insists on it before Python 3.12

import workings  # noqa: E402
import workings.figures  # noqa: E402 - the kinds of data that a figure may have
from workings.document.blocks import Document  # noqa: E402
from workings.explain.trace import TraceData  # noqa: E402
from workings.lab.answers import lesson, ruling, trace, window  # noqa: E402
from workings.lab.traces import wanted  # noqa: E402
from workings.practice.grading.grade import GradeData  # noqa: E402
from workings.practice.sheet_data import SheetData  # noqa: E402

FOLDER = Path(workings.__file__).parent / "schema"
TYPES: dict[str, typing.Any] = {"document": Document, "trace": TraceData, "sheet": SheetData, "grade": GradeData}


def derived() -> dict[str, dict[str, typing.Any]]:
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schemas = {name: TypeAdapter(kind).json_schema() for name, kind in TYPES.items()}
    # A scenario is written by people, in short forms that no type describes.
    schemas["scenario"] = scenario_schema()
    schemas["lab"] = lab_schema()
    return {name: {**draft, **schema} for name, schema in schemas.items()}


class _AsSent(GenerateJsonSchema):
    """An answer is sent whole: what has a usual value is there too."""

    def field_is_required(self, *_: typing.Any, **__: typing.Any) -> bool:
        return True


def lab_schema() -> dict[str, typing.Any]:
    """All answers of the lab under one roof, and by what a trace is asked for."""
    modules = (trace, lesson, ruling, window, wanted)
    kinds = {name: kind for module in modules for name, kind in vars(module).items()}.values()
    adapters = [(kind.__name__, "serialization", TypeAdapter(kind)) for kind in kinds if dataclasses.is_dataclass(kind)]
    _, schema = TypeAdapter.json_schemas(adapters, schema_generator=_AsSent)
    return {"title": "Lab", **schema}


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        for name, schema in derived().items():
            (FOLDER / f"{name}.json").write_text(json.dumps(schema, indent=1) + "\n")
    else:
        print(json.dumps(derived()))
