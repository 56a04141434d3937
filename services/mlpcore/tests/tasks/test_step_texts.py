import json
from pathlib import Path

import pytest

from mlpcore.features.autoscaling import tasks as autoscaling
from mlpcore.features.group_administration import steps as groups
from mlpcore.features.instances import task_steps as instances

LOCALES = Path(__file__).parents[4] / "frontend" / "src" / "locales"
KINDS = (*autoscaling.KINDS, *groups.KINDS, *instances.KINDS)


@pytest.mark.parametrize("language", ["ru", "en"])
def test_each_step_has_a_text_and_no_text_lacks_its_step(language: str) -> None:
    texts = json.loads((LOCALES / f"{language}.json").read_text())["Tasks"]["step"]
    assert set(texts) == {key for kind in KINDS for key in kind.steps}
