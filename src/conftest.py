"""The programs of the lessons are run by their own test, and are no modules of the package."""

collect_ignore_glob = ["workings/teach/lessons/*"]
