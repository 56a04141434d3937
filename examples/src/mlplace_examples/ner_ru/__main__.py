import os

import mlplace


def main() -> None:
    # The matrices are small: threads of the algebra library would only occupy cores that other processes need. The
    # library reads this variable once, when it is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from mlplace_examples.ner_ru.service import NerRu

    mlplace.serve(NerRu)


if __name__ == "__main__":
    main()
