import mlplace
from mlplace_examples.guide_chat.service import GuideChat

if __name__ == "__main__":
    mlplace.serve(GuideChat)
