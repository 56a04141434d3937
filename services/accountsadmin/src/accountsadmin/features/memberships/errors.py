from mlplace_kit.errors import DomainError


class OwnerKept(DomainError):
    code = "accountsadmin.owner_kept"
    status = 409
    message = "the user to whom the account belongs stays its owner"
