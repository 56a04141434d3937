"""Mounts of data images: checks them, and shows them with what they refer to."""

from collections.abc import Iterable, Mapping, Sequence

from mlpcore.features.data_images.tables import DataImage
from mlpcore.features.models.ports import MountableDataImages
from mlpcore.features.models.tables import Block, Model
from mlpcore.mount_paths import is_of_system, overlapping
from mlplace_kit.violations import Violation, broken

_FIELD = "dataImageMounts"


def mounted_ids(models: Iterable[Model]) -> set[int]:
    """Returns the ids of the data images that the models mount."""
    return {mount["dataImageId"] for model in models for mount in model.data_image_mounts}


class Mounts:
    def __init__(self, images: MountableDataImages) -> None:
        self._images = images

    async def checked(
        self,
        *,
        account_id: int,
        wanted: Sequence[Block],
        before: Sequence[Block],
        other_paths: Sequence[str],
    ) -> tuple[list[Block], dict[str, Violation]]:
        """Returns the mounts as the model stores them, and the problems by field. Locks the data images.

        `before`: the mounts that the model has. `other_paths`: where its volumes are. The model keeps a data image that
        its owner has made private since, so that a client that sends back what it read changes nothing.
        """
        found = await self._images.mountable(
            account_id=account_id,
            image_ids={mount["dataImageId"] for mount in wanted},
            kept={mount["dataImageId"] for mount in before},
        )
        paths = [*other_paths, *(mount["targetPath"] for mount in wanted)]
        inside = {position - len(other_paths) for position in overlapping(paths)}
        blocks: list[Block] = []
        problems: dict[str, Violation] = {}
        for number, mount in enumerate(wanted):
            image = found.get(mount["dataImageId"])
            if image is None or image.account_id != mount["dataImageAccountId"]:
                problems[f"{_FIELD}.{number}.dataImageId"] = broken("not_found")
            if is_of_system(mount["targetPath"]):
                problems[f"{_FIELD}.{number}.targetPath"] = broken("mount_of_system")
            elif number in inside:
                problems[f"{_FIELD}.{number}.targetPath"] = broken("mount_inside")
            blocks.append(
                {
                    "dmId": number + 1,
                    "dataImageAccountId": mount["dataImageAccountId"],
                    "dataImageId": mount["dataImageId"],
                    "targetPath": mount["targetPath"],
                }
            )
        return blocks, problems

    async def not_shared(self, clone: Model, *, own: bool) -> dict[str, Violation]:
        """Returns a problem for each data image that the clone's account may not mount. Locks the others.

        `own`: of a model of the same account, which keeps what that model has.
        """
        wanted = mounted_ids([clone])
        kept = wanted if own else set[int]()
        found = await self._images.mountable(account_id=clone.account_id, image_ids=wanted, kept=kept)
        return {
            f"{_FIELD}.{number}.dataImageId": broken("data_image_not_shared")
            for number, mount in enumerate(clone.data_image_mounts)
            if mount["dataImageId"] not in found
        }


def shown_mounts(model: Model, known: Mapping[int, DataImage]) -> list[Block]:
    """Returns the model's mounts with name, address and folder of the data images, as the model's owner sees them."""
    return [
        {**mount, **_described(known.get(mount["dataImageId"]), model.account_id)} for mount in model.data_image_mounts
    ]


def _described(image: DataImage | None, viewer: int) -> Block:
    if image is None:
        return {}
    seen = image.account_id == viewer or image.access_mode == "public"
    return {"dataImage": image.image if seen else "", "dataImageName": image.name, "sourcePath": image.source_path}
