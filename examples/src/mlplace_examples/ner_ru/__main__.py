import mlplace
from mlplace_examples.ner_ru.service import NerRu

if __name__ == "__main__":
    mlplace.serve(NerRu)
