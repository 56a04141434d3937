import pytest

from mlpgateway.entry.http.callers import caller_of, headers_of
from mlplace_kit.errors import ValidationFailed
from mlplace_runtime.auth.authenticator import CookieNames


def scope(*headers: tuple[str, str]) -> dict[str, object]:
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    return {"type": "http", "method": "POST", "headers": raw, "client": ("9.9.9.9", 1)}


def caller(*headers: tuple[str, str]):
    given = scope(*headers)
    return caller_of(given, headers_of(given), cookies=CookieNames(secure=False))


class TestAddress:
    def test_is_that_of_the_scope_whatever_headers_say(self) -> None:
        """The server in front has read the headers of the proxies that it trusts."""
        for name in ("x-forwarded-for", "forwarded", "x-real-ip"):
            assert caller((name, "1.1.1.1")).client_ip == "9.9.9.9"


class TestCredential:
    def test_key_precedes_a_session(self) -> None:
        found = caller(("mlp-api-key", "k"), ("cookie", "SESSION_ID=s"))
        assert (found.credential, found.credential_is_session) == ("k", False)

    def test_session_brings_its_selected_account(self) -> None:
        found = caller(("cookie", "SESSION_ID=s; SELECTED_ACCOUNT=12"))
        assert (found.credential, found.credential_is_session, found.selected_account) == ("s", True, 12)

    @pytest.mark.parametrize("account", ["x", "-1", "9" * 30, "²"])
    def test_invalid_selected_account_is_ignored(self, account: str) -> None:
        assert caller(("cookie", f"SESSION_ID=s; SELECTED_ACCOUNT={account}")).selected_account is None

    @pytest.mark.parametrize("header", ["MLP-API-KEY", "MLP-BILLING-KEY", "Authorization"])
    def test_two_keys_are_refused_with_their_header(self, header: str) -> None:
        name = header.lower()
        with pytest.raises(ValidationFailed) as refused:
            caller((name, "Bearer a"), (name, "Bearer b"))
        assert refused.value.fields == {header: "was sent with two different values; send one"}

    def test_key_may_be_repeated(self) -> None:
        assert caller(("mlp-api-key", "a"), ("mlp-api-key", "a")).credential == "a"

    @pytest.mark.parametrize("value", ["Basic abc", "Bearer", "Bearer  ", ""])
    def test_other_authorization_schemes_are_ignored(self, value: str) -> None:
        assert caller(("authorization", value)).credential is None
