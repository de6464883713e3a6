"""What digest.py looks at besides lessons, scenarios and ops: sheets, requests to the lab, and commands. Only data."""

from __future__ import annotations

from typing import Any

# -- sheets: source, run, seed, blanks -------------------------------------------------------------

SHEETS: tuple[tuple[str, str | None, int, str], ...] = (
    ("example-1", None, 7, "few"),
    ("example-2", None, 0, "all"),
    ("example-3", None, 3, "some"),
    ("example-3", "masked", 11, "all"),
    ("example-5", None, 2, "few"),
    ("cat-sleeps", None, 4, "some"),
    ("token-i", None, 5, "all"),
    ("block", None, 4, "few"),
    ("multi-head", None, 1, "some"),
    ("layer-norm", None, 9, "all"),
    ("adam", None, 6, "few"),
    ("hello-world", None, 8, "some"),
)

# -- the lab: a trace, and what is opened in it ----------------------------------------------------

OWN_SCENARIO = """\
scenario: 1
model: {kind: decoder, width: 2, norm: none}
vocabulary: A B C
data: A B -> C
parameters: {seed: 5}
"""

# A body for /api/traces, and requests about the trace; a step by its name in the overview, then what of it.
TRACES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "example-3": (
        {"source": "example-3"},
        ("flow", "weights", "weights window", "weights tile", "weights cells/1,0", "loss cells/-", "dW_V cells/0,1"),
    ),
    "example-3 twin": (
        {"source": "example-3", "run": "twin", "digits": 6},
        (
            "weights",
            "weights/sub",
            "weights/sub cells/1,0",
            "dscaled",
            "dscaled cells/0,1",
            "W_Q_new cells/1,1",
            "E cells/0,0",
        ),
    ),
    "example-3 edited": (
        {"source": "example-3", "edits": ["W_Q[0][1]=0.3", "W_V[0][0]=-2"]},
        ("flow", "scores window", "weights cells/0,1", "dW_vocab window", "W_vocab_new cells/1,2"),
    ),
    "example-1 masked": (
        {"source": "example-1", "edits": ["model.mask=causal"]},
        ("masked window", "masked cells/0,1", "weights window"),
    ),
    "example-2 by calculator": (
        {"source": "example-2", "run": "twin", "precision": "calculator 4 significant"},
        ("weights cells/0,0", "dlogits window", "W_vocab_new cells/0,0"),
    ),
    "example-4 after": (
        {"source": "example-4", "run": "after", "edits": ["train.learning_rate=0.5"]},
        ("step2.example1.P window",),
    ),
    "block in gpt2": (
        {"source": "block", "convention": "gpt2", "count_from": 1, "vectors": "column"},
        ("weights window?lead=1", "weights cells/1,2,0", "attention.norm.normed cells/0,1", "flow?under=block1"),
    ),
    "cat-sat-encoder": (
        {"source": "cat-sat-encoder"},
        ("W_Q window?row=100&column=200&rows=8&columns=8", "W_1 tile?stride=16", "scores cells/3,1,2"),
    ),
    "kv-cache": ({"source": "kv-cache", "run": "twin"}, ("token2.P window", "token1.chosen cells/-")),
    "own scenario": ({"scenario": OWN_SCENARIO}, ("W_Q window", "P cells/1", "loss cells/-")),
}

MATRICES = {"Q": "1 0; 0 1", "K": "1 2; 0 1", "V": "1 2; 3 4"}
PROJECTED = {"X": "1 0 2 1; 0 1 1 3", "W_Q": "1 0 0 1; 0 1 0 0; 1 0 1 0; 0 0 0 1"}
PROJECTED |= {"W_K": "0 1 0 0; 1 0 0 1; 0 0 1 0; 1 0 0 0", "W_V": "1 0 1 0; 0 1 0 1; 1 1 0 0; 0 0 1 1"}
BY_ROOT_OF_MODEL = "[[[1.5, 6], [1, 2]], [[2, 2], [1, 2]]]"
SHEET = {"source": "example-1", "seed": 3}

