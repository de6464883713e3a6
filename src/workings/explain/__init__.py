"""From a trace to an explanation: numbers, formulas, hand calculations and stories, all as data."""
