"""The templates of servers that the platform's account publishes in the demo: sizes for servers that people bring."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DemoServerTemplate:
    """Amounts in Kubernetes notation. `gpu_models`: an entry for each GPU."""

    name: str
    description: str
    cpu: str
    memory: str
    disk: str
    gpu_models: tuple[str, ...] = ()


SERVER_TEMPLATES = (
    DemoServerTemplate("Small server", "For services that need no GPU.", cpu="4", memory="8Gi", disk="100Gi"),
    DemoServerTemplate(
        "Server with a GPU",
        "For one service that needs a whole GPU, or for several that share it.",
        cpu="16",
        memory="64Gi",
        disk="500Gi",
        gpu_models=("NVIDIA L4",),
    ),
)
