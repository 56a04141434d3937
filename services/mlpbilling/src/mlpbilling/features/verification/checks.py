"""SQL statements of the ledger's verification. Those that count look for rows that should not exist."""

import sqlalchemy as sa

DRIFTS = sa.text(
    """
    WITH posted AS (
        SELECT a.account_id, a.currency,
               coalesce(sum(p.amount_nano) FILTER (WHERE a.kind = 'MAIN'), 0) AS main_nano,
               coalesce(sum(p.amount_nano) FILTER (WHERE a.kind = 'INCOME'), 0) AS income_nano
        FROM posting p JOIN ledger_account a ON a.id = p.ledger_account_id
        WHERE a.account_id IS NOT NULL
        GROUP BY a.account_id, a.currency
    ), holds AS (
        SELECT payer_account_id AS account_id, currency, sum(held_nano) AS held_nano
        FROM reservation WHERE held_nano > 0
        GROUP BY payer_account_id, currency
    ), debts AS (
        SELECT payer_account_id AS account_id, currency, sum(open_nano) AS owed_nano
        FROM debt WHERE open_nano > 0
        GROUP BY payer_account_id, currency
    ), compared AS (
        SELECT account_id, currency, checked.figure, checked.cached, checked.actual
        FROM balance
        FULL JOIN posted USING (account_id, currency)
        FULL JOIN holds USING (account_id, currency)
        FULL JOIN debts USING (account_id, currency)
        CROSS JOIN LATERAL (VALUES
            ('main', coalesce(balance.main_nano, 0)::numeric, coalesce(posted.main_nano, 0)),
            ('income', coalesce(balance.income_nano, 0)::numeric, coalesce(posted.income_nano, 0)),
            ('held', coalesce(balance.held_nano, 0)::numeric, coalesce(holds.held_nano, 0)),
            ('owed', coalesce(balance.owed_nano, 0)::numeric, coalesce(debts.owed_nano, 0)),
            ('unowed', 0, greatest(0,
                -coalesce(posted.main_nano, 0) - coalesce(debts.owed_nano, 0) - coalesce(balance.advanced_nano, 0)))
        ) AS checked (figure, cached, actual)
    )
    SELECT account_id, currency, figure, cached, actual FROM compared
    WHERE cached <> actual
    ORDER BY account_id, currency, figure
    """
)

UNBALANCED = sa.text(
    """
    SELECT count(*) FROM (
        SELECT FROM posting GROUP BY transaction_id, currency HAVING sum(amount_nano) <> 0
    ) AS unbalanced
    """
)

SUMS = sa.text("SELECT currency, sum(amount_nano) FROM posting GROUP BY currency ORDER BY currency")

USAGES = sa.text(
    """
    WITH charges AS (
        SELECT t.id, t.idempotency_key, p.currency,
               sum(p.amount_nano) FILTER (WHERE a.kind = 'MAIN') AS main_nano,
               max(a.account_id) FILTER (WHERE a.kind = 'MAIN') AS payer_account_id,
               coalesce(sum(p.amount_nano) FILTER (WHERE a.kind = 'INCOME'), 0) AS income_nano,
               max(a.account_id) FILTER (WHERE a.kind = 'INCOME') AS owner_account_id,
               coalesce(sum(p.amount_nano) FILTER (WHERE a.kind = 'PLATFORM_FEE'), 0) AS fee_nano
        FROM ledger_transaction t
        JOIN posting p ON p.transaction_id = t.id
        JOIN ledger_account a ON a.id = p.ledger_account_id
        WHERE t.kind = 'CHARGE'
        GROUP BY t.id, p.currency
    ), charged AS (
        SELECT usage.*, coalesce(debt.owed_nano, 0) AS owed_nano, coalesce(debt.owed_fee_nano, 0) AS owed_fee_nano
        FROM usage LEFT JOIN debt USING (usage_id)
        WHERE usage.charged_nano <> 0 OR usage.transaction_id IS NOT NULL
    )
    SELECT count(*) FROM charged
    FULL JOIN charges ON charges.id = charged.transaction_id
    WHERE (
        charges.idempotency_key = 'usage:' || charged.usage_id
        AND charges.currency = charged.currency
        AND charges.payer_account_id = charged.payer_account_id
        AND coalesce(charges.owner_account_id, charged.model_account_id) = charged.model_account_id
        AND charges.main_nano = -charged.charged_nano
        AND charges.fee_nano = charged.fee_nano - charged.owed_fee_nano
        AND charges.income_nano
            = charged.charged_nano - charged.fee_nano - (charged.owed_nano - charged.owed_fee_nano)
    ) IS NOT TRUE
    """
)