# Other routes: the method, the address, and a body (POST) or parameters (GET).
ROUTES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "lesson": ("GET", "/api/lessons/example-1", {}),
    "lesson by calculator": ("GET", "/api/lessons/example-2", {"precision": "calculator 3 significant", "digits": 3}),
    "lesson by convention": ("GET", "/api/lessons/layer-norm", {"convention": "pytorch"}),
    "lesson edited": ("GET", "/api/lessons/example-1", {"edit": ["default:W_V[0][0]=0.3"]}),
    "lesson edited twice": ("GET", "/api/lessons/multi-head", {"edit": ["default:W_Q[0][0]=2", "default:E[1][0]=-1"]}),
    "models": ("GET", "/api/models", {}),
    "model gpt2": ("GET", "/api/models/gpt2", {}),
    "model paper-base": ("GET", "/api/models/paper-base", {}),
    "check right": ("POST", "/api/check", {"given": MATRICES, "got": {"scores": "1 0; 2 1"}}),
    "check transposed": ("POST", "/api/check", {"given": MATRICES, "got": {"scores": "1 2; 0 1"}}),
    "check not divided": (
        "POST",
        "/api/check",
        {"given": MATRICES, "got": {"scores": "1 0; 2 1", "scaled": "1 0; 2 1"}},
    ),
    "check masked": (
        "POST",
        "/api/check",
        {"given": MATRICES, "mask": "causal", "got": {"weights": "0.5 0.5; 0.67 0.33"}},
    ),
    "check two heads": (
        "POST",
        "/api/check",
        {"given": PROJECTED, "heads": 2, "got": {"Q": "3 0 2 2; 1 1 1 3", "scaled": BY_ROOT_OF_MODEL}},
    ),
    "sheet": ("POST", "/api/sheets", SHEET),
    "sheet of another run": ("POST", "/api/sheets", {"source": "example-5", "run": "gelu", "seed": 2}),
    "grade": (
        "POST",
        "/api/sheets/grade",
        {**SHEET, "answers": {"Q[0][0]": "0.8", "weights[0][0]": "0.1", "scaled[0][0]": "0.2"}},
    ),
    "hint first": ("POST", "/api/sheets/hint", {**SHEET, "label": "loss", "rung": 0}),
    "hint second": ("POST", "/api/sheets/hint", {**SHEET, "label": "loss", "rung": 1}),
    "hint last": ("POST", "/api/sheets/hint", {**SHEET, "label": "loss", "rung": 3}),
    "hint from own answers": (
        "POST",
        "/api/sheets/hint",
        {**SHEET, "label": "weights[0][0]", "rung": 2, "answers": {"scaled[0][0]": "0.2"}},
    ),
}

# -- commands, which write JSON; {samples} is the folder of the files that version 0.8 has written -

Q, K, V = "1 0 2 1 0 1; 0 1 1 3 1 0", "1 2 0 1 1 0; 0 1 1 0 1 2", "1 2 3 4 5 6; 3 1 0 2 2 4"
JOINED = "2.201 1.399 1.198 2.799 3.198 4.799; 2 1.5 1.5 3.546 4.319 5.546"
COMMANDS: dict[str, tuple[str, ...]] = {
    "why softmax": ("why", "softmax", "--x", "2 1", "--got", "7.389 2.718"),
    "why attention": ("why", "attention", "--heads", "2", "--q", Q, "--k", K, "--v", V, "--got", JOINED),
    "why a step": ("why", "example-3", "weights", "--run", "twin", "--got", "0.5 0.5; 0.5 0.5"),
    "count gpt2": ("count", "gpt2", "--tokens", "128", "--dtype", "bfloat16"),
    "count block": ("count", "block", "--batch-size", "3"),
    "op softmax": ("op", "softmax", "--x", "2 1 0.1", "--cell", "0", "--precision", "calculator 3 decimals"),
    "op matmul": ("op", "matmul", "--a", "1 2; 3 4", "--b", "0.5 1; 2 -1", "--cotangent", "1 0; 0 2"),
    "op layer_norm": ("op", "layer_norm", "--convention", "bert"),
    "trace by calculator": ("trace", "example-3", "--run", "twin", "--precision", "calculator 4 significant"),
    "trace in bert": ("trace", "block", "--convention", "bert"),
    "step of a trace": ("trace", "example-6", "--run", "twin", "--step", "block1.feed_forward.dW_1", "--cell", "0,1"),
    "lesson by calculator": ("lesson", "example-1", "--precision", "calculator 5 significant"),
    "lesson with digits": ("lesson", "example-3", "--digits", "7"),
    "key of a sheet": ("worksheet", "example-3", "--seed", "7", "--blanks", "few", "--key"),
    "trace of training": ("trace", "{samples}/training", "--run", "step6"),
    "generated text": ("generate", "{samples}/training", "A B", "--max-new-tokens", "6", "--seed", "3", "--explain"),
    "generated with beams": (
        "generate",
        "{samples}/training",
        "B A",
        "--max-new-tokens",
        "4",
        "--beams",
        "3",
        "--explain",
    ),
}
