"""Counting a model: parameters, operations and memory, from the model itself and without its numbers.

count.py        Count: everything that was counted of a model
count_lines.py  the lines of a count, and equal blocks folded into one
count_page.py   a count as a page
survey.py       the recording of a model with shapes only
flops.py        the operations of one step
hollow.py       arrays that have only a shape
presets.py      architectures that are known by name
hf_config.py    the architecture in a config.json of Hugging Face
"""
