from hypothesis import given
from hypothesis import strategies as st

from mlpcore.features.placement.images import KnownImages

from .rooms import READY, needs, room

ADDRESSES = ["a/1:1", "a/2:1", "a/3:1"]
servers = st.tuples(st.booleans(), st.sets(st.sampled_from(ADDRESSES[:2])))


class TestToldApart:
    @given(given=st.lists(servers, max_size=3), image=st.sampled_from([None, *ADDRESSES]), mounts=st.booleans())
    def test_each_server_takes_or_refuses_the_same_as_before(
        self, given: list[tuple[bool, set[str]]], image: str | None, mounts: bool
    ) -> None:
        rooms = [room(runs_containers=runs, programs=frozenset(programs)) for runs, programs in given]
        wanted = needs(image=image, mounts=mounts)
        told = KnownImages(rooms).told_apart(wanted)
        assert [r.refusal(told, READY) for r in rooms] == [r.refusal(wanted, READY) for r in rooms]

    def test_images_that_run_everywhere_are_equal(self) -> None:
        images = KnownImages([room(), room(programs=frozenset(ADDRESSES[:1]))])
        assert len({images.told_apart(needs(image=address)) for address in [None, *ADDRESSES]}) == 1

    def test_images_without_a_program_are_equal(self) -> None:
        images = KnownImages([room(), room(runs_containers=False, programs=frozenset(ADDRESSES[:1]))])
        told = [images.told_apart(needs(image=address, mounts=address == ADDRESSES[2])) for address in ADDRESSES]
        assert (told[1] == told[2], told[0] == told[1]) == (True, False)
