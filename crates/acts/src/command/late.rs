//! Late results: what a worker sends when its task is no longer its own is kept as evidence, never applied (I12).

use super::{HopOperation, UnderHop, Words};
use crate::{
    facts::{Draft, Stop},
    ids::{HopId, TaskId},
    transition::{Late, keep_late},
};

/// Keeps what `under` would have said, where that is worth keeping.
pub(super) fn keep(
    d: &mut Draft<'_>,
    task: TaskId,
    hop: HopId,
    under: &UnderHop,
) -> Result<(), Stop> {
    match said(hop, &under.operation) {
        Some(late) => keep_late(d, task, &late),
        None => Ok(()),
    }
}

/// What an operation says: results, how far one is, answers. What it would have asked of others is not kept: nobody is to
/// do it any more.
fn said(hop: HopId, operation: &HopOperation) -> Option<Late<'_>> {
    let plain = |body| Late::new(hop, operation.kind(), body);
    Some(match operation {
        HopOperation::Reply(reply) => Late {
            brought: &reply.artifacts,
            ..plain(&reply.body)
        },
        HopOperation::Progress(progress) => plain(&progress.body),
        HopOperation::Fail(fail) => Late {
            reason: Some(fail.reason),
            error: Some(&fail.error),
            ..plain(&fail.body)
        },
        HopOperation::Decline(decline) => Late {
            reason: Some(decline.reason),
            ..plain(&decline.body)
        },
        HopOperation::Answer(answer) => Late {
            ask: answer.ask,
            ..plain(match &answer.words {
                Words::Inform(body) | Words::Refuse(body) => body,
            })
        },
        _ => return None,
    })
}
