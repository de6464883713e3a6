"""How each answer is made: a step, an entry, a part of a matrix, a lesson, a sheet to practice on."""
