from accountsadmin.features.devices.repository import DeviceRepository
from accountsadmin.features.devices.service import KnownDevices
from accountsadmin.unit_of_work import UnitOfWork


def devices_of(work: UnitOfWork) -> KnownDevices:
    return KnownDevices(
        repository=DeviceRepository(work.session),
        hasher=work.resources.hasher,
        clock=work.clock,
        lifetime=work.resources.settings.device_lifetime,
    )
