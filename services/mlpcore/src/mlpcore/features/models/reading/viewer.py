"""The caller for whom models are read."""

from dataclasses import dataclass, replace
from typing import Self

from mlpcore.callers import caller_of
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.auth.principal import Principal


@dataclass(frozen=True, slots=True)
class Viewer:
    """`accounts`: accounts whose models the viewer reads as their own. `editable`: accounts whose models it may change.

    `caller`: the name under which favourites are stored. `allowed_models`: a key that is limited to these models sees
    no others.
    """

    accounts: frozenset[int]
    editable: frozenset[int]
    selected: int | None
    caller: str | None
    superadmin: bool
    allowed_models: frozenset[int] | None

    @classmethod
    def of(cls, principal: Principal) -> Self:
        readable = {i for i, grant in principal.grants.items() if KeyPermission.READ in grant.permissions}
        editable = {i for i, grant in principal.grants.items() if KeyPermission.WRITE in grant.permissions}
        return cls(
            accounts=frozenset(readable),
            editable=frozenset(editable),
            selected=principal.selected.account_id if principal.selected else None,
            caller=caller_of(principal),
            superadmin=principal.superadmin,
            allowed_models=principal.allowed_models,
        )

    @classmethod
    def of_own_change(cls, principal: Principal) -> Self:
        """Whoever has just changed a model may read the answer, also with a key that may write and not read."""
        viewer = cls.of(principal)
        return replace(viewer, accounts=viewer.accounts | viewer.editable)

    def owns(self, account_id: int) -> bool:
        return self.superadmin or account_id in self.accounts

    def edits(self, account_id: int) -> bool:
        return self.superadmin or account_id in self.editable

    def may_touch(self, model_id: int) -> bool:
        return self.allowed_models is None or model_id in self.allowed_models
