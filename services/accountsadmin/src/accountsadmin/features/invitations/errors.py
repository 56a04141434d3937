from mlplace_kit.errors import DomainError


class AlreadyInvited(DomainError):
    code = "accountsadmin.already_invited"
    status = 409
    message = "email: {email}"

    def __init__(self) -> None:
        super().__init__(email="an invitation of this address is pending already")


class AlreadyMember(DomainError):
    code = "accountsadmin.already_member"
    status = 409
    message = "email: {email}"

    def __init__(self) -> None:
        super().__init__(email="this user is a member already")


class InvitationClosed(DomainError):
    code = "accountsadmin.invitation_closed"
    status = 409
    message = "the invitation was answered or withdrawn already"


class EmailNotConfirmed(DomainError):
    code = "accountsadmin.email_not_confirmed"
    status = 403
    message = "confirm your e-mail address first"
