from typing import Annotated

from fastapi import Depends

from accountsadmin.features.recovery.service import Recovery
from accountsadmin.unit_of_work import ResourcesDep


def recovery(resources: ResourcesDep) -> Recovery:
    return Recovery(resources.open_work, resources.passwords, resources.mailer)


RecoveryDep = Annotated[Recovery, Depends(recovery)]
