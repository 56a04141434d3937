"""A twin of service processes written with the public Python SDK of 2024.

It is built from notes on that SDK's observable behaviour, with its oddities: it distinguishes gates by the text of the
address, ignores errors of the gate, forgets work in progress when it has to leave a stream, and never exits by itself.
Platform tests connect it wherever a service written with that SDK would be.

    python public_sdk_twin.py          # reads the environment that the platform injects; echoes what it is sent
"""

import json
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub

Predict = Callable[[object, object], object]

MAX_MESSAGE = 104_857_600
WORKERS = 10
AFTER_CLOSE, AFTER_STOP, AFTER_UNAVAILABLE, AFTER_UNHEALTHY, ALL_LOST = 1.0, 4.0, 3.0, 10.0, 10.0


def echo(data: object, config: object) -> object:
    return {"echo": data, "config": config}


class PublicSdkTwin:
    """`pace` multiplies all pauses of the SDK, so that tests are faster."""

    def __init__(self, environment: Mapping[str, str], predict: Predict = echo, *, pace: float = 1.0) -> None:
        first = environment["MLP_GRPC_HOST"]  # read even if MLP_GRPC_HOSTS exists
        self.environment = environment
        self.predict = predict
        self.pace = pace
        self.initial = [host for host in environment.get("MLP_GRPC_HOSTS", first).split(",") if host]
        self.workers = ThreadPoolExecutor(WORKERS)
        self.connectors: dict[str, Connector] = {}
        self.service_info: pb.ServiceInfoProto | None = None
        self.stopped = threading.Event()
        self.lock = threading.RLock()
        self.ever_connected = False

    def start(self) -> None:
        self.set_servers(self.initial)
        threading.Thread(target=self._watch_pool, daemon=True).start()

    def set_servers(self, servers: list[str]) -> None:
        """Makes the connectors equal to the list."""
        with self.lock:
            for gone in self.connectors.keys() - set(servers):
                self.connectors.pop(gone).leave_for_good()
            for new in set(servers) - self.connectors.keys():
                if not self.stopped.is_set():
                    self.connectors[new] = Connector(self, new)
                    self.connectors[new].start()

    def rename(self, connector: "Connector", name: str) -> None:
        with self.lock:
            if connector.name_of_gate != name and self.connectors.get(connector.name_of_gate) is connector:
                del self.connectors[connector.name_of_gate]
                connector.name_of_gate = name
                self.connectors[name] = connector

    def connected_to(self) -> set[str]:
        with self.lock:
            return {name for name, connector in self.connectors.items() if connector.serving}

    def terminate(self) -> None:
        """Does what SIGTERM does: sends stopServing, connects again, stays."""
        with self.lock:
            for connector in self.connectors.values():
                connector.stop_serving()

    def close(self) -> None:
        """Ends like a kill, for tests. The real SDK needs the kill."""
        self.stopped.set()
        with self.lock:
            connectors = list(self.connectors.values())
        for connector in connectors:
            connector.kill()
        for connector in connectors:
            connector.join(10)
        self.workers.shutdown(wait=False, cancel_futures=True)

    def sleep(self, seconds: float) -> None:
        self.stopped.wait(seconds * self.pace)

    def _watch_pool(self) -> None:
        """Returns to the addresses from the environment when nothing was connected for too long."""
        lost_since = time.monotonic()
        while not self.stopped.wait(0.1):
            if self.connected_to():
                lost_since = time.monotonic()
            elif time.monotonic() - lost_since > ALL_LOST * self.pace:
                lost_since = time.monotonic()
                self.set_servers(self.initial)


