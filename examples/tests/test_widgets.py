"""The demo models behind the widgets: classes, pictures, files and a bot."""

import base64
import hmac
import itertools
import struct
import zlib

import numpy as np
import pytest
from pydantic import ValidationError

from mlplace import Service
from mlplace.authoring.descriptor import build_descriptor
from mlplace_examples.file_facts.service import File, FileFacts
from mlplace_examples.guess_bot import service as guess_bot
from mlplace_examples.guess_bot.service import AGAIN, HIGHER, LOWER, RIGHT, GuessBot, Said
from mlplace_examples.pattern_image.service import PatternPainter, Prompt, paint
from mlplace_examples.support_topics.service import Texts, Topics


@pytest.fixture(scope="module")
def topics() -> Topics:
    return Topics()


class TestTopics:
    @pytest.mark.parametrize(
        ("text", "topic"),
        [
            ("Заказ ещё не доставили", "delivery"),
            ("Карта не оплачивается", "payment"),
            ("How can I return these shoes?", "return"),
            ("Пароль не подходит, не войти", "account"),
            ("What size is the phone?", "product"),
        ],
    )
    def test_classifies_unknown_messages(self, topics, text, topic):
        (found,) = topics.predict(Texts(texts=[text])).items_list
        assert found.items[0].value == topic

    @pytest.mark.parametrize("text", ["", "щщщщ", "Где мой заказ?"])
    def test_probabilities_sum_to_one_in_descending_order(self, topics, text):
        (found,) = topics.predict(Texts(texts=[text])).items_list
        assert sum(found.scores) == pytest.approx(1)
        assert found.scores == sorted(found.scores, reverse=True)
        assert len(found.items) == 5

    def test_a_training_sentence_is_more_certain_than_nonsense(self, topics):
        sure, unsure = topics.predict(Texts(texts=["Where is my order?", "xyzzy"])).items_list
        assert sure.scores[0] > 0.9
        assert unsure.scores[0] < 0.4


def decoded(png: bytes) -> np.ndarray:
    width, height = struct.unpack(">II", png[16:24])
    place, data = 8, b""
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        kind, body = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        assert struct.unpack(">I", png[place + 8 + length : place + 12 + length])[0] == zlib.crc32(kind + body)
        data += body if kind == b"IDAT" else b""
        place += 12 + length
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + 3 * width)
    return rows[:, 1:].reshape(height, width, 3)


class TestPictures:
    def test_are_different_png_files_of_the_requested_size(self):
        images = PatternPainter().predict(Prompt(prompt="a red house", n=2, size="96x64")).data
        first, second = (decoded(base64.b64decode(image.b64_json)) for image in images)
        assert first.shape == second.shape == (64, 96, 3)
        assert not np.array_equal(first, second)
        assert first.std() > 10

    def test_depend_only_on_words_and_seed(self):
        one, same, other = (paint(words, seed=1, width=64, height=64) for words in ("a sea", "A Sea!", "a lake"))
        assert np.array_equal(one, same)
        assert not np.array_equal(one, other)

    def test_sizes_are_clipped(self):
        (image,) = PatternPainter().predict(Prompt(prompt="…", size="10x9999")).data
        assert decoded(base64.b64decode(image.b64_json)).shape == (1024, 64, 3)

    @pytest.mark.parametrize("wrong", [{"prompt": ""}, {"prompt": "x", "n": 11}, {"prompt": "x", "size": "axb"}])
    def test_other_prompts_are_refused(self, wrong):
        with pytest.raises(ValidationError):
            Prompt.model_validate(wrong)


def file(content: bytes, name: str = "") -> File:
    return File(file_base64=base64.b64encode(content).decode(), fileName=name)


class TestFiles:
    def test_counts_lines_and_words_of_a_text(self):
        facts = FileFacts().predict(file("Кот и кот.\nИ пёс".encode(), "a.txt"))
        assert (facts.kind, facts.bytes, facts.fileName) == ("text/plain", 27, "a.txt")
        assert facts.text is not None
        assert (facts.text.lines, facts.text.words, facts.text.characters) == (2, 5, 16)
        assert facts.text.commonest[:2] == ["кот", "и"]

    @pytest.mark.parametrize(
        ("content", "kind"),
        [(b"\x89PNG\r\n\x1a\nrest", "image/png"), (b"\xff\x00\x01", "application/octet-stream"), (b"", "text/plain")],
    )
    def test_recognises_the_kind_by_the_first_bytes(self, content, kind):
        assert FileFacts().predict(file(content)).kind == kind

    def test_entropy_distinguishes_noise_from_repetition(self):
        assert FileFacts().predict(file(bytes(range(256)) * 4)).entropy == 8
        assert FileFacts().predict(file(b"aaaa")).entropy == 0

    def test_signs_with_the_key_from_the_environment(self, monkeypatch):
        assert FileFacts().predict(file(b"x")).signature is None
        monkeypatch.setenv("SIGNING_KEY", "key")
        expected = hmac.digest(b"key", b"x", "sha256").hex()
        assert FileFacts().predict(file(b"x")).signature == expected

    @pytest.mark.parametrize("text", ["not base64!", "YQ"])
    def test_invalid_base64_is_refused(self, text):
        with pytest.raises(ValidationError):
            File(file_base64=text)


def talk(bot: GuessBot, text: str, client: str = "ann") -> tuple[list[str], list[str]]:
    replies = bot.predict(Said(clientId=client, input=text)).replies
    return [reply.text for reply in replies if reply.text], list(
        itertools.chain.from_iterable(reply.buttons or [] for reply in replies)
    )


class TestBot:
    @pytest.mark.parametrize("number", [1, 37, 50, 100])
    def test_finds_every_number_in_seven_questions(self, number):
        bot = GuessBot()
        texts, _ = talk(bot, "hi")
        for _ in range(7):
            guess = int(texts[-1].removeprefix("Is it ").removesuffix("?"))
            if guess == number:
                break
            texts, _ = talk(bot, LOWER if number < guess else HIGHER)
        texts, buttons = talk(bot, RIGHT)
        assert texts[0].startswith(f"{number}!")
        assert buttons == [AGAIN]

    def test_reports_contradictions_and_offers_only_possible_answers(self):
        bot = GuessBot()
        talk(bot, "hi")
        for _ in range(4):
            talk(bot, LOWER)
        assert talk(bot, LOWER) == (["Is it 1?"], [RIGHT, HIGHER])
        assert talk(bot, HIGHER) == (["Is it 2?"], [RIGHT])
        texts, _ = talk(bot, LOWER)
        assert texts == ["No number is left: one of the answers was not quite right."]

    def test_clients_have_separate_games_and_the_oldest_are_forgotten(self, monkeypatch):
        monkeypatch.setattr(guess_bot, "REMEMBERED", 2)
        bot = GuessBot()
        talk(bot, "hi", "a")
        talk(bot, "hi", "b")
        assert talk(bot, LOWER, "a")[0] == ["Is it 25?"]
        talk(bot, "hi", "c")
        assert talk(bot, LOWER, "a")[0] == ["Is it 12?"]
        assert len(talk(bot, LOWER, "b")[0]) == 2


@pytest.mark.parametrize(
    ("thing", "data", "output"),
    [
        (Topics, "Texts", "ItemsList"),
        (PatternPainter, "Prompt", "Images"),
        (FileFacts, "File", "Facts"),
        (GuessBot, "Said", "Replies"),
    ],
)
def test_the_descriptor_names_the_types(thing, data, output):
    predict = build_descriptor(Service.of(thing)).methods["predict"]
    assert (predict.input["data"].type, predict.output.type) == (data, output)
