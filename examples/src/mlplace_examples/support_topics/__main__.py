import mlplace
from mlplace_examples.support_topics.service import Topics

if __name__ == "__main__":
    mlplace.serve(Topics)
