"""The datasets of the demo, which everybody may read and train with."""

import json
from dataclasses import dataclass

_QUESTIONS = (
    ("Как оплатить заказ?", "Картой на сайте или наличными при получении.", "оплата"),
    ("Можно ли вернуть товар?", "Да, в течение 14 дней, если он не был в употреблении.", "возврат"),
    ("Сколько идёт доставка?", "От одного до трёх дней. Точный срок виден при оформлении.", "доставка"),
    ("Где мой заказ?", "Откройте «Мои заказы»: там показан путь каждой посылки.", "доставка"),
    ("Как изменить адрес?", "Пока заказ не передан в доставку, адрес меняется в его карточке.", "доставка"),
)
_PHRASES = (
    ("hello there", "greeting"), ("good morning", "greeting"), ("hi, anybody home?", "greeting"),
    ("see you tomorrow", "farewell"), ("bye for now", "farewell"), ("take care", "farewell"),
    ("thanks a lot", "thanks"), ("that was very helpful", "thanks"), ("much appreciated", "thanks"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DemoDataset:
    name: str
    data_type: str
    description: str
    content: str


def _faq() -> str:
    rows = [{"question": question, "answer": answer, "topic": topic} for question, answer, topic in _QUESTIONS]
    return json.dumps({"items": rows}, ensure_ascii=False, indent=1)


DATASETS = (
    DemoDataset(
        name="shop-faq",
        data_type="json/faq",
        description="Вопросы покупателей интернет-магазина с ответами и темами.",
        content=_faq(),
    ),
    DemoDataset(
        name="small-talk-intents",
        data_type="csv/texts-and-labels",
        description="Short English phrases, each with its intent.",
        content="text,label\n" + "".join(f'"{text}",{label}\n' for text, label in _PHRASES),
    ),
)
