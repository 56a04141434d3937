"""The task types of the contract. The frontend defines the names of icons."""

from typing import get_args

from mlpcore.features.models.settings.blocks import TaskType
from mlpcore.features.system.schemas import TaskTypeData

_SHOWN: dict[str, tuple[str, str, str]] = {
    "text2vec": ("Vectorizer", "vector", "violet"),
    "text-classification": ("Text classification", "tags", "blue"),
    "ner": ("Named entity recognition", "scan", "teal"),
    "text-processing": ("Text processing", "text", "cyan"),
    "chat-completion": ("Chat completion", "sparkles", "grape"),
    "asr": ("Speech recognition", "microphone", "orange"),
    "tts": ("Speech synthesis", "volume", "yellow"),
    "chat": ("Chat", "message", "indigo"),
    "image-generation": ("Image generation", "photo", "pink"),
    "custom": ("Custom", "puzzle", "gray"),
    "file_base64": ("File processing", "file", "lime"),
    "mcp_server": ("MCP server", "plug", "green"),
}

TASK_TYPES = [
    TaskTypeData(name=name, display_name=_SHOWN[name][0], icon=_SHOWN[name][1], color=_SHOWN[name][2])
    for name in get_args(TaskType)
]
