"""Writes the configuration of a node's agent: that of all nodes, with this node's enrolment token if it has one."""

import json
import os
from pathlib import Path

configuration = json.loads(Path("/etc/mlplace-agent/agent.json").read_text())
token = Path("/etc/mlplace-agent-tokens", os.environ["NODE_NAME"])
if token.is_file():
    configuration["enrolment_token"] = token.read_text().strip()
if configuration.get("advertised_host") == "node":
    configuration["advertised_host"] = os.environ["NODE_ADDRESS"]
written = Path(os.environ["CONFIGURATION"])
written.touch(mode=0o600)
written.write_text(json.dumps(configuration))
