"""Who may learn the address of an image."""

from collections.abc import Collection

from mlpcore.features.images.tables import ImageColumns
from mlpcore.system_account import SYSTEM_ACCOUNT


def is_hidden(image: ImageColumns, account_id: int) -> bool:
    """Whether the account may use the image but not learn its address.

    An image that has become private since its address was used is hidden, too.
    """
    return image.account_id != account_id and image.access_mode != "public"


def may_learn(server_owner: int, image_owners: Collection[int]) -> bool:
    """Whether servers of an account may be told the addresses of hidden images, which are those of `image_owners`.

    The owner of a server can read what its agent receives.
    """
    return server_owner == SYSTEM_ACCOUNT or all(owner == server_owner for owner in image_owners)
