import pytest

pytest.register_assert_rewrite(
    *(
        f"tests.settlement.{name}"
        for name in (
            "answered", "broken", "cached", "capped", "case", "cost_told", "failed", "failing", "http_lost", "http_models", "idempotent", "keyed",
            "leaving", "money", "predicted", "refused", "refused_at_entries", "repeated", "unserved", "visitors",
        )
    )
)  # fmt: skip
