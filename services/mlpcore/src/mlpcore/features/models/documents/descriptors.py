"""Converts the descriptors that instances send to the contract's form."""

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mlpcore.features.models.schemas import (
    MethodDescriptorData,
    ParamTypeData,
    SchemaFileData,
    ServiceDescriptorData,
)

EMPTY = ServiceDescriptorData(name="", schema_files=[], fittable=False, methods={})


class _Type(BaseModel):
    type: str = ""


class _Method(BaseModel):
    """After a reconnect, instances of one public SDK add methods without an output. They are ignored."""

    input: dict[str, _Type] = Field(default_factory=dict[str, _Type])
    output: _Type | None = None
    fitted: bool = False


class _Descriptor(BaseModel):
    """The JSON form of the gate's ServiceDescriptorProto."""

    model_config = ConfigDict(populate_by_name=True)

    name: str = ""
    fittable: bool = False
    methods: dict[str, _Method] = Field(default_factory=dict[str, _Method])
    schema_files: dict[str, str] = Field(default_factory=dict[str, str], alias="schemaFiles")


def read_descriptor(text: str) -> ServiceDescriptorData | None:
    """Returns None for a text that is no descriptor, and for one that exceeds the contract's limits."""
    try:
        sent = _Descriptor.model_validate_json(text)
        return ServiceDescriptorData(
            name=sent.name,
            fittable=sent.fittable,
            schema_files=[SchemaFileData(name=name, content=content) for name, content in sent.schema_files.items()],
            methods={name: _method(name, method) for name, method in sent.methods.items() if method.output},
        )
    except ValidationError:
        return None


def _method(name: str, sent: _Method) -> MethodDescriptorData:
    return MethodDescriptorData(
        name=name,
        params={param: ParamTypeData(type=kind.type) for param, kind in sent.input.items()},
        output=ParamTypeData(type=sent.output.type if sent.output else ""),
        fitted=sent.fitted,
    )
