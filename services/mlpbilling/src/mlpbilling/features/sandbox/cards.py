"""The test cards, and what a bank would say to them. No I/O."""

from mlpbilling.payment_provider import Outcome

ACCEPTED = "4242 4242 4242 4242"
REFUSED = "4000 0000 0000 0002"
_LENGTHS = range(12, 20)
_ANSWERS = {ACCEPTED.replace(" ", ""): Outcome.PAID, REFUSED.replace(" ", ""): Outcome.DECLINED}


def answer_to(number: str) -> Outcome | None:
    """None for what is no card number; a number of a card that is not one of ours is declined."""
    digits = number.replace(" ", "").replace("-", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) in _LENGTHS and _luhn(digits)):
        return None
    return _ANSWERS.get(digits, Outcome.DECLINED)


def _luhn(digits: str) -> bool:
    """ISO/IEC 7812-1: every second digit from the right doubled, its digits added, the sum ends with 0."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0
