import mlplace
from mlplace_examples.openai_proxy.service import OpenAiProxy

if __name__ == "__main__":
    mlplace.serve(OpenAiProxy)
