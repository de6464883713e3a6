"""What several op pages use: checks, random numbers, the ways of normalizing a row. No op is defined here."""
