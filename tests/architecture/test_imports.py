"""Who imports whom, and what `import workings` loads."""

import shutil
import subprocess
import sys
import tomllib

import pytest
from importlinter.cli import lint_imports

HEAVY = ("torch", "fastapi", "uvicorn", "sqlalchemy", "matplotlib", "rich", "typer", "pydantic", "scipy", "typst")


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_folders_import_only_folders_above_them(monkeypatch, pytestconfig):
    monkeypatch.chdir(pytestconfig.rootpath)
    assert lint_imports(no_cache=True) == 0


@pytest.mark.parametrize(
    ("planted", "code"),
    [
        ("", 0),
        ("from .op import OPS", 1),
        ("def later():\n    from .op import OPS", 1),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .op import Op", 1),
    ],
)
def test_import_cycle_in_the_engine_breaks_its_contract(planted, code, tmp_path, pytestconfig):
    settings = tomllib.loads((pytestconfig.rootpath / "pyproject.toml").read_text())["tool"]["importlinter"]
    (acyclic,) = [contract for contract in settings["contracts"] if contract["type"] == "acyclic_siblings"]
    (tmp_path / ".importlinter").write_text(
        "[importlinter]\nroot_package = workings\n[importlinter:contract:acyclic]\n"
        f"name = {acyclic['name']}\ntype = acyclic_siblings\nancestors = {acyclic['ancestors'][0]}\n"
    )
    engine = tmp_path / "workings" / "engine"
    shutil.copytree(pytestconfig.rootpath / "src" / "workings" / "engine", engine)
    (tmp_path / "workings" / "__init__.py").touch()
    tensor = engine / "tensor.py"
    tensor.write_text(f"{tensor.read_text()}\n{planted}\n")
    linter = "import sys; sys.path.insert(0, ''); from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    made = subprocess.run([sys.executable, "-c", linter], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.returncode == code, made.stdout
    assert (".tensor -> .op" in made.stdout) is bool(code)


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
