import mlplace
from mlplace_examples.speech.service import Speaker

if __name__ == "__main__":
    mlplace.serve(Speaker)
