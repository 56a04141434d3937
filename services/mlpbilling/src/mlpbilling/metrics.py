"""The metrics of mlpbilling."""

from prometheus_client import Counter, Gauge

BALANCE_DRIFT = Gauge(
    "mlp_billing_drifting_balances", "Cached figures that differ from what their rows add up to, at the last check"
)
UNBALANCED = Gauge("mlp_billing_unbalanced_transactions", "Ledger transactions that do not sum to zero")
LEDGER_SUM = Gauge("mlp_billing_postings_sum_nano", "Sum of all postings: always zero", ["currency"])
UNEXPLAINED = Gauge(
    "mlp_billing_unexplained_rows",
    "Usages, refills, payments, rents and debts that do not agree with the ledger",
    ["kind"],
)
UNCOLLECTED = Gauge("mlp_billing_uncollected_nano", "What payers below zero owe to owners", ["currency"])
PAYABLE = Gauge(
    "mlp_billing_payable_nano", "Owed although the payer has money by now: above zero only for moments", ["currency"]
)
EXPIRED = Counter("mlp_billing_expired_reservations_total", "Reservations that ended by themselves")
PAYMENTS = Counter("mlp_billing_payments_total", "Card payments that came to an end", ["provider", "state"])
PAYMENT_MISMATCHES = Counter(
    "mlp_billing_payment_mismatches_total", "Reports of a provider that did not fit the payment they name", ["provider"]
)
WELCOME_BONUSES = Counter("mlp_billing_welcome_bonuses_total", "Welcome bonuses that were given")
