import os

import pytest

from tests.companion.fuzz import fuzz


@pytest.mark.soak
def test_mutated_lines_and_files_raise_only_our_own_errors():
    count = 20_000 if os.environ.get("SOAK_EVENTS") else 1_500
    applied, read = fuzz(count, seed=1)
    assert applied > count // 50
    assert read > count // 50
