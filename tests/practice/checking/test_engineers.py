"""Attentions that others wrote in PyTorch: what compare says about twelve broken ones and twelve right ones."""

import sys

import pytest
import torch


@pytest.fixture(scope="module")
def engineers(pytestconfig):
    """bench/engineers.py, which also prints the figures."""
    folder = str(pytestconfig.rootpath / "bench")
    sys.path.insert(0, folder)
    try:
        import engineers
    finally:
        sys.path.remove(folder)
    return engineers


def test_the_authors_know_nothing_of_workings(pytestconfig):
    for path in (pytestconfig.rootpath / "bench" / "attentions").glob("*.py"):
        assert "import workings" not in path.read_text(encoding="utf-8")
        assert "from workings" not in path.read_text(encoding="utf-8")


def test_there_are_twelve_of_each(engineers):
    assert len(engineers.BROKEN) == len(engineers.CORRECT) == 12
    assert {torch.bfloat16, torch.float16} <= {kind.dtype for kind in engineers.CORRECT}


def test_the_broken_ones_are_broken_and_the_right_ones_right(engineers):
    """As PyTorch itself sees it."""
    attention, x = engineers.reference(torch.float32)
    hidden = torch.triu(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool), diagonal=1)
    true, _ = attention(x, x, x, attn_mask=hidden)
    for kind in engineers.BROKEN:
        assert not torch.allclose(engineers.captured(kind, torch.float32)["out"], true, atol=1e-3), kind
    for kind in engineers.CORRECT:
        found = engineers.captured(kind, kind.dtype)
        assert torch.allclose(found.get("out", found.get("output")).float(), true, atol=0.03), kind


def test_figures(engineers):
    figures = engineers.measure()
    told = "\n".join(figures.said)
    assert figures.first == 12, told
    assert figures.cause >= 10, told
    assert figures.accused == 0, told
    assert figures.by_result_alone >= 9, told


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_the_same_is_found_in_other_types(engineers, dtype):
    found = [engineers.compared(engineers.captured(kind, dtype), dtype) for kind in engineers.BROKEN]
    steps = [step for step, _ in engineers.BROKEN.values()]
    assert [comparison.first.name for comparison in found] == steps
    causes = [comparison.why.cause for comparison in found]
    named = [cause.id in ids for cause, (_, ids) in zip(causes, engineers.BROKEN.values(), strict=True) if cause]
    assert sum(named) >= 10
