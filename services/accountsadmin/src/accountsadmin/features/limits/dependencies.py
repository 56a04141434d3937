from accountsadmin.features.limits.repository import LimitsRepository
from accountsadmin.features.limits.service import LimitsService
from accountsadmin.unit_of_work import UnitOfWork


def limits_of(work: UnitOfWork) -> LimitsService:
    return LimitsService(repository=LimitsRepository(work.session))
