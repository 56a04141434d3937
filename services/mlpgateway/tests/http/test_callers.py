import pytest

from mlpgateway.call.origins import Origins
from mlpgateway.entry.http.callers import caller_of, headers_of
from mlplace_kit.errors import ValidationFailed
from mlplace_runtime.auth.authenticator import CookieNames


def scope(*headers: tuple[str, str]) -> dict[str, object]:
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    return {"type": "http", "method": "POST", "headers": raw, "client": ("9.9.9.9", 1)}


def caller(*headers: tuple[str, str], trusted_hops: int = 0):
    given = scope(*headers)
    origins = Origins(("9.9.9.9",), hops=trusted_hops)
    return caller_of(given, headers_of(given), cookies=CookieNames(secure=False), origins=origins)


class TestAddress:
    @pytest.mark.parametrize(
        ("hops", "lines", "address"),
        [
            (0, ["1.1.1.1"], "9.9.9.9"),
            (1, ["6.6.6.6, 1.1.1.1"], "1.1.1.1"),
            (1, ["6.6.6.6", "1.1.1.1"], "1.1.1.1"),
            (2, ["6.6.6.6, 1.1.1.1, 2.2.2.2"], "1.1.1.1"),
            (2, ["1.1.1.1"], "9.9.9.9"),
        ],
    )
    def test_only_entries_of_trusted_proxies_count(self, hops: int, lines: list[str], address: str) -> None:
        found = caller(*(("x-forwarded-for", line) for line in lines), trusted_hops=hops)
        assert found.client_ip == address


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
        assert refused.value.fields == {header: "use at most 1"}

    def test_key_may_be_repeated(self) -> None:
        assert caller(("mlp-api-key", "a"), ("mlp-api-key", "a")).credential == "a"

    @pytest.mark.parametrize("value", ["Basic abc", "Bearer", "Bearer  ", ""])
    def test_other_authorization_schemes_are_ignored(self, value: str) -> None:
        assert caller(("authorization", value)).credential is None
