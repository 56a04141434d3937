import pytest
from starlette.requests import Request

from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.errors import NotAuthorized
from mlplace_runtime.auth.authenticator import INTERNAL_HEADER, Authenticator, CookieNames
from mlplace_runtime.auth.principal import SERVICE
from mlplace_testing.identities import Identities


def _from_a_service(token: str) -> Request:
    return Request({"type": "http", "headers": [(INTERNAL_HEADER.lower().encode(), token.encode())]})


class TestChangingOver:
    @pytest.fixture
    def authenticator(self, clock: ManualClock) -> Authenticator:
        nobody = Identities(KeyedHasher(bytes(16)), clock)
        return Authenticator(
            sessions=nobody,
            keys=nobody,
            cookies=CookieNames(secure=True),
            internal_token="new",
            also_internal_tokens=("former",),
        )

    @pytest.mark.parametrize("token", ["new", "former"])
    def test_both_tokens_are_accepted(self, authenticator: Authenticator, token: str) -> None:
        assert authenticator.internal(_from_a_service(token)) is SERVICE

    @pytest.mark.parametrize("token", ["", "newformer", "other", "new "])
    def test_another_token_is_refused(self, authenticator: Authenticator, token: str) -> None:
        with pytest.raises(NotAuthorized):
            authenticator.internal(_from_a_service(token))
