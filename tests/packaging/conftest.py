"""One wheel for all tests of packaging."""

import pytest
import wheels


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    wheels.copy_source(folder)
    return folder


@pytest.fixture(scope="session")
def wheel(source, tmp_path_factory):
    target = tmp_path_factory.mktemp("wheel")
    made = wheels.make_wheel(source, target)
    assert made.returncode == 0, made.stderr
    return next(target.glob("*.whl"))
