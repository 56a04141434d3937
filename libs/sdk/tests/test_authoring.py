"""Tests which functions and classes can be served, and the errors for the others."""

import json
import logging
import socket
import zlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

import mlplace
from mlplace.__main__ import main
from mlplace.authoring.descriptor import build_descriptor, json_schemas
from mlplace.hosting.backoff import Backoff
from mlplace.hosting.logs import GelfHandler
from mlplace_gateproto import gate_pb2


class Texts(BaseModel):
    texts: list[str]


class Limits(BaseModel):
    longest: int = 10


class Clipper:
    def __init__(self, config: Limits | None = None) -> None:
        self.limits = config or Limits()

    async def predict(self, data: Texts) -> list[Texts]:
        return [Texts(texts=[text[: self.limits.longest]]) for text in data.texts]

    @mlplace.ext
    def forget(self) -> None: ...


def types_of(method: gate_pb2.MethodDescriptorProto) -> tuple[dict[str, str], str]:
    return {name: param.type for name, param in method.input.items()}, method.output.type


class TestDescriptor:
    def test_a_class_shows_its_methods_and_types(self):
        descriptor = build_descriptor(mlplace.Service.of(Clipper))
        assert descriptor.name == "Clipper"
        assert not descriptor.fittable
        assert {name: types_of(method) for name, method in descriptor.methods.items()} == {
            "init": ({"config": "Limits"}, "null"),
            "predict": ({"data": "Texts"}, "array Texts"),
            "forget": ({}, "null"),
        }

    def test_schemas_are_yaml_that_refers_to_shared_definitions(self):
        descriptor = build_descriptor(mlplace.Service.of(Clipper))
        schema = yaml.safe_load(descriptor.schemaFiles["schema"])
        assert schema["methods"]["predict"]["input"]["data"] == {"$ref": "#/definitions/Texts"}
        assert schema["definitions"]["Texts"]["properties"]["texts"]["items"] == {"type": "string"}

    @pytest.mark.parametrize(
        ("annotation", "name"),
        [(str, "string"), (int | None, "integer"), (list[float], "array number"), (dict[str, int], "object")],
    )
    def test_builtin_types_have_the_names_of_json_types(self, annotation, name):
        def predict(data): ...

        predict.__annotations__ = {"data": annotation, "return": None}
        descriptor = build_descriptor(mlplace.Service.of(predict))
        assert types_of(descriptor.methods["predict"]) == ({"data": name}, "null")

    def test_an_untyped_function_accepts_any_value(self):
        def predict(data): ...

        assert types_of(build_descriptor(mlplace.Service.of(predict)).methods["predict"]) == ({"data": "any"}, "any")

    def test_a_stream_has_the_type_of_its_items(self):
        async def predict(data: AsyncIterator[int]) -> AsyncIterator[Texts]:
            async for _ in data:
                yield Texts(texts=[])

        service = mlplace.Service.of(predict)
        assert types_of(build_descriptor(service).methods["predict"]) == ({"data": "integer"}, "Texts")
        assert json_schemas(service)["methods"]["predict"]["output"] == {"$ref": "#/definitions/Texts"}

    def test_a_fit_makes_the_service_fittable(self):
        def fit(train_data: str, model_dir: str) -> None: ...

        def predict(data: int) -> int:
            return data

        assert build_descriptor(mlplace.Service(predict, fit=fit)).fittable


class TestDeclaration:
    def test_service_config_fills_the_constructor(self):
        settings = mlplace.Settings(service_config='{"longest": 3}')
        bound: Any = mlplace.Service.of(Clipper, settings).predict.call
        assert bound.__self__.limits.longest == 3

    @pytest.mark.parametrize(
        ("text", "said"), [("{", "not JSON"), ("[]", "not a JSON object"), ('{"longest": "x"}', "does not fit Clipper")]
    )
    def test_an_invalid_service_config_is_refused(self, text, said):
        with pytest.raises(mlplace.SettingsError, match=said):
            mlplace.Service.of(Clipper, mlplace.Settings(service_config=text))

    @pytest.mark.parametrize(
        ("thing", "said"),
        [
            (42, "is not a function and has no predict method"),
            (lambda: 0, "takes the data"),
            (lambda a, b, c: 0, "takes the data"),
            (lambda *data: 0, "cannot be passed by name"),
            (type("Empty", (), {}), "has no predict"),
        ],
    )
    def test_unsupported_signatures_are_refused(self, thing, said):
        with pytest.raises(mlplace.DeclarationError, match=said):
            mlplace.Service.of(thing)

    def test_a_type_without_a_json_form_is_refused(self):
        def predict(data: socket.socket) -> int:
            return 0

        with pytest.raises(mlplace.DeclarationError, match="no JSON form"):
            mlplace.Service.of(predict)

    def test_ext_methods_that_shadow_or_stream_are_refused(self):
        def predict(data: int) -> int:
            return data

        def streaming() -> Iterator[int]:
            yield 1

        with pytest.raises(mlplace.DeclarationError, match="reserved names"):
            mlplace.Service(predict, ext={"predict": predict})
        with pytest.raises(mlplace.DeclarationError, match="only predict can stream"):
            mlplace.Service(predict, ext={"tell": streaming})
        with pytest.raises(mlplace.DeclarationError, match="fit does not know epochs"):
            mlplace.Service(predict, fit=lambda epochs: None)


