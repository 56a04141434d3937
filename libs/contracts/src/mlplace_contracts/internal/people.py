"""Who a user is, for what a person gets once: `POST /internal/accountsadmin/people/resolve`."""

from mlplace_contracts.internal.identity import InternalModel


class PersonQuestion(InternalModel):
    user_id: int


class PersonAnswer(InternalModel):
    """`person` is the same for all logins whose mail arrives in one mailbox; it is a keyed hash, never the address.

    `confirmed`: mail to the login has arrived, or this installation sends none, so that nobody can show it.
    """

    person: str
    confirmed: bool
