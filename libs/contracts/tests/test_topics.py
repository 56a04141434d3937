"""The table of topics covers every event, and its documentation page agrees with it."""

from pathlib import Path

from mlplace_contracts.events import EVENT_TYPES, StateEvent
from mlplace_contracts.topics import BY_NAME, TOPICS, Topic

PAGE = Path(__file__).parents[3] / "docs" / "architecture.md"


def _row(topic: Topic) -> str:
    kept = "newest of each key" if topic.compacted else f"{topic.retention_days} days"
    events = sorted(event.__name__ for event in EVENT_TYPES.values() if event.topic is topic)
    return f"| `{topic.name}` | {topic.partitions} | {kept} | {', '.join(events)} |"


def test_documentation_page_lists_the_topics() -> None:
    shown = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    assert shown == [_row(topic) for topic in TOPICS]


def test_every_event_has_a_topic() -> None:
    assert {event.topic.name for event in EVENT_TYPES.values()} <= set(BY_NAME)


def test_exactly_the_topics_of_states_are_compacted() -> None:
    """A rebuilt read model needs the newest state of each object, however old it is."""
    kept = {event.type_name for event in EVENT_TYPES.values() if event.topic.compacted}
    assert kept == {event.type_name for event in EVENT_TYPES.values() if issubclass(event, StateEvent)}
