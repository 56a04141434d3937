"""Files in the bucket of the demo's owner."""

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DemoBucketFile:
    key: str
    content: str
    content_type: str


BUCKET_FILES = (
    DemoBucketFile(
        "readme.md",
        "# Files of Acme Language Lab\n\n`data` holds what models learn from, `models` what they have learnt.\n",
        "text/markdown",
    ),
    DemoBucketFile(
        "data/reviews.csv",
        "text,label\nПришло вовремя и хорошо упаковано,positive\nThe colour differs from the picture,negative\n",
        "text/csv",
    ),
    DemoBucketFile("models/reviews/labels.json", json.dumps(["negative", "positive"]), "application/json"),
)
