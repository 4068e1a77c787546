"""One copy of the checkout a test session: copying is cheap, but the stages run in it are kept."""

import pytest
from checkout import Checkout


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout.make(tmp_path_factory.mktemp("checkout"))