class TestSettings:
    def test_the_list_of_gates_overrides_the_single_gate(self):
        settings = mlplace.Settings.from_environment({"MLP_GRPC_HOST": "a:1", "MLP_GRPC_HOSTS": "b:1, c:2,b:1"})
        assert settings.gate_addresses == ("b:1", "c:2")

    def test_defaults_match_existing_services(self):
        settings = mlplace.Settings.from_environment({"MLP_GRPC_HOST": "a:1", "MLP_GRPC_SECURE": ""})
        assert settings.gate_addresses == ("a:1",)
        assert settings.grpc_secure
        assert (settings.thread_pool_size, settings.graceful_shutdown_ms) == (10, 20_000)

    def test_an_invalid_value_is_named_in_the_error(self):
        with pytest.raises(mlplace.SettingsError, match="MLP_THREAD_POOL_SIZE"):
            mlplace.Settings.from_environment({"MLP_THREAD_POOL_SIZE": "many"})

    def test_a_config_file_supplies_variables_that_the_environment_lacks(self, tmp_path: Path):
        file = tmp_path / "config.yml"
        file.write_text("MLP_GRPC_HOST: file:1\nMLP_THREAD_POOL_SIZE: 3\n")
        given = {"MLP_ENV_FILE": str(file), "MLP_GRPC_HOST": "given:1"}
        settings = mlplace.Settings.from_environment(given)
        assert (settings.gate_addresses, settings.thread_pool_size) == (("given:1",), 3)

    @pytest.mark.parametrize(("told", "used"), [("$(hostname)", socket.gethostname()), ("gpu-1", "gpu-1"), ("", "")])
    def test_a_host_name_that_no_shell_has_replaced_is_the_name_of_this_machine(self, tmp_path: Path, told, used):
        file = tmp_path / "environment.json"
        file.write_text(json.dumps({"HOSTNAME": told}))
        settings = mlplace.Settings.from_environment({"MLP_ENV_FILE": str(file)})
        assert settings.hostname == used

    def test_secrets_are_not_in_the_repr(self):
        settings = mlplace.Settings(service_token="1.2.topsecret", s3_secret_key="topsecret")
        assert "topsecret" not in repr(settings)


class TestCommandLine:
    @pytest.fixture(autouse=True)
    def module(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "my_service.py").write_text("def predict(data: int) -> int:\n    return data\n")
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(str(tmp_path))

    def test_the_descriptor_is_printed_as_json(self, capsys: pytest.CaptureFixture[str]):
        assert main(["descriptor", "my_service:predict"]) == 0
        printed: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert printed["methods"]["predict"]["output"] == {"type": "integer"}

    @pytest.mark.parametrize(
        ("reference", "said"),
        [
            ("my_service", "not of the form module:object"),
            ("my_services:predict", "no module my_services"),
            ("my_service:x", "my_service has no x"),
        ],
    )
    def test_a_wrong_reference_prints_one_line_and_exits_with_2(
        self, capsys: pytest.CaptureFixture[str], reference, said
    ):
        assert main(["serve", reference]) == 2
        assert said in capsys.readouterr().err

    def test_a_missing_environment_prints_one_line_and_exits_with_2(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.delenv("MLP_GRPC_HOST", raising=False)
        monkeypatch.delenv("MLP_GRPC_HOSTS", raising=False)
        assert main(["serve", "my_service:predict"]) == 2
        assert "MLP_GRPC_HOSTS is not set" in capsys.readouterr().err


class TestBackoff:
    def test_delays_double_up_to_the_limit_with_jitter(self):
        backoff = Backoff(first=1, limit=10)
        ceilings = [1, 2, 4, 8, 10, 10]
        for attempt, ceiling in enumerate(ceilings):
            delays = {backoff.delay(attempt) for _ in range(20)}
            assert all(ceiling / 2 <= delay <= ceiling for delay in delays)
            assert len(delays) > 1


class TestGelf:
    def test_a_record_arrives_as_one_compressed_datagram(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as collector:
            collector.bind(("127.0.0.1", 0))
            collector.settimeout(60)
            handler = GelfHandler("127.0.0.1", collector.getsockname()[1], source="here", environment="test")
            handler.emit(logging.LogRecord("mine", logging.ERROR, __file__, 1, "lost %s", ("it",), None))
            received = json.loads(zlib.decompress(collector.recv(65536)))
            handler.close()
        assert (received["version"], received["host"], received["level"]) == ("1.1", "here", 3)
        assert (received["short_message"], received["_env"]) == ("lost it", "test")
