"""The demo's texts in Russian, for machines with that language. A model has one name and description for all."""

from collections.abc import Callable, Mapping
from typing import Final

Translate = Callable[[str], str]
"""From the English text."""
_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")
"""In the order of POSIX ("Internationalization Variables"). An empty one counts as not set."""

RUSSIAN: Final[Mapping[str, str]] = {
    "Acme Language Lab": "Лаборатория языка Acme",
    "Demo Caller": "Демонстрация",
    "Platform": "Платформа",
    "Greeting": "Приветствие",
    "Greets a person by name, in Russian or in English.": "Приветствует человека по имени, по-русски или по-английски.",
    "Named entities in Russian": "Имена и названия в русских текстах",
    "Finds persons, places and organisations in Russian texts.": (
        "Находит в русских текстах людей, места и организации."
    ),
    "Word vectors for Russian": "Векторы русских слов",
    "Turns texts into vectors whose closeness means likeness.": (
        "Превращает тексты в векторы: чем они ближе, тем тексты более похожи."
    ),
    "Speech synthesis": "Синтез речи",
    "Reads Russian and English texts aloud.": "Читает вслух русские и английские тексты.",
    "Text counter": "Счётчик слов",
    "Counts words and characters. Speaks plain HTTP, and has a page of its own.": (
        "Считает слова и знаки. Отвечает по HTTP, и у него есть своя страница."
    ),
    "Guide to MLPlace": "Путеводитель по MLPlace",
    "Answers questions about MLPlace out of a short guide, as a chat that streams.": (
        "Отвечает на вопросы о MLPlace по краткому руководству на английском: чат с потоковыми ответами."
    ),
    "Topics of support requests": "Темы обращений в поддержку",
    "Tells what a message to a shop's support is about.": "Определяет, о чём обращение в поддержку магазина.",
    "Patterns out of words": "Узоры из слов",
    "Draws a pattern of waves whose shapes and colours follow from the words.": (
        "Рисует узор из волн: их форма и цвет зависят от слов."
    ),
    "What is in a file": "Что в файле",
    "Says the kind, size and checksum of a file, and what a text consists of, and signs it.": (
        "Называет тип, размер и контрольную сумму файла, состав текста и подписывает ответ."
    ),
    "Guessing bot": "Отгадчик чисел",
    "Finds the number you think of, in seven questions at most.": (
        "Отгадывает задуманное число не больше чем за семь вопросов, на английском."
    ),
    "Small server": "Небольшой сервер",
    "For services that need no GPU.": "Для сервисов, которым не нужен GPU.",
    "Server with a GPU": "Сервер с GPU",
    "For one service that needs a whole GPU, or for several that share it.": (
        "Для одного сервиса, которому нужен целый GPU, или для нескольких, которые его делят."
    ),
    "Short English phrases, each with its intent.": "Короткие английские фразы с намерением каждой.",
}


def translation_for(environment: Mapping[str, str]) -> Translate:
    """Returns what gives the demo's texts in the language that the machine's variables name, if it is Russian."""
    language = next((value for name in _VARIABLES if (value := environment.get(name))), "")
    return in_russian if language.startswith("ru") else unchanged


def in_russian(text: str) -> str:
    """Returns a text that is Russian already unchanged."""
    return RUSSIAN.get(text, text)


def unchanged(text: str) -> str:
    return text
