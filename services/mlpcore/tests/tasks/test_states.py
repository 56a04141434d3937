import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlpcore.features.tasks.states import ACTIVE, OVER, TRANSITIONS, IllegalTaskTransition, JobStatus, transition

S = JobStatus
statuses = st.sampled_from(list(JobStatus))


class TestTransitions:
    def test_every_status_says_what_may_follow(self) -> None:
        assert set(TRANSITIONS) == set(JobStatus)

    def test_what_is_over_stays_so(self) -> None:
        assert {S.COMPLETED, S.FAILED, S.REVERTED, S.REPLACED} == OVER
        assert {S.IDLE, S.RUN, S.REVERTING} == ACTIVE

    @given(statuses, statuses)
    def test_only_what_the_table_says_is_done(self, current: JobStatus, wanted: JobStatus) -> None:
        if wanted in TRANSITIONS[current]:
            assert transition(current, wanted) is wanted
        else:
            with pytest.raises(IllegalTaskTransition):
                transition(current, wanted)

    @given(st.lists(statuses, max_size=20))
    def test_a_task_that_failed_or_was_reverted_was_undone_before_unless_it_never_began(
        self, wishes: list[JobStatus]
    ) -> None:
        past = [S.IDLE]
        for wish in wishes:
            if wish in TRANSITIONS[past[-1]]:
                past.append(transition(past[-1], wish))
        assert len(set(past)) == len(past)
        if past[-1] is S.FAILED:
            assert past == [S.IDLE, S.RUN, S.REVERTING, S.FAILED]
        if past[-1] is S.REVERTED:
            assert past in ([S.IDLE, S.REVERTED], [S.IDLE, S.RUN, S.REVERTING, S.REVERTED])
