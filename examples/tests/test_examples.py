"""The demo models with their real weights."""

import base64
import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from mlplace import Service
from mlplace.authoring.descriptor import build_descriptor
from mlplace_examples.greeting.__main__ import Guest, Manner, greet
from mlplace_examples.guide_chat.service import GuideChat
from mlplace_examples.ner_ru.service import NerRu
from mlplace_examples.ner_ru.service import Texts as NerTexts
from mlplace_examples.speech.resampling import resample
from mlplace_examples.speech.service import AudioSpec, Speaker, SpeechRequest
from mlplace_examples.speech.service import Manner as SpeechManner
from mlplace_examples.word_vectors.service import Texts, WordVectors


class TestGreeting:
    def test_greets_in_english_unless_the_config_says_otherwise(self):
        assert greet(Guest(name="Ann")).greeting == "Hello, Ann!"
        assert greet(Guest(name="Анна"), Manner(language="ru")).greeting == "Здравствуйте, Анна!"

    @pytest.mark.parametrize("wrong", [{"name": ""}, {}, {"name": "Ann", "age": 3}])
    def test_anything_but_a_name_is_refused(self, wrong):
        with pytest.raises(ValidationError):
            Guest.model_validate(wrong)


@pytest.fixture(scope="module")
def ner() -> NerRu:
    return NerRu()


class TestNerRu:
    def test_finds_persons_and_places_with_their_positions(self, ner):
        text = "Иван Петров приехал в Москву"
        entities = ner.predict(NerTexts(texts=[text])).entities_list[0].entities
        assert [(entity.entity, entity.entity_type) for entity in entities] == [
            ("Иван Петров", "PER"),
            ("Москву", "LOC"),
        ]
        for entity in entities:
            assert text[entity.span.start_index : entity.span.end_index] == entity.value

    def test_each_text_has_its_own_list_in_the_same_order(self, ner):
        texts = NerTexts(texts=["Совсем ничего", "", "Сбербанк открыл офис в Казани."])
        found = [[entity.value for entity in item.entities] for item in ner.predict(texts).entities_list]
        assert found == [[], [], ["Сбербанк", "Казани"]]


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    return WordVectors()


def cosine(one: list[float], other: list[float]) -> float:
    return float(np.dot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other)))


class TestWordVectors:
    def embed(self, vectors: WordVectors, *texts: str) -> list[list[float]]:
        return [item.vector for item in vectors.predict(Texts(texts=list(texts))).embedded_texts]

    def test_vectors_have_300_finite_numbers_whatever_the_text(self, vectors):
        for vector in self.embed(vectors, "кошка", "", "щшщшщш", "Hello, мир! 42"):
            assert len(vector) == 300
            assert all(map(math.isfinite, vector))
            assert any(vector)

    def test_similar_words_are_closer_than_unrelated_ones(self, vectors):
        cat, dog, tax = self.embed(vectors, "кошка", "собака", "налог")
        assert cosine(cat, dog) > cosine(cat, tax) + 0.2

    def test_case_and_the_letter_yo_do_not_matter(self, vectors):
        first, second = self.embed(vectors, "КОШКА", "кошка")
        assert first == second
        known, unknown = self.embed(vectors, "самолёт", "щшщшщш")
        assert known != unknown

    def test_a_text_is_the_mean_of_its_words(self, vectors):
        cat, dog, both = self.embed(vectors, "кошка", "собака", "кошка собака")
        assert np.allclose(both, np.mean([cat, dog], axis=0))


@pytest.fixture(scope="module")
def speaker() -> Speaker:
    return Speaker()


def samples(speech) -> np.ndarray:
    return np.frombuffer(base64.b64decode(speech.audio_base64), "<i2").astype(float)


def seconds(speech, hertz: int = 22050) -> float:
    return len(samples(speech)) / hertz


