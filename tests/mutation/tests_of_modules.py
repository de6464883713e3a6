"""Which test files judge the mutants of which module: first those about it, then those of what all share."""

from __future__ import annotations

CORNERS = ("tests/ops/test_page_corners.py",)  # of all pages
MASKS = ("tests/ops/test_masks.py",)
UPDATES = ("tests/ops/test_updates.py",)
NORMS = ("tests/ops/test_norms.py",)
ACROSS = ("tests/explain/test_mistakes.py",)  # mistakes across steps are made in whole traces only
CHOOSING = ("tests/ops/test_choosing.py",)
TESTS_OF = {  # by the file that is changed
    "adam": UPDATES,
    "adam_direction": (*UPDATES, *MASKS),
    "adamw": UPDATES,
    "add": ACROSS,
    "attention": ("tests/engine/test_recording.py", *ACROSS),
    "backward": ("tests/engine/test_recording.py", "tests/engine/test_replay.py", "tests/scenarios/test_block.py"),
    "bias_correction": UPDATES,
    "causal_mask": MASKS,
    "clip_by_norm": MASKS,
    "cross_entropy": (*MASKS, *ACROSS),
    "cumulative_sum": CHOOSING,
    "draw_by_share": CHOOSING,
    "drawing": ("tests/ops/test_drawing.py",),
    "dropout": ("tests/ops/test_drawing.py", *MASKS),
    "erf": ("tests/ops/test_erf.py", "tests/engine/test_hand_tables.py"),
    "exp": ("tests/engine/test_hand_tables.py", "tests/engine/test_precision.py"),
    "first_above": CHOOSING,
    "given": ("tests/engine/test_errors.py", "tests/engine/test_recording.py"),
    "keep_top_k": CHOOSING,
    "keep_top_p": CHOOSING,
    "labels": MASKS,
    "layer_norm": (*NORMS, *ACROSS),
    "linear": ACROSS,
    "log": ("tests/engine/test_hand_tables.py",),
    "log_softmax": MASKS,
    "log_sum_exp": MASKS,
    "mask": MASKS,
    "matmul": ACROSS,
    "momentum": UPDATES,
    "norm": MASKS,
    "one_hot": MASKS,
    "padding_mask": MASKS,
    "positional_encoding": ("tests/ops/test_positional_encoding.py",),
    "power": ("tests/engine/test_hand_tables.py",),
    "reduction": ("tests/engine/test_odd_calls.py",),
    "rms_norm": (*NORMS, *ACROSS),
    "root_scale": ACROSS,
    "row_norms": NORMS,
    "row_norms_by_hand": NORMS,
    "running_mean": UPDATES,
    "sgd": (*UPDATES, *ACROSS),
    "probabilities": CHOOSING,
    "sin": ("tests/engine/test_hand_tables.py", "tests/ops/test_positional_encoding.py"),
    "softmax": (*MASKS, *ACROSS),
    "take_row": ACROSS,
    "tanh": ("tests/engine/test_hand_tables.py",),
    "weight_decay": UPDATES,
    "weights": ACROSS,
}
SHARED_TESTS = (
    "tests/engine/test_backward.py",
    "tests/engine/test_compile.py",
    "tests/engine/test_engine_corners.py",
    "tests/ops/test_page_parts.py",
    "tests/engine/test_errors.py",
    "tests/engine/test_odd_calls.py",
    "tests/engine/test_recording.py",
    "tests/explain/test_cell.py",
    "tests/explain/test_parts_and_positions.py",
    "tests/scenarios/test_block.py",
)


def files_about(module: str) -> tuple[str, ...]:
    """The test files about a module."""
    return *CORNERS, *TESTS_OF.get(module.rpartition(".")[2], ())
