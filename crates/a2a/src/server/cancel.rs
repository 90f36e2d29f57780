//! `CancelTask`. Cancelling twice is cancelling once; any other end can no longer be cancelled.

use tertulia_acts::{
    body::Body,
    command::{Cancel, Command},
    facts::Fault,
    receipt::Outcome,
};

use super::{
    call::Call,
    failure,
    present::{self, Extent},
};
use crate::wire::{A2aError, CancelTaskRequest, ErrorKind, Task, TaskState};

/// `CancelTask`.
pub(super) async fn cancel(call: &Call, request: &CancelTaskRequest) -> Result<Task, A2aError> {
    let read = call.task(&request.id)?;
    let id = read.task.id();
    let state = crate::map::shown(&call.viewer, &read);
    if !state.is_terminal() {
        let cancel = Cancel {
            task: id,
            token: call.token,
            body: Body::default(),
        };
        let command = Command::Cancel(call.caller.clone(), cancel);
        match call.command(command).await? {
            // Refused: it ended in the meantime.
            Ok(Outcome::Cancelled { .. } | Outcome::Refused { .. }) => {}
            Ok(other) => {
                return Err(failure::internal(format_args!(
                    "an unfitting outcome: {other:?}"
                )));
            }
            Err(Fault::NotFound(_)) => {
                let message = format!("task {id} is not yours to cancel");
                return Err(A2aError::new(ErrorKind::TaskNotCancelable, message));
            }
            Err(fault) => return Err(failure::fault(&fault)),
        }
    }
    let read = call.read(id)?;
    if crate::map::shown(&call.viewer, &read) == TaskState::Canceled {
        return present::task(call, &read, Extent::of(None));
    }
    let message = format!(
        "task {id} has ended ({}) and can no longer be cancelled",
        read.task.now.state.name()
    );
    Err(A2aError::new(ErrorKind::TaskNotCancelable, message))
}
