from mlpcore.errors import InUse
from mlpcore.features.images.repository import ImageRepository
from mlpcore.features.images.schemas import Belonging, ImageData, ImageInfoData, ImageInfoPK, PagedImageInfoData
from mlpcore.features.images.tables import Image
from mlpcore.ports import ImageUsers
from mlplace_kit.clock import Clock
from mlplace_kit.errors import NotFound, ValidationFailed
from mlplace_kit.names import PathRef
from mlplace_kit.pagination import PageRequest, Pagination
from mlplace_kit.violations import broken
from mlplace_runtime.auth.principal import Principal
from mlplace_runtime.service import AccountDirectory


class ImageService:
    def __init__(
        self, repository: ImageRepository, users: ImageUsers, accounts: AccountDirectory, clock: Clock
    ) -> None:
        self._repository = repository
        self._users = users
        self._accounts = accounts
        self._clock = clock

    async def create(self, *, account_id: int, data: ImageData) -> ImageInfoData:
        image = Image(
            account_id=account_id,
            name=data.name,
            image=data.image,
            access_mode=data.access_mode,
            created_at=self._clock.now(),
        )
        return await self._info(await self._repository.add(image), viewer=account_id)

    async def page(
        self, *, account_id: int, name: str | None, belonging: Belonging, page: PageRequest
    ) -> PagedImageInfoData:
        rows, total = await self._repository.page(account_id=account_id, name=name, belonging=belonging, page=page)
        records = [image_info(image, account_name=owner, own=image.account_id == account_id) for image, owner in rows]
        return PagedImageInfoData(paging=Pagination.of(page, total), records=records)

    async def read(self, *, principal: Principal, ref: PathRef, image_id: int) -> ImageInfoData:
        """Raises NotFound for an image that the caller may not see."""
        grant = principal.grant_for(ref)
        account_id = grant.account_id if grant else await self._account_id(ref)
        image = await self._repository.owned(account_id=account_id, image_id=image_id)
        own = grant is not None or principal.superadmin
        if image is None or (image.access_mode == "private" and not own):
            raise NotFound(entity="image")
        return image_info(image, account_name=await self._repository.account_name(account_id), own=own)

    async def update(self, *, account_id: int, image_id: int, data: ImageData) -> ImageInfoData:
        if data.id is not None and (data.id.account_id, data.id.image_id) != (account_id, image_id):
            raise ValidationFailed({"id": broken("image_of_path")})
        image = await self._existing(account_id, image_id)
        image.name, image.image, image.access_mode = data.name, data.image, data.access_mode
        await self._repository.flush(image)
        return await self._info(image, viewer=account_id)

    async def delete(self, *, account_id: int, image_id: int) -> None:
        """Raises InUse while a model of any account uses the image."""
        image = await self._existing(account_id, image_id)
        users = await self._users.users_of(image_id)
        if users:
            raise InUse(entity="the image", by=f"{users} services", use="services", count=str(users))
        await self._repository.delete(image)

    async def _existing(self, account_id: int, image_id: int) -> Image:
        image = await self._repository.owned(account_id=account_id, image_id=image_id, lock=True)
        if image is None:
            raise NotFound(entity="image")
        return image

    async def _account_id(self, ref: PathRef) -> int:
        entry = await self._accounts.find(ref)
        return entry.account_id if entry else 0

    async def _info(self, image: Image, *, viewer: int) -> ImageInfoData:
        name = await self._repository.account_name(image.account_id)
        return image_info(image, account_name=name, own=image.account_id == viewer)


def image_info(image: Image, *, account_name: str | None, own: bool) -> ImageInfoData:
    return ImageInfoData.model_validate(
        {
            "id": ImageInfoPK(account_id=image.account_id, image_id=image.image_id),
            "name": image.name,
            "image_account_name": account_name,
            "image": image.image if own or image.access_mode != "restricted" else "",
            "access_mode": image.access_mode,
        }
    )
