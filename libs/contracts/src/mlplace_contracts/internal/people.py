"""Finds the person behind a user, for what each person gets once: `POST /internal/accountsadmin/people/resolve`."""

from mlplace_contracts.internal.identity import InternalModel


class PersonQuestion(InternalModel):
    user_id: int


class PersonAnswer(InternalModel):
    """`person` is equal for all logins whose mail arrives in one mailbox. It is a keyed hash, never the address.

    `confirmed` is true when mail to the login has arrived, and also when this installation sends no mail.
    """

    person: str
    confirmed: bool
