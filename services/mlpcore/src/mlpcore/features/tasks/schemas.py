"""Tasks on the wire."""

from datetime import datetime

from mlpcore.features.tasks.states import JobStatus
from mlpcore.operations import EntityRef, OperationType
from mlplace_kit.wire import Output


class JobStatusData(Output):
    """The last task of a model."""

    account_id: int
    job_id: int
    job_type: str
    state: JobStatus
    done: bool
    error: bool
    error_message: str | None


class JobStatusDataV2(Output):
    """Times are Unix milliseconds. `parents`: the tasks that contain this one, the outermost first."""

    job_id: str
    job_status: JobStatus
    start_time: int
    end_time: int | None
    name: str
    parents: list[str]
    percentage: int
    current_command_name: str | None
    original_exception: str | None
    priority_name: str
    error_message: str | None
    account_id: int
    model_id: int | None
    instance_id: int | None
    group_owner_id: int | None
    group_name: str | None
    server_id: int | None
    wait_for: list[str]


class ShortJobView(Output):
    """`viewStatus` equals `persistentJobStatus`, and `currentStep` equals `step`: clients use both names.

    `stepKey` names the step, for texts in other languages. `errorCode` and `errorArgs` are those of an error
    (docs/errors.md); `errorMessage` is its text. `unreadStatus`: the caller has not seen the task in its current
    status.
    """

    job_id: str
    title: str
    children: list["ShortJobView"]
    percentage: float
    view_status: JobStatus
    current_step: str
    operation: OperationType
    operated_entity: EntityRef
    operated_entity_name: str
    persistent_job_status: JobStatus
    run_at: datetime
    end_time: datetime | None
    step: str
    step_key: str | None
    error_code: str | None
    error_args: dict[str, str]
    error_message: str | None
    interrupted: bool
    is_interruptible: bool
    wait_for: list[str]
    unread_status: bool
