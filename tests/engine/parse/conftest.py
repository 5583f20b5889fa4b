"""Checks that the tests of many languages share say what differed, as tests do."""

import pytest

pytest.register_assert_rewrite("tests.engine.parse.samples")
