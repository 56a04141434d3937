"""The metrics of accountsadmin."""

from prometheus_client import Counter

SIGN_INS_SLOWED = Counter("mlp_accounts_sign_ins_slowed_total", "Sign-ins that were told to wait", ["device"])
HASHES_REFUSED = Counter(
    "mlp_accounts_password_checks_refused_total", "Passwords that were not hashed because too many waited"
)
