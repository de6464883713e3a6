"""Real threads that record at the same time: each sees its own trace and nothing else."""

import sys
import threading

import pytest
from graphs import bits, random_plan, run
from small_traces import attention_training

import workings as w
from workings import ops
from workings.engine.context import CONTEXT, Context

PRECISIONS = ("float64", "float32", "calculator 3 decimals", "calculator 4 significant")
ROUNDS = 12


@pytest.fixture
def hurry():
    """Threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_the_same_time(jobs):
    """Run every job in a thread of its own; what one of them raises is raised here."""
    start, failures = threading.Barrier(len(jobs)), []

    def work(job):
        try:
            start.wait()
            job()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for failure in failures:
        raise failure


def told(trace):
    return [(step.id, step.path, step.step.stage, bits(step.value)) for step in trace]


@pytest.mark.usefixtures("hurry")
def test_threads_with_different_precisions_do_not_disturb_each_other():
    alone = {precision: told(attention_training(precision)) for precision in PRECISIONS}

    def job(precision):
        for _ in range(ROUNDS):
            assert told(attention_training(precision)) == alone[precision]
            assert CONTEXT.get() == Context()

    at_the_same_time([lambda precision=precision: job(precision) for precision in PRECISIONS])


@pytest.mark.usefixtures("hurry")
def test_threads_may_close_the_same_composite_for_the_first_time():
    plans = [random_plan(seed) for seed in range(6)]
    alone = [[bits(step.tensor.array) for step in record(plan)] for plan in plans]

    def job():
        for plan, expected in zip(plans, alone, strict=True):
            for op in ops.OPS.values():
                op.compiled.clear()
            assert [bits(step.tensor.array) for step in record(plan)] == expected

    at_the_same_time([job] * 4)


def record(plan):
    return run(plan, plan.values(3)).recording.steps.values()


@pytest.mark.usefixtures("hurry")
def test_threads_may_replay_one_trace():
    trace = attention_training()
    queries = [[[0.1 * n, 0.2], [0.3, 0.4]] for n in range(4)]
    alone = [told(trace.replay(values={"W_Q": query})) for query in queries]

    def job(n):
        for _ in range(ROUNDS):
            assert told(trace.replay(values={"W_Q": queries[n]})) == alone[n]

    at_the_same_time([lambda n=n: job(n) for n in range(4)])


@pytest.mark.usefixtures("hurry")
def test_a_thread_that_is_started_inside_a_recording_records_nothing_there():
    with w.Trace() as trace:
        at_the_same_time([lambda: ops.exp(w.given([1.0]))])
    assert len(trace) == 0


@pytest.mark.usefixtures("hurry")
def test_errors_in_one_thread_do_not_reach_another():
    def fails():
        for _ in range(ROUNDS):
            with pytest.raises(w.WorkingsError) as raised, w.Trace() as trace, trace.scope("wrong"):
                ops.log(w.given([0.0], "token"), name="y")
            assert raised.value.where == "wrong.y"

    def works():
        for _ in range(ROUNDS):
            with w.Trace() as trace, trace.scope("right"):
                ops.log(w.given([1.0], "token"), name="y")
            assert trace["y"].path == "right.y"

    at_the_same_time([fails, works, fails, works])
