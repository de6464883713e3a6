"""Training that is written down as it goes: sessions, checkpoints, and what is held out."""
