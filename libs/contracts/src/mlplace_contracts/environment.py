"""Names of the variables that the platform sets in the environment of an instance. Owners cannot set them."""

from typing import Final

RUN_MARK: Final = "MLP_AGENT_RUN"
"""Marks a process that the agent started. The agent finds its processes by this variable."""
HTTP_HOST: Final = "MLP_HTTP_HOST"
HTTP_PORT: Final = "MLP_HTTP_PORT"
GPU_MEMORY_MB: Final = "MLP_GPU_MEMORY_MB"
"""The part of the memory of each of its GPUs that an instance may use, in MiB; absent if it may use all."""
CUDA_DEVICES: Final = "CUDA_VISIBLE_DEVICES"
NVIDIA_DEVICES: Final = "NVIDIA_VISIBLE_DEVICES"
SERVICE_CONFIG: Final = "SERVICE_CONFIG"

PLATFORM_NAMES: Final = frozenset(
    {
        "MLP_ACCOUNT_ID", "MLP_MODEL_ID", "MLP_INSTANCE_ID", "MLP_MODEL_NAME", "HOSTNAME", "MLP_SERVICE_TOKEN",
        "MLP_REST_URL", "MLP_GRPC_HOST", "MLP_GRPC_HOSTS", "MLP_GRPC_SECURE", SERVICE_CONFIG,
        "MLP_STORAGE_TYPE", "MLP_STORAGE_DIR", "MLP_S3_ENDPOINT", "MLP_S3_BUCKET", "MLP_S3_ACCESS_KEY",
        "MLP_S3_SECRET_KEY", "MLP_S3_REGION", HTTP_HOST, HTTP_PORT, GPU_MEMORY_MB,
        RUN_MARK,
    }
)  # fmt: skip
