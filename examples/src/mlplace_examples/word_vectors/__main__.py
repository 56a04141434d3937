import mlplace
from mlplace_examples.word_vectors.service import WordVectors

if __name__ == "__main__":
    mlplace.serve(WordVectors)
