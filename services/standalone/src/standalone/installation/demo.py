"""The demo in the distributed shape: the same accounts and services, and a hosting server in a container."""

from mlplace_runtime.process.adapters import open_internal
from mlplace_runtime.process.settings import ProcessSettings
from standalone.demo.insiders import Insiders
from standalone.demo.setup import Demo
from standalone.hosting import HostingServer
from standalone.installation.settings import DemoSettings


async def make_demo(settings: DemoSettings, process: ProcessSettings) -> str:
    """The API key of the demo's caller. Needs the edge and the services up."""
    folder = settings.state_dir
    async with open_internal(process) as internal:
        insiders = Insiders(internal)
        demo = Demo(
            address=settings.edge_url,
            insiders=insiders,
            state_file=folder / "demo.json",
            currency=settings.currency.value,
        )
        state = await demo.ensure()
        await HostingServer(
            folder=folder, platform_url=settings.edge_url, name=settings.hosting_server_name, log_level="INFO"
        ).configure(insiders)
    return state.api_key
