"""A training that takes a second or two: a scenario for the tests of commands and sessions."""

TASK = "data: {task: copy, symbols: abcd, shortest: 2, longest: 4}"
BEGINNING = f"""
scenario: 1
convention: pytorch
precision: float32
model: {{kind: decoder, width: 16, heads: 2, layers: 1, hidden: 32, position: learned, head: all-tokens}}
parameters: {{seed: 3, draw: normal}}
{TASK}
"""
SMALL = (
    BEGINNING
    + "train: {optimizer: adamw, learning_rate: 0.01, batch_size: 8, steps: 20, save_steps: 5, eval_steps: 10}\n"
)
