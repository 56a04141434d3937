"""Test cards and the bank's answers to them. No I/O."""

from mlpbilling.payment_provider import Outcome

ACCEPTED = "4242 4242 4242 4242"
REFUSED = "4000 0000 0000 0002"
_LENGTHS = range(12, 20)
_ANSWERS = {ACCEPTED.replace(" ", ""): Outcome.PAID, REFUSED.replace(" ", ""): Outcome.DECLINED}


def answer_to(number: str) -> Outcome | None:
    """Returns None for an invalid card number. Valid numbers other than the test cards are declined."""
    digits = number.replace(" ", "").replace("-", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) in _LENGTHS and _luhn(digits)):
        return None
    return _ANSWERS.get(digits, Outcome.DECLINED)


def _luhn(digits: str) -> bool:
    """Checks ISO/IEC 7812-1: double every second digit from the right, add all digits, the sum ends with 0."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0
