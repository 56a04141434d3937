import pytest

pytest.register_assert_rewrite(
    *(
        f"tests.settlement.{name}"
        for name in ("answered", "broken", "capped", "case", "failed", "money", "predicted", "refused", "unserved")
    )
)