REFILLS = sa.text(
    """
    WITH refills AS (
        SELECT t.id, p.currency, a.account_id, p.amount_nano
        FROM ledger_transaction t
        JOIN posting p ON p.transaction_id = t.id
        JOIN ledger_account a ON a.id = p.ledger_account_id
        WHERE t.kind IN ('REFILL', 'REFILL_FROM_INCOME', 'WELCOME_BONUS') AND a.kind = 'MAIN'
    )
    SELECT count(*) FROM refill
    FULL JOIN refills ON refills.id = refill.transaction_id
    WHERE (refills.account_id, refills.currency, refills.amount_nano)
        IS DISTINCT FROM (refill.account_id, refill.currency, refill.amount_nano)
    """
)

PAYMENTS = sa.text(
    """
    SELECT count(*) FROM (SELECT * FROM payment_attempt WHERE state = 'SUCCEEDED') AS paid
    FULL JOIN (SELECT * FROM refill WHERE source = 'CARD') AS credited ON credited.id = paid.refill_id
    WHERE (credited.account_id, credited.currency, credited.amount_nano, credited.idempotency_key)
        IS DISTINCT FROM (paid.account_id, paid.currency, paid.amount_nano, 'payment:' || paid.attempt_id)
    """
)

RENTS = sa.text(
    """
    WITH charges AS (
        SELECT t.id, p.currency,
               sum(p.amount_nano) FILTER (WHERE a.kind = 'MAIN') AS main_nano,
               max(a.account_id) FILTER (WHERE a.kind = 'MAIN') AS payer_account_id,
               coalesce(sum(p.amount_nano) FILTER (WHERE a.kind = 'INCOME'), 0) AS income_nano,
               max(a.account_id) FILTER (WHERE a.kind = 'INCOME') AS owner_account_id
        FROM ledger_transaction t
        JOIN posting p ON p.transaction_id = t.id
        JOIN ledger_account a ON a.id = p.ledger_account_id
        WHERE t.kind = 'RENT'
        GROUP BY t.id, p.currency
    ), charged AS (
        SELECT c.*, coalesce(d.owed_nano, 0) AS owed_nano, coalesce(d.owed_fee_nano, 0) AS owed_fee_nano
        FROM rent_charge c LEFT JOIN debt d ON d.usage_id = c.charge_id
    )
    SELECT count(*) FROM charged
    FULL JOIN charges ON charges.id = charged.transaction_id
    WHERE (
        charges.currency = charged.currency
        AND charges.payer_account_id = charged.payer_account_id
        AND coalesce(charges.owner_account_id, charged.owner_account_id) = charged.owner_account_id
        AND charges.main_nano = -charged.charged_nano
        AND charges.income_nano
            = charged.charged_nano - charged.fee_nano - (charged.owed_nano - charged.owed_fee_nano)
    ) IS NOT TRUE
    """
)

DEBTS = sa.text(
    """
    WITH paid AS (
        SELECT debt_id, sum(paid_nano) AS paid_nano, sum(fee_nano) AS fee_nano FROM debt_payment GROUP BY debt_id
    ), waiting AS (
        SELECT p.transaction_id, p.currency, p.amount_nano
        FROM posting p JOIN ledger_account a ON a.id = p.ledger_account_id
        WHERE a.kind = 'UNCOLLECTED'
    ), explained AS (
        SELECT transaction_id, currency, owed_nano AS amount_nano FROM debt
        UNION ALL
        SELECT p.transaction_id, d.currency, -sum(p.paid_nano)
        FROM debt_payment p JOIN debt d ON d.id = p.debt_id
        GROUP BY p.transaction_id, d.currency
    )
    SELECT (
        SELECT count(*) FROM debt LEFT JOIN paid ON paid.debt_id = debt.id
        WHERE debt.open_nano <> debt.owed_nano - coalesce(paid.paid_nano, 0)
           OR debt.open_fee_nano <> debt.owed_fee_nano - coalesce(paid.fee_nano, 0)
    ) + (
        SELECT count(*) FROM waiting FULL JOIN explained USING (transaction_id, currency)
        WHERE waiting.amount_nano IS DISTINCT FROM explained.amount_nano
    )
    """
)

DEBT_SUMS = sa.text(
    """
    WITH open AS (SELECT currency, sum(open_nano) AS nano FROM debt GROUP BY currency),
    ledger_account AS (
        SELECT a.currency, sum(p.amount_nano) AS nano
        FROM posting p JOIN ledger_account a ON a.id = p.ledger_account_id
        WHERE a.kind = 'UNCOLLECTED' GROUP BY a.currency
    ), balances AS (
        SELECT currency, sum(greatest(0, owed_nano - greatest(0, -main_nano))) AS payable_nano,
               sum(advanced_nano) AS advanced_nano
        FROM balance WHERE owed_nano > 0 OR advanced_nano > 0 GROUP BY currency
    )
    SELECT currency, coalesce(open.nano, 0), coalesce(ledger_account.nano, 0),
           coalesce(balances.payable_nano, 0), coalesce(balances.advanced_nano, 0)
    FROM open FULL JOIN ledger_account USING (currency) FULL JOIN balances USING (currency)
    ORDER BY currency
    """
)
