"""Golden files pin the JSON of every event type: an event that was written once must stay readable for ever.

`python libs/contracts/tests/golden.py` creates the golden file of a new type and never rewrites an existing one. A
field that was added later has a golden file of its own, named `<type>+<addition>.json`.
"""

import json
from pathlib import Path

import pytest

from mlplace_contracts.events import EVENT_TYPES, Envelope, decode, encode, encode_event
from mlplace_contracts.topics import TOPICS

GOLDEN = Path(__file__).parent / "golden"


class TestGolden:
    def test_event_types_and_golden_files_correspond(self) -> None:
        assert {path.stem.partition("+")[0] for path in GOLDEN.glob("*.json")} == set(EVENT_TYPES)

    @pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.json")))
    def test_golden_event_is_read_and_written_unchanged(self, name: str) -> None:
        text = (GOLDEN / f"{name}.json").read_text()
        envelope, event = decode(text.encode())
        assert isinstance(event, EVENT_TYPES[name.partition("+")[0]])
        stored = json.loads(text)
        assert event.key == stored.pop("expected_key")
        again = json.loads(encode(envelope.model_copy(update={"payload": event.model_dump(mode="json")})))
        assert {k: v for k, v in again["payload"].items() if k in stored["payload"]} == stored["payload"]

    @pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.json")))
    def test_encode_event_writes_the_bytes_of_encode(self, name: str) -> None:
        envelope, event = decode((GOLDEN / f"{name}.json").read_bytes())
        assert event is not None
        written = encode_event(
            event, event_id=envelope.event_id, occurred_at=envelope.occurred_at, trace_parent=envelope.trace_parent
        )
        assert written == encode(envelope.model_copy(update={"payload": event.model_dump(mode="json")}))

    def test_unknown_types_and_fields_are_ignored(self) -> None:
        stored = json.loads((GOLDEN / "accountsadmin.session_revoked.v1.json").read_text())
        stored["payload"]["added_later"] = 1
        assert decode(json.dumps(stored).encode())[1] is not None
        stored["type_name"] = "accountsadmin.something_new.v1"
        envelope, event = decode(json.dumps(stored).encode())
        assert isinstance(envelope, Envelope)
        assert event is None


class TestTopics:
    def test_only_compacted_topics_carry_state_events(self) -> None:
        from mlplace_contracts.events import StateEvent

        for event in EVENT_TYPES.values():
            if issubclass(event, StateEvent):
                assert event.topic.compacted, event.type_name

    def test_topic_names_are_unique(self) -> None:
        assert len({topic.name for topic in TOPICS}) == len(TOPICS)
