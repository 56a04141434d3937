"""The users and models of the demo."""

import sys
from dataclasses import dataclass

from mlplace_contracts.enums import Feature

FORMER_PASSWORD = "mlplace-demo"  # pragma: allowlist secret  # noqa: S105  former versions gave it to all demo users


@dataclass(frozen=True, slots=True)
class DemoUser:
    login: str
    account: str
    display_name: str
    about: str
    features: tuple[Feature, ...]
    superadmin: bool = False
    calls_per_second: int = 10
    instances: int = 5
    money: int = 0
    """Whole units of the installation's currency."""


@dataclass(frozen=True, slots=True)
class DemoExample:
    """`request` and `answer`: JSON text. The answer is one that the model gave."""

    name: str
    request: str
    answer: str


@dataclass(frozen=True, slots=True)
class DemoService:
    """A model of the demo.

    `price` of a call is in hundredths of the installation's currency. A model that is not `running` from the start
    is woken by its first call.
    """

    name: str
    image: str
    display_name: str
    task_type: str
    description: str
    languages: tuple[str, ...]
    price: int
    module: str
    memory: str
    http_port: int | None = None
    """Set for models that speak only HTTP."""
    running: bool = True
    sealed_variable: str = ""
    """Name of a secret and of the variable that holds it in instances. Its value is random."""
    featured: int | None = None
    """Its place among the featured models of the catalogue."""
    visitor_calls: int = 0
    """How many calls a day visitors may make without signing in."""
    sample: str = ""
    """A request (JSON). The demo sends it some times, so that the catalogue shows how the model does."""
    examples: tuple[DemoExample, ...] = ()

    @property
    def command(self) -> list[str]:
        """The command that the built-in hosting server runs for this image."""
        return [sys.executable, "-m", self.module]


OWNER = DemoUser(
    login="acme@example.org",
    account="acme",
    display_name="Acme Language Lab",
    about="owns the demo services and earns from them",
    features=(Feature.MODEL_ADMIN, Feature.PUBLIC_MODEL_ADMIN, Feature.TEST_FORM),
    instances=20,
)
CALLER = DemoUser(
    login="demo@example.org",
    account="demo",
    display_name="Demo Caller",
    about="calls them and pays",
    features=(Feature.MODEL_ADMIN, Feature.TEST_FORM),
    calls_per_second=1000,
    money=1000,
)
ADMIN = DemoUser(
    login="admin@example.org",
    account="platform",
    display_name="Platform",
    about="superadmin",
    features=(),
    superadmin=True,
)
DEMO_USERS = (CALLER, OWNER, ADMIN)

SERVICES = (
    DemoService(
        name="greeting",
        image="mlplace/demo-greeting:1.0",
        display_name="Greeting",
        task_type="custom",
        description="Greets a person by name, in Russian or in English.",
        languages=("ru", "en"),
        price=1,
        module="mlplace_examples.greeting",
        memory="200Mi",
        visitor_calls=200,
        sample='{"name": "Anna"}',
        examples=(DemoExample("Ада", '{"name": "Ада"}', '{"greeting": "Hello, Ада!"}'),),
    ),
    DemoService(
        name="ner-ru",
        image="mlplace/demo-ner-ru:1.0",
        display_name="Named entities in Russian",
        task_type="ner",
        description="Finds persons, places and organisations in Russian texts.",
        languages=("ru",),
        price=25,
        module="mlplace_examples.ner_ru",
        memory="700Mi",
        featured=1,
        visitor_calls=1000,
        sample='{"texts": ["Анна Петрова приехала из Казани в Москву."]}',
        examples=(
            DemoExample(
                "Биография",
                '{"texts": ["Анна Ахматова родилась под Одессой, а училась в Царском Селе."]}',
                '{"entities_list": [{"entities": ['
                '{"entity": "Анна Ахматова", "entity_type": "PER", "source_type": "natasha", '
                '"span": {"start_index": 0, "end_index": 13}, "value": "Анна Ахматова"}, '
                '{"entity": "Одессой", "entity_type": "LOC", "source_type": "natasha", '
                '"span": {"start_index": 27, "end_index": 34}, "value": "Одессой"}, '
                '{"entity": "Царском Селе", "entity_type": "LOC", "source_type": "natasha", '
                '"span": {"start_index": 48, "end_index": 60}, "value": "Царском Селе"}]}]}',
            ),
        ),
    ),
    DemoService(
        name="word-vectors",
        image="mlplace/demo-word-vectors:1.0",
        display_name="Word vectors for Russian",
        task_type="text2vec",
        description="Turns texts into vectors whose closeness means likeness.",
        languages=("ru",),
        price=5,
        module="mlplace_examples.word_vectors",
        memory="500Mi",
        sample='{"texts": ["кошка", "котёнок"]}',
    ),
    DemoService(
        name="speech",
        image="mlplace/demo-speech:1.0",
        display_name="Speech synthesis",
        task_type="tts",
        description="Reads Russian and English texts aloud.",
        languages=("ru", "en"),
        price=10,
        module="mlplace_examples.speech",
        memory="200Mi",
    ),
    DemoService(
        name="text-counter",
        image="mlplace/demo-text-counter:1.0",
        display_name="Text counter",
        task_type="custom",
        description="Counts words and characters. Speaks plain HTTP, and has a page of its own.",
        languages=("ru", "en"),
        price=1,
        module="mlplace_examples.text_counter",
        memory="100Mi",
        http_port=8080,
        examples=(
            DemoExample(
                "Вопрос",
                '{"text": "Сколько здесь слов? Пять или шесть?"}',
                '{"words": 6, "characters": 35, "lines": 1}',
            ),
        ),
    ),
    DemoService(
        name="guide-chat",
        image="mlplace/demo-guide-chat:1.0",
        display_name="Guide to MLPlace",
        task_type="chat-completion",
        description="Answers questions about MLPlace out of a short guide, as a chat that streams.",
        languages=("en",),
        price=2,
        module="mlplace_examples.guide_chat",
        memory="200Mi",
    ),
    DemoService(
        name="support-topics",
        image="mlplace/demo-support-topics:1.0",
        display_name="Topics of support requests",
        task_type="text-classification",
        description="Tells what a message to a shop's support is about.",
        languages=("ru", "en"),
        price=3,
        module="mlplace_examples.support_topics",
        memory="300Mi",
        featured=2,
        visitor_calls=200,
        sample='{"texts": ["Where is my order?"]}',
    ),
    DemoService(
        name="pattern-image",
        image="mlplace/demo-pattern-image:1.0",
        display_name="Patterns out of words",
        task_type="image-generation",
        description="Draws a pattern of waves whose shapes and colours follow from the words.",
        languages=("ru", "en"),
        price=20,
        module="mlplace_examples.pattern_image",
        memory="400Mi",
        running=False,
    ),
    DemoService(
        name="file-facts",
        image="mlplace/demo-file-facts:1.0",
        display_name="What is in a file",
        task_type="file_base64",
        description="Says the kind, size and checksum of a file, and what a text consists of, and signs it.",
        languages=("ru", "en"),
        price=2,
        module="mlplace_examples.file_facts",
        memory="300Mi",
        running=False,
        sealed_variable="SIGNING_KEY",
    ),
    DemoService(
        name="guess-bot",
        image="mlplace/demo-guess-bot:1.0",
        display_name="Guessing bot",
        task_type="chat",
        description="Finds the number you think of, in seven questions at most.",
        languages=("en",),
        price=1,
        module="mlplace_examples.guess_bot",
        memory="200Mi",
        running=False,
    ),
)
