"""The parts of the feature, put together for one session."""

from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.jobs.reading import JobReader
from mlpcore.features.jobs.repository import JobRepository
from mlpcore.features.jobs.service import Jobs
from mlpcore.features.jobs.stopping import JobMarker, JobStopper
from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.state import StateDep
from mlplace_kit.clock import Clock
from mlplace_runtime.web.dependencies import SessionDep


def jobs_of(session: AsyncSession, clock: Clock) -> Jobs:
    return Jobs(JobRepository(session), notifier_of(session, clock), clock)


def job_reader_of(session: AsyncSession) -> JobReader:
    return JobReader(JobRepository(session))


def job_reader(session: SessionDep) -> JobReader:
    return job_reader_of(session)


def job_stopper(session: SessionDep, state: StateDep) -> JobStopper:
    return JobStopper(JobRepository(session), jobs_of(session, state.clock))


def job_marker(session: SessionDep) -> JobMarker:
    return JobMarker(JobRepository(session))


JobReaderDep = Annotated[JobReader, Depends(job_reader)]
JobStopperDep = Annotated[JobStopper, Depends(job_stopper)]
JobMarkerDep = Annotated[JobMarker, Depends(job_marker)]
