"""A bot that finds a number by halving the range. It remembers each client for a while."""

from collections import OrderedDict
from threading import Lock
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

LEAST: Final = 1
MOST: Final = 100
REMEMBERED: Final = 10_000
"""Maximum number of remembered clients; the least recently active are forgotten first."""

LOWER, HIGHER, RIGHT, AGAIN = "Lower", "Higher", "That is it", "Once more"
_WORDS = {"lower": LOWER, "меньше": LOWER, "higher": HIGHER, "больше": HIGHER, "yes": RIGHT, "да": RIGHT}
_ANSWERS = _WORDS | {word.lower(): word for word in (LOWER, HIGHER, RIGHT)}


class Said(BaseModel):
    model_config = ConfigDict(extra="forbid")

    clientId: str = Field(min_length=1, max_length=200)  # noqa: N815 - name on the wire
    input: str = Field(max_length=10_000)


class Reply(BaseModel):
    type: Literal["text", "buttons"]
    text: str | None = None
    buttons: list[str] | None = None


class Replies(BaseModel):
    replies: list[Reply]


class Game:
    """The number is between `low` and `high`, both inclusive."""

    def __init__(self) -> None:
        self.low, self.high = LEAST, MOST
        self.questions = 0

    @property
    def guess(self) -> int:
        return (self.low + self.high) // 2


class GuessBot:
    def __init__(self) -> None:
        self._games: OrderedDict[str, Game] = OrderedDict()
        # Calls run in several threads.
        self._lock = Lock()

    def predict(self, data: Said) -> Replies:
        with self._lock:
            game = self._games.get(data.clientId)
            answer = _ANSWERS.get(data.input.strip().lower())
            if game is None or answer is None:
                return self._begin(data.clientId)
            self._games.move_to_end(data.clientId)
            return self._go_on(data.clientId, game, answer)

    def _begin(self, client: str) -> Replies:
        game = self._games[client] = Game()
        self._games.move_to_end(client)
        if len(self._games) > REMEMBERED:
            self._games.popitem(last=False)
        return _said(f"Think of a number from {LEAST} to {MOST}, and I find it.", _ask(game), buttons=_choices(game))

    def _go_on(self, client: str, game: Game, answer: str) -> Replies:
        if answer == RIGHT:
            del self._games[client]
            return _said(f"{game.guess}! That took {game.questions} questions.", buttons=[AGAIN])
        if answer == LOWER:
            game.high = game.guess - 1
        else:
            game.low = game.guess + 1
        if game.low > game.high:
            del self._games[client]
            return _said("No number is left: one of the answers was not quite right.", buttons=[AGAIN])
        return _said(_ask(game), buttons=_choices(game))


def _ask(game: Game) -> str:
    game.questions += 1
    return f"Is it {game.guess}?"


def _choices(game: Game) -> list[str]:
    """Only answers that are still possible."""
    lower = [LOWER] if game.guess > game.low else []
    return [*lower, RIGHT, *([HIGHER] if game.guess < game.high else [])]


def _said(*texts: str, buttons: list[str]) -> Replies:
    said = [Reply(type="text", text=text) for text in texts]
    return Replies(replies=[*said, Reply(type="buttons", buttons=buttons)])
