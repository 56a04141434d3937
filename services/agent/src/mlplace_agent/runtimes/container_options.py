"""Options with which the Docker engine creates the container of an instance."""

from docker.types import DeviceRequest, LogConfig

from mlplace_agent.config import DockerOptions
from mlplace_agent.environment import container_environment
from mlplace_agent.listening import ANYWHERE, bind_address
from mlplace_contracts.internal.hosting import DesiredInstance

AGENT_LABEL = "ai.mlplace.agent.id"
"""Several agents may use one engine, and agents of two installations may have servers with equal ids."""
INSTANCE_LABEL = "ai.mlplace.agent.instance"
GENERATION_LABEL = "ai.mlplace.agent.generation"
_ID_LETTERS = 8
_LEAST_SHARES, _CORE_SHARES, _MOST_SHARES = 2, 1024, 262_144
_GPU_CAPABILITIES = ["gpu", "compute", "utility"]
_LOG_FILES = {"max-size": "16m", "max-file": "2"}
"""The engine's copy of the output is on the disk, too, and the agent has read what is older."""


def container_options(
    instance: DesiredInstance, options: DockerOptions, *, agent_id: str, advertised: str | None = None
) -> dict[str, object]:
    """Options of the container: no privileges, no capabilities, a hard limit of memory, and no GPUs but its own.

    Processor time is shared by weight: an instance may use what others leave.
    """
    return {
        "name": f"mlp-{instance.account_id}-{instance.model_id}-{instance.instance_id}-{agent_id[:_ID_LETTERS]}",
        "environment": container_environment(instance, http_host=_listens_at(options, advertised)),
        "labels": {
            AGENT_LABEL: agent_id,
            INSTANCE_LABEL: str(instance.instance_id),
            GENERATION_LABEL: str(instance.generation),
        },
        "mem_limit": instance.memory_bytes,
        "memswap_limit": instance.memory_bytes,
        "cpu_shares": max(_LEAST_SHARES, min(instance.milli_cpu * _CORE_SHARES // 1000, _MOST_SHARES)),
        "device_requests": _gpus(instance),
        "log_config": LogConfig(type=LogConfig.types.JSON, config=_LOG_FILES),
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "privileged": False,
        "pids_limit": options.pids_limit,
        "network_mode": options.network_mode,
        "extra_hosts": options.extra_hosts,
        "init": True,
        "detach": True,
        **_published(instance, options, advertised),
    }


def _gpus(instance: DesiredInstance) -> list[DeviceRequest]:
    if not instance.gpu_ids:
        return []
    return [DeviceRequest(driver="nvidia", device_ids=list(instance.gpu_ids), capabilities=[_GPU_CAPABILITIES])]


def _listens_at(options: DockerOptions, advertised: str | None) -> str:
    """All addresses in a network of the container's own; on the host's network only the address that gates use."""
    return bind_address(advertised) if options.network_mode == "host" else ANYWHERE


def _published(instance: DesiredInstance, options: DockerOptions, advertised: str | None) -> dict[str, object]:
    """Publish a port of the host for gates elsewhere. Gates on this machine use the container's own address."""
    if instance.http_port is None or advertised is None or options.network_mode == "host":
        return {}
    return {"ports": {f"{instance.http_port}/tcp": (bind_address(advertised), None)}}
