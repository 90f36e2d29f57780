//! Making steps, or reading them where an earlier run has made them (SEMANTICS 4).

use serde_json::Value;

use super::{Context, StepError, error::is_over};
use crate::{
    client::StepHeaders,
    problem::{Error, Problem},
    step::{NameTaken, recorded_as},
    wire::{Operation, Receipt},
};

/// Where a run comes to with a step.
pub(super) enum Place {
    /// An earlier run has made it, and was answered this.
    Recorded(Receipt),
    /// It is new.
    New(NewStep),
}

/// A step that may be made.
pub(super) struct NewStep {
    name: String,
    recorded_as: String,
}

/// A receipt, and whether it was read from the lease without a call.
pub(super) struct Made {
    pub(super) receipt: Receipt,
    pub(super) recalled: bool,
}

impl Context {
    /// Makes a step, or reads it if it was made.
    pub(super) async fn perform(
        &mut self,
        key: Option<&str>,
        operation: &Operation,
    ) -> Result<Made, StepError> {
        let body = serde_json::to_value(operation).map_err(Error::Unsendable)?;
        let place = self.come_to(key, operation.name(), &body)?;
        let recalled = matches!(place, Place::Recorded(_));
        let receipt = match place {
            Place::Recorded(receipt) => receipt,
            Place::New(step) => self.make(step, operation.name(), &body).await?,
        };
        let receipt = self.judge(receipt)?;
        Ok(Made { receipt, recalled })
    }

    /// Names a step and reads it, or makes sure that it may be new: only when all recorded ones of its scope were
    /// read.
    pub(super) fn come_to(
        &mut self,
        key: Option<&str>,
        operation: &str,
        body: &Value,
    ) -> Result<Place, StepError> {
        self.go_on()?;
        let handling = self.handling.as_deref();
        let name = self
            .names
            .name(key, operation, body, handling)
            .map_err(|NameTaken| StepError::NameTaken(key.unwrap_or_default().to_owned()))?;
        let recorded_as = recorded_as(handling, &name);
        if let Some(receipt) = self.recorded.read(&recorded_as) {
            return Ok(Place::Recorded(receipt));
        }
        match self.recorded.unread(handling) {
            None => Ok(Place::New(NewStep { name, recorded_as })),
            Some(unread) => Err(StepError::Diverged {
                step: recorded_as,
                unread: unread.first,
            }),
        }
    }

    /// Makes a new step.
    pub(super) async fn make(
        &mut self,
        step: NewStep,
        operation: &str,
        body: &Value,
    ) -> Result<Receipt, StepError> {
        let headers = StepHeaders {
            name: Some(&step.name),
            handling: self.handling.as_deref(),
            read: self.recorded.ordinals(),
        };
        let answer = self
            .client
            .operate_with(&self.token, operation, body, headers)
            .await;
        let receipt = match answer {
            Ok(receipted) => receipted.receipt,
            Err(error) => return Err(self.failed(error, &step.recorded_as)),
        };
        if self.handling.is_none() {
            self.recorded.all_read();
        }
        Ok(receipt)
    }

    /// Carries out an operation that is no step.
    pub(super) async fn operate(&mut self, operation: &Operation) -> Result<Receipt, StepError> {
        self.go_on()?;
        let step = StepHeaders {
            handling: self.handling.as_deref(),
            ..StepHeaders::default()
        };
        let answer = self.client.operate(&self.token, operation, step).await;
        match answer {
            Ok(receipted) => self.judge(receipted.receipt),
            Err(error) => Err(self.failed(error, operation.name())),
        }
    }

    /// Turns a refuse that says that the lease is over into that.
    pub(super) fn judge(&mut self, receipt: Receipt) -> Result<Receipt, StepError> {
        match receipt {
            Receipt::Refused {
                act, task: None, ..
            } if is_over(&act) => Err(self.end(act.reason_code().to_owned())),
            other => Ok(other),
        }
    }

    fn failed(&mut self, error: Error, step: &str) -> StepError {
        match error {
            Error::Problem(Problem::LeaseLost(details) | Problem::HopFinished(details)) => {
                self.end(details.code)
            }
            Error::Problem(Problem::ReplayDiverged(details)) => StepError::Diverged {
                step: step.to_owned(),
                unread: details.to_string(),
            },
            other => other.into(),
        }
    }
}
