"""Converts payloads of a request to arguments of the author's function. All functions raise bad-request errors."""

from mlplace.authoring.payloads import is_absent
from mlplace.authoring.signature import Method, Parameter
from mlplace.context import Context
from mlplace.errors import bad_request
from mlplace_gateproto import gate_pb2

Arguments = dict[str, object]


def context_arguments(method: Method, context: Context) -> Arguments:
    return {} if method.context_name is None else {method.context_name: context}


def config_arguments(method: Method, config: gate_pb2.PayloadProto | None) -> Arguments:
    """Returns the config argument of predict and predict_batch; an empty config leaves the function's own default."""
    if len(method.parameters) == 1:
        return {}
    return _optional(method.parameters[1], config, "config")


def ext_arguments(method: Method, request: gate_pb2.ExtendedRequestProto) -> Arguments:
    unknown = [name for name in request.params if method.parameter(name) is None]
    if unknown:
        raise bad_request("; ".join(f"params.{name}: {method.name} has no such parameter" for name in unknown))
    arguments: Arguments = {}
    for parameter in method.parameters:
        where = f"params.{parameter.name}"
        if parameter.name in request.params:
            arguments[parameter.name] = _text_or_json(parameter, request.params[parameter.name], where)
        elif parameter.required:
            raise bad_request(f"{where}: is required")
    return arguments


def fit_arguments(method: Method, request: gate_pb2.FitRequestProto) -> Arguments:
    """Returns the declared arguments. A text parameter gets the data set unparsed; any other type gets it parsed."""
    target = request.targetServiceInfo
    dataset = request.datasetInfo
    plain: dict[str, object] = {
        "model_dir": request.modelDir,
        "previous_model_dir": request.previousModelDir or None,
        "target_service": {
            "accountId": target.accountId,
            "modelId": target.modelId,
            "modelName": target.modelName,
            "authToken": target.authToken or None,
            "bucketName": target.bucketName or None,
        },
        "dataset": {
            "accountId": dataset.accountId,
            "datasetId": dataset.datasetId,
            "name": dataset.name,
            "type": dataset.type,
        },
    }
    payloads = {"train_data": request.trainData, "targets": request.targetsData, "config": request.config}
    arguments: Arguments = {}
    for parameter in method.parameters:
        if parameter.name in plain:
            arguments[parameter.name] = plain[parameter.name]
        elif parameter.name == "train_data":
            arguments[parameter.name] = _dataset(parameter, request.trainData)
        else:
            arguments |= _optional(parameter, payloads[parameter.name], parameter.name)
    return arguments


def _optional(parameter: Parameter, payload: gate_pb2.PayloadProto | None, where: str) -> Arguments:
    if payload is not None and not is_absent(payload):
        return {parameter.name: parameter.type.read(payload, where)}
    return {parameter.name: parameter.type.read_json("{}", where)} if parameter.required else {}


def _dataset(parameter: Parameter, payload: gate_pb2.PayloadProto) -> object:
    if parameter.type.annotation is str:
        return payload.json
    return parameter.type.read(payload, parameter.name)


def _text_or_json(parameter: Parameter, payload: gate_pb2.PayloadProto, where: str) -> object:
    # Over REST, callers send text parameters without the quotes of JSON.
    bare = parameter.type.annotation is str and not payload.json.startswith('"')
    return payload.json if bare else parameter.type.read(payload, where)
