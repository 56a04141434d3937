"""What is left for instances, on the wire. CPU in thousandths of a core; memory, disk and VRAM in MiB."""

from typing import Annotated

from pydantic import Field

from mlpcore.features.group_use.schemas import Amount, AmountsData
from mlpcore.features.instances.schemas import ExceededLimitData, LackData
from mlpcore.features.models.settings.blocks import ModelLimitsData
from mlpcore.features.placement.account_room import AccountLimit
from mlpcore.features.resource_groups.schemas import GroupName
from mlplace_kit.wire import Input, Output


class PlacementPreviewRequest(Input):
    """`resourceGroup`: the account's default group, else the platform's, if null.

    `startTimeoutSec`: servers that end before an instance could have started are not counted. `image`: the address of
    the image, whether it is registered or not; null: any server can run it. `mountsDataImages`: the instance reads data
    images.
    """

    resource_group: GroupName | None = None
    resource_limits: ModelLimitsData = Field(default_factory=ModelLimitsData)
    start_timeout_sec: Annotated[int, Field(ge=1, le=86_400)] = 120
    image: Annotated[str, Field(max_length=512)] | None = None
    mounts_data_images: bool = False


class PreviewedGroupData(Output):
    owner_id: int
    name: str


class GroupGpuData(Output):
    """GPUs of one model. `free`: those that no instance uses; `freeVramMb`: the most that is free on one of them."""

    model: str
    vram_mb: int
    count: int
    free: int
    free_vram_mb: int


class ServerRoomData(Output):
    """`lack`: why the server takes no such instance; null if it does."""

    name: str
    free: AmountsData
    lack: LackData | None


class PlacementPreviewData(Output):
    """Where an instance with these needs fits now.

    `group`: null if there is no default group. `instances`: how many fit beside each other, at most 100. `free`: the
    sum over the servers that take instances; `most`: of each resource, the most that one of them has left. `lacking`:
    why the other servers take none. `eachServer`: empty for groups of other accounts. `limit`: the limit of the
    account that one more instance would exceed.
    """

    group: PreviewedGroupData | None
    servers: int
    fitting: int
    instances: int
    free: AmountsData
    most: AmountsData
    gpus: list[GroupGpuData]
    lacking: list[LackData]
    each_server: list[ServerRoomData]
    limit: ExceededLimitData | None


class LimitUseData(Output):
    """A limit of the account and what its instances use of it: instances, thousandths of a core, or MiB."""

    limit: AccountLimit
    allowed: Amount
    used: Amount
