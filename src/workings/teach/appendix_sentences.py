"""The sentences of the appendices: rules that are proven, and mistakes that are catalogued."""

from __future__ import annotations

from ..engine.sentences import add_sentences, say

add_sentences(
    "lesson",
    {
        "rule.why": "Why, line by line",
        "rule.example": "The numbers of this example",
        "rule.softmax": "Behind it stands a softmax, as in attention, because -∞ cannot be weighed.",
        "rule.entry": "entry",
        "rule.by_rule": "by the rule",
        "rule.by_difference": "by the difference",
        "catalogue.mistake": "mistake",
        "catalogue.hint": "what was done",
        "catalogue.entry": "seen at",
        "catalogue.right": "right",
        "catalogue.wrong": "wrong",
        "catalogue.in": "{entry} in {run}",
    },
)
add_sentences(
    "error",
    {
        "lesson.rule": "{name} has no rule that could be proven.",
        "lesson.rule.try": "Name an op with a rule: {names}.",
        "lesson.rule.differs": "The rule of {name} for {input} is not what the difference says, or it gives 0 "
        "everywhere.",
        "lesson.rule.differs.try": "Look at the rule, and at whether the example stands on a corner.",
        "lesson.catalogue": "These mistakes are seen nowhere: {names}.",
        "lesson.catalogue.try": "Name more runs in which they can be made, with the option runs.",
    },
)

__all__ = ["say"]