class TestSpeech:
    @pytest.mark.parametrize("text", ["Привет, это проверка речи.", "Hello, this is a test of speech."])
    def test_speech_is_audible_and_of_plausible_length(self, speaker, text):
        audio = samples(speaker.predict(SpeechRequest(text=text)))
        assert 1.0 < len(audio) / 22050 < 4.0
        assert np.sqrt(np.mean(audio**2)) > 500

    def test_cyrillic_letters_choose_the_russian_voice(self, speaker):
        chosen, russian, english = (
            seconds(speaker.predict(SpeechRequest(text="Привет, как дела?", voice=voice)))
            for voice in (None, "ru", "en")
        )
        # The library varies the pauses of the same text by a few milliseconds.
        assert abs(chosen - russian) < 0.03
        assert abs(chosen - english) > 0.2

    def test_the_request_overrides_the_config(self, speaker):
        config = SpeechManner(voice="en", outputAudioSpec=AudioSpec(sampleRateHertz=8000))
        text = "Привет, как дела?"
        spoken = seconds(speaker.predict(SpeechRequest(text=text, voice="ru"), config), hertz=8000)
        plain = seconds(speaker.predict(SpeechRequest(text=text, voice="ru")))
        assert abs(spoken - plain) < 0.03

    @pytest.mark.parametrize("hertz", [8000, 16000, 48000])
    def test_the_length_follows_the_sampling_rate(self, speaker, hertz):
        native = samples(speaker.predict(SpeechRequest(text="Hello")))
        spec = AudioSpec(sampleRateHertz=hertz)
        asked = samples(speaker.predict(SpeechRequest(text="Hello", outputAudioSpec=spec)))
        assert abs(len(asked) / hertz - len(native) / 22050) < 0.03
        assert np.sqrt(np.mean(asked**2)) > 500

    @pytest.mark.parametrize(
        "wrong", [{"text": ""}, {"text": "x", "voice": "xx"}, {"text": "x", "outputAudioSpec": {"sampleRateHertz": 1}}]
    )
    def test_invalid_requests_are_refused(self, wrong):
        with pytest.raises(ValidationError):
            SpeechRequest.model_validate(wrong)


class TestResampling:
    @pytest.mark.parametrize(("source", "target"), list(itertools.permutations([8000, 22050, 48000], 2)))
    def test_a_tone_keeps_its_pitch_and_loudness(self, source, target):
        tone = (10000 * np.sin(2 * np.pi * 440 * np.arange(source) / source)).astype("<i2")
        converted = np.frombuffer(resample(tone.tobytes(), source_hertz=source, target_hertz=target), "<i2")
        assert len(converted) == target
        assert np.argmax(np.abs(np.fft.rfft(converted))) == 440
        middle = converted[target // 4 : -target // 4].astype(float)
        assert abs(np.sqrt(np.mean(middle**2)) - 10000 / np.sqrt(2)) < 100


class TestServing:
    @pytest.mark.parametrize(
        ("thing", "inputs", "output"),
        [
            (greet, {"data": "Guest", "config": "Manner"}, "Greeting"),
            (NerRu, {"data": "Texts"}, "EntitiesList"),
            (WordVectors, {"data": "Texts"}, "Embeddings"),
            (Speaker, {"data": "SpeechRequest", "config": "Manner"}, "Speech"),
            (
                GuideChat,
                {"data": "ChatCompletionRequest", "config": "ChatCompletionConfig"},
                "ChatCompletionResult",
            ),
        ],
    )
    def test_the_descriptor_names_the_types(self, thing, inputs, output):
        predict = build_descriptor(Service.of(thing)).methods["predict"]
        assert {name: param.type for name, param in predict.input.items()} == inputs
        assert predict.output.type == output


EXAMPLES = Path(__file__).parents[1]


class TestStart:
    @pytest.mark.parametrize(
        "command",
        [
            [str(EXAMPLES / "greeting" / "main.py")],
            *(
                ["-m", f"mlplace_examples.{name}"]
                for name in (
                    *("greeting", "ner_ru", "word_vectors", "speech", "guide_chat"),
                    *("support_topics", "pattern_image", "file_facts", "guess_bot"),
                )
            ),
        ],
    )
    def test_without_a_gate_names_the_missing_setting(self, command):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MLP_")}
        ended = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 2
        assert ended.stderr.startswith("mlplace: MLP_GRPC_HOSTS is not set")
