"""Mutation testing needs cosmic-ray, which `make mutation` and `make test-all` install; `make test` does without."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("cosmic_ray") else ["*"]
