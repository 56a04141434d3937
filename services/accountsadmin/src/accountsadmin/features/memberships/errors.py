from mlplace_kit.errors import DomainError


class OwnerKept(DomainError):
    code = "accountsadmin.owner_kept"
    status = 409
    message = "the user who owns the account must keep the owner role"
