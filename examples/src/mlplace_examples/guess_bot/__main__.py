import mlplace
from mlplace_examples.guess_bot.service import GuessBot

if __name__ == "__main__":
    mlplace.serve(GuessBot)
