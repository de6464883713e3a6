"""The stub of the ops, src/workings/ops/__init__.pyi, written from the signatures that the ops have at run time, which
come from their pages. `make reference` writes it.

python tests/support/op_stub.py          print it
python tests/support/op_stub.py write    write it into the package
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from textwrap import indent

import workings
from workings.engine.op import OPS, Op

FOLDER = Path(workings.__file__).parent / "ops"
FILE = FOLDER / "__init__.pyi"

HEAD = '''"""The ops as editors and type checkers see them. `make reference` writes this file from the op pages."""

from collections.abc import Callable
from typing import Generic, Literal, ParamSpec, TypeVar

from ..engine.arrays import AnyArray
from ..engine.op import Op
from ..engine.tensor import Tensor
from .given import constant as constant
from .given import given as given
from .given import ids as ids
from .given import parameter as parameter
from .given import random as random

_Call = ParamSpec("_Call")
_Result = TypeVar("_Result")

class _TypedOp(Op, Generic[_Call, _Result]):
    def __call__(self, *inputs: _Call.args, **settings: _Call.kwargs) -> _Result: ...  # type: ignore[override]

def _op(signature: Callable[_Call, _Result]) -> _TypedOp[_Call, _Result]: ...
'''


def stub() -> str:
    pages = (op for op in OPS.values() if Path(inspect.getfile(type(op))).parent == FOLDER)
    text = "\n".join([HEAD, *(_written(op) for op in sorted(pages, key=lambda op: op.__name__))])
    command = [sys.executable, "-m", "ruff", "format", "--line-length", "120", "--stdin-filename", FILE.name, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, encoding="utf-8").stdout


def _written(op: Op) -> str:
    signature = inspect.signature(op)
    parameters, previous = [], None
    for parameter in signature.parameters.values():
        if previous == parameter.POSITIONAL_ONLY != parameter.kind:
            parameters.append("/")
        if (
            previous not in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
            and parameter.kind == parameter.KEYWORD_ONLY
        ):
            parameters.append("*")
        star = "*" if parameter.kind == parameter.VAR_POSITIONAL else ""
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        parameters.append(f"{star}{parameter.name}: {parameter.annotation}{default}")
        previous = parameter.kind
    _, _, doc = op.__doc__.partition("\n\n")  # after the line that shows the call
    lines = [
        f"def {op.__name__}({', '.join(parameters)}) -> {signature.return_annotation}:",
        indent(f'"""{doc}"""', "    "),
    ]
    return "\n".join(["@_op", *lines, ""])


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        FILE.write_text(stub(), encoding="utf-8", newline="\n")
    else:
        print(stub(), end="")