class Connector(threading.Thread):
    """One gate address: connects, serves and reconnects until it is told to leave."""

    def __init__(self, twin: PublicSdkTwin, address: str) -> None:
        super().__init__(daemon=True)
        self.twin = twin
        self.address = address
        self.name_of_gate = address
        self.serving = False
        self.left = threading.Event()
        self.outgoing: queue.Queue[pb.ServiceToGateProto | None] = queue.Queue()
        self.heartbeat_interval: float | None = None
        self.told_to_stop = False
        self.connects = 0
        self.channel: grpc.Channel | None = None

    def run(self) -> None:
        while not self._over():
            with self._open_channel() as channel:
                self.channel = channel
                pause = self._connect(GateStub(channel))
                self.serving = False
            if not self._over():
                self.twin.sleep(pause)

    def _over(self) -> bool:
        return self.left.is_set() or self.twin.stopped.is_set()

    def _open_channel(self) -> grpc.Channel:
        options = [("grpc.max_send_message_length", MAX_MESSAGE), ("grpc.max_receive_message_length", MAX_MESSAGE)]
        environment = self.twin.environment
        if environment.get("MLP_GRPC_SECURE", "true").lower() != "true":
            return grpc.insecure_channel(self.address, options)
        ca_file = environment.get("GRPC_SSL_CA_FILE_PATH")
        roots = Path(ca_file).read_bytes() if ca_file else None
        return grpc.secure_channel(self.address, grpc.ssl_channel_credentials(roots), options)

    def _connect(self, stub: GateStub) -> float:
        """Serves one stream to its end. Returns how long the SDK then waits."""
        try:
            stub.healthCheck(pb.HeartBeatProto(), timeout=5)  # the answer is not examined
        except (grpc.RpcError, ValueError):
            return AFTER_UNHEALTHY
        self.outgoing = queue.Queue()
        self.heartbeat_interval = None
        self.told_to_stop = False
        self.outgoing.put(pb.ServiceToGateProto(startServing=self._start_serving()))
        self.connects += 1
        try:
            for message in stub.processAsync(self._messages(self.outgoing)):
                self._handle(message, self.outgoing)
        except grpc.RpcError as error:
            return AFTER_UNAVAILABLE if error.code() is grpc.StatusCode.UNAVAILABLE else AFTER_CLOSE
        except ValueError:  # the channel was closed meanwhile
            return AFTER_CLOSE
        finally:
            self.outgoing.put(None)
        return AFTER_STOP if self.told_to_stop else AFTER_CLOSE

    @staticmethod
    def _messages(source: "queue.Queue[pb.ServiceToGateProto | None]") -> Iterator[pb.ServiceToGateProto]:
        while (message := source.get()) is not None:
            yield message

    def _start_serving(self) -> pb.StartServingProto:
        text = pb.ParamDescriptorProto(type="object")
        methods = {
            "init": pb.MethodDescriptorProto(output=pb.ParamDescriptorProto(type="null")),
            "predict": pb.MethodDescriptorProto(input={"data": text, "config": text}, output=text),
        }
        if self.connects:  # derived from earlier requests
            methods["ext"] = pb.MethodDescriptorProto()
            methods["fit"] = pb.MethodDescriptorProto(input={"train_data": pb.ParamDescriptorProto()})
        descriptor = pb.ServiceDescriptorProto(name="Twin", methods=methods, schemaFiles={"schema": "openapi: 3.0.0"})
        return pb.StartServingProto(
            connectionToken=self.twin.environment["MLP_SERVICE_TOKEN"],
            serviceDescriptor=descriptor,
            hostname=self.twin.environment.get("HOSTNAME", ""),
            version=2,
            image=self.twin.environment.get("IMAGE_NAME", ""),
        )

    def _handle(self, message: pb.GateToServiceProto, answers: "queue.Queue[pb.ServiceToGateProto | None]") -> None:
        kind = message.WhichOneof("body")
        match kind:
            case "heartBeat":
                self._heartbeat(message.heartBeat, answers)
            case "cluster":
                self.serving = True
                self.twin.rename(self, message.cluster.currentServer)
                self.twin.set_servers(list(message.cluster.servers))
            case "serviceInfo":
                self.twin.service_info = message.serviceInfo
            case "stopServing":
                self.told_to_stop = True
                self.stop_serving()
            case "predict" | "fit" | "ext" | "batch":
                self.twin.workers.submit(self._answer, message, answers)
            case _:
                answers.put(_error(message, "mlp-action.common.internal-error", f"Unknown request type: {kind}", 500))

    def _heartbeat(self, beat: pb.HeartBeatProto, answers: "queue.Queue[pb.ServiceToGateProto | None]") -> None:
        if self.heartbeat_interval is None:
            self.heartbeat_interval = beat.interval / 1000
            threading.Thread(target=self._beat, args=(answers, self.heartbeat_interval), daemon=True).start()

    def _beat(self, answers: "queue.Queue[pb.ServiceToGateProto | None]", interval: float) -> None:
        while answers is self.outgoing and not self._over():
            answers.put(pb.ServiceToGateProto(heartBeat=pb.HeartBeatProto()))
            self.twin.stopped.wait(interval)

    def _answer(self, message: pb.GateToServiceProto, answers: "queue.Queue[pb.ServiceToGateProto | None]") -> None:
        started = time.monotonic()
        match message.WhichOneof("body"):
            case "predict":
                answer = self._predicted(message)
            case "fit":
                answer = _fitted(message)
            case kind:
                answer = _error(message, "mlp-action.common.processing-exception", f"{kind} is not implemented", 500)
        answer.headers["Z-Server-Time"] = str(int((time.monotonic() - started) * 1000))
        answers.put(answer)

    def _predicted(self, message: pb.GateToServiceProto) -> pb.ServiceToGateProto:
        request = message.predict
        if not request.HasField("config") or not request.config.HasField("json"):
            return _error(message, "mlp-action.common.bad-request", "config cannot be read", 400)
        try:
            result = self.twin.predict(json.loads(request.data.json), json.loads(request.config.json))
        except Exception as error:  # noqa: BLE001  any exception of the service is an answer
            return _error(message, "mlp-action.common.processing-exception", str(error), 500)
        payload = pb.PayloadProto(dataType="object", json=json.dumps(result))
        headers = {"Z-requestId": message.headers.get("Z-requestId", str(message.requestId))}
        if "MLP-BILLING-KEY" in message.headers:
            headers["MLP-BILLING-KEY"] = message.headers["MLP-BILLING-KEY"]
        predict = pb.PredictResponseProto(data=payload)
        return pb.ServiceToGateProto(requestId=message.requestId, predict=predict, headers=headers)

    def stop_serving(self) -> None:
        """Sends stopServing and ends the stream; later answers are lost."""
        outgoing, self.outgoing = self.outgoing, queue.Queue()
        outgoing.put(pb.ServiceToGateProto(stopServing=pb.StopServingProto()))
        outgoing.put(None)
        self.serving = False

    def leave_for_good(self) -> None:
        self.left.set()
        self.stop_serving()

    def kill(self) -> None:
        self.left.set()
        self.outgoing.put(None)
        if self.channel is not None:
            self.channel.close()


def _fitted(message: pb.GateToServiceProto) -> pb.ServiceToGateProto:
    request = message.fit
    info, dataset = request.targetServiceInfo, request.datasetInfo
    complete = (
        request.targetsData.HasField("json")
        and request.config.HasField("json")
        and (info.accountId and info.modelId and info.modelName)
        and (dataset.accountId and dataset.datasetId and dataset.name and dataset.type)
    )
    if not complete:
        return _error(message, "mlp-action.common.bad-request", "a part of the fit request is missing", 400)
    return pb.ServiceToGateProto(requestId=message.requestId, fit=pb.FitResponseProto())


def _error(message: pb.GateToServiceProto, code: str, text: str, status: int) -> pb.ServiceToGateProto:
    error = pb.ApiErrorProto(code=code, message=text, status=pb.SimpleStatusProto.ValueType(status))
    return pb.ServiceToGateProto(requestId=message.requestId, error=error)


def main() -> None:
    twin = PublicSdkTwin(os.environ, pace=float(os.environ.get("TWIN_PACE", "1")))
    signal.signal(signal.SIGTERM, lambda _number, _frame: twin.terminate())
    twin.start()
    twin.stopped.wait()


if __name__ == "__main__":
    main()
