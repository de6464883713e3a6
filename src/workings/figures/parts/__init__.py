"""What several figures share; `figures/__init__.py` says which file holds what."""
