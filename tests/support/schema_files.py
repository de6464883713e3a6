"""The schema files of the package, and validators for documents and traces."""

import json
from pathlib import Path

import jsonschema

import workings

FOLDER = Path(workings.__file__).parent / "schema"
SCHEMAS = {
    name: json.loads((FOLDER / f"{name}.json").read_text())
    for name in ("document", "trace", "scenario", "sheet", "grade", "lab")
}
DOCUMENT = jsonschema.Draft202012Validator(SCHEMAS["document"])
TRACE = jsonschema.Draft202012Validator(SCHEMAS["trace"])
