import mlplace
from mlplace_examples.file_facts.service import FileFacts

if __name__ == "__main__":
    mlplace.serve(FileFacts)
