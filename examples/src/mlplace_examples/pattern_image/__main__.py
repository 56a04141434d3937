import mlplace
from mlplace_examples.pattern_image.service import PatternPainter

if __name__ == "__main__":
    mlplace.serve(PatternPainter)
