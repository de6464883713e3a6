"""placeholder"""

MISTAKES = {}
