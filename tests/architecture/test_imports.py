"""Who imports whom, and what `import workings` loads."""

import subprocess
import sys

from importlinter.application import use_cases
from importlinter.cli import lint_imports

HEAVY = ("torch", "fastapi", "uvicorn", "sqlalchemy", "matplotlib", "rich", "typer", "pydantic", "scipy", "typst")


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_folders_import_only_folders_above_them(monkeypatch, pytestconfig):
    monkeypatch.chdir(pytestconfig.rootpath)
    assert lint_imports(no_cache=True) == 0
    assert use_cases.SUCCESS


def test_importing_workings_loads_nothing_heavy():
    loaded = run("import sys, workings; print(*sorted(sys.modules))").split()
    assert "workings.ops.softmax" in loaded
    assert [module for module in loaded if module.split(".")[0] in HEAVY] == []


def test_recording_and_explaining_load_no_torch():
    code = "import sys, workings as w; w.scenario('block').trace().to_json(); print('torch' in sys.modules)"
    assert run(code).strip() == "False"


def test_every_public_name_is_there():
    code = "import workings as w; print(all(hasattr(w, name) for name in w.__all__), w.Trace.__name__)"
    assert run(code).split() == ["True", "Trace"]


def test_an_unknown_name_is_an_attribute_error():
    code = "import workings\ntry:\n    workings.nothing\nexcept AttributeError as error:\n    print(error)"
    assert run(code).strip() == "module 'workings' has no attribute 'nothing'"
