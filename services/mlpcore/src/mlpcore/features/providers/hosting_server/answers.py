"""Orders as agents get them."""

from mlpcore.features.instances.launching.orders import Order
from mlplace_contracts.internal.hosting import DesiredInstance


def desired(order: Order) -> DesiredInstance:
    platform = {name: value for name, value in order.launch.platform.items() if name != "HOSTNAME"}  # the agent sets it
    return DesiredInstance(
        instance_id=order.instance_id,
        generation=order.generation,
        account_id=order.account_id,
        model_id=order.model_id,
        image=order.image,
        address_hidden=order.address_hidden,
        platform_env=platform,
        service_env=order.launch.service,
        command_flags=order.launch.command_flags,
        memory_bytes=order.room.memory_bytes,
        milli_cpu=order.room.milli_cpu,
        disk_bytes=order.room.disk_bytes,
        gpu_ids=order.room.gpu_ids,
        gpu_memory_mb=order.room.gpu_memory_mb,
        stop=order.stop,
        stop_grace_seconds=order.stop_grace_seconds,
        force=order.force,
        http_port=order.http_port,
        data_mounts=order.mounts,
        login=order.login,
    )
