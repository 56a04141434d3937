import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlpcore.features.tasks.states import ACTIVE, OVER, TRANSITIONS, IllegalTaskTransition, JobStatus, transition

S = JobStatus
statuses = st.sampled_from(list(JobStatus))


class TestTransitions:
    def test_every_status_lists_its_successors(self) -> None:
        assert set(TRANSITIONS) == set(JobStatus)

    def test_over_and_active_divide_the_statuses(self) -> None:
        assert {S.COMPLETED, S.FAILED, S.REVERTED, S.REPLACED} == OVER
        assert {S.IDLE, S.RUN, S.REVERTING} == ACTIVE

    @given(statuses, statuses)
    def test_only_listed_transitions_are_allowed(self, current: JobStatus, wanted: JobStatus) -> None:
        if wanted in TRANSITIONS[current]:
            assert transition(current, wanted) is wanted
        else:
            with pytest.raises(IllegalTaskTransition):
                transition(current, wanted)

    @given(st.lists(statuses, max_size=20))
    def test_started_task_ends_as_failed_or_reverted_only_after_reverting(self, wishes: list[JobStatus]) -> None:
        past = [S.IDLE]
        for wish in wishes:
            if wish in TRANSITIONS[past[-1]]:
                past.append(transition(past[-1], wish))
        assert len(set(past)) == len(past)
        if past[-1] is S.FAILED:
            assert past == [S.IDLE, S.RUN, S.REVERTING, S.FAILED]
        if past[-1] is S.REVERTED:
            assert past in ([S.IDLE, S.REVERTED], [S.IDLE, S.RUN, S.REVERTING, S.REVERTED])
