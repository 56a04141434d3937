"""Data images on the wire. Their ids have the form of those of images."""

from mlpcore.features.images.schemas import ImageData, ImageInfoData
from mlpcore.mount_paths import MountPath
from mlplace_kit.pagination import Pagination
from mlplace_kit.wire import Output


class DataImageData(ImageData):
    """DataImageInfoData as a request. `id`, when sent, must be the data image's own. `imageAccountName` is ignored.

    `sourcePath`: the folder of the image that instances get.
    """

    source_path: MountPath


class DataImageInfoData(ImageInfoData):
    """`image` is empty for a restricted data image of another account, which may be mounted but not seen."""

    source_path: str


class PagedDataImageInfoData(Output):
    paging: Pagination
    records: list[DataImageInfoData]
