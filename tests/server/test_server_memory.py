"""A thousand different scenarios: what the lab keeps stays within what it was given."""

import gc

from asking_lab import lab_client

from workings.lab.store import Lab, Opened
from workings.server.limits import KB, MB, Rate

SCENARIO = """\
scenario: 1
given:
  Q: {{axes: query model, value: [[{number}, 0], [0, 1]]}}
  K: {{axes: key model, value: [[1, 2], [0, 1]]}}
calculate:
  - scores = matmul(Q, transpose(K))
  - weights = softmax(scores, axis=key)
"""
BUDGET = 8 * MB
UNLIMITED = Rate(10_000, 10_000)


def test_a_thousand_scenarios_stay_within_the_budget():
    lab = Lab(BUDGET)
    with lab_client(lab, kept=200 * KB, learner=UNLIMITED, address=UNLIMITED) as ask:
        keys = {}
        for number in range(1000):
            answer = ask.post("/api/traces", json={"scenario": SCENARIO.format(number=number)})
            assert answer.status_code == 200, answer.text
            assert lab.used <= BUDGET
            keys[answer.json()["key"]] = number
        assert len(keys) == 1000
        assert len(lab) < 1000  # some were let go
        gc.collect()
        opened = [thing for thing in gc.get_objects() if type(thing) is Opened and thing.key in keys]
        assert len(opened) <= len(lab) + 1  # and are really gone
        assert sum(each.size for each in opened) <= BUDGET + opened[0].size
        assert ask.get(f"/api/traces/{next(iter(keys))}").status_code == 200  # it is computed again when somebody asks
