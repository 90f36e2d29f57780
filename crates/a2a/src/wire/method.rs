//! The eleven operations by name, and their requests.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::check::{Check, Checker, Limits};
use super::decode::explain;
use super::error::A2aError;
use super::push::{
    DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, TaskPushNotificationConfig,
};
use super::request::{
    CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest,
    SendMessageRequest, SubscribeToTaskRequest,
};

/// Declares [`Method`] and [`Request`] from one list, so that neither can miss an operation.
macro_rules! operations {
    ($($(#[$meta:meta])* $name:ident($request:ty),)+) => {
        /// An operation of A2A 1.0 (§3.1); its JSON-RPC method and its gRPC procedure have its
        /// name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Method {
            $($(#[$meta])* $name,)+
        }

        /// A request with its operation.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Request {
            $($(#[$meta])* $name($request),)+
        }

        impl Method {
            /// All of them, in the order of the specification.
            pub const ALL: [Self; 11] = [$(Self::$name,)+];

            /// The name on the wire.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }
        }

        impl Request {
            /// The operation.
            pub fn method(&self) -> Method {
                match self {
                    $(Self::$name(_) => Method::$name,)+
                }
            }

            /// The tenant that the request names, empty without one.
            pub fn tenant(&self) -> &str {
                match self {
                    $(Self::$name(request) => &request.tenant,)+
                }
            }

            /// Reads and checks the `params` of a JSON-RPC call; absent parameters are `{}`.
            ///
            /// Error: [`InvalidParams`](super::ErrorKind::InvalidParams) with the offending fields.
            pub fn from_params(
                method: Method,
                params: Option<&RawValue>,
                limits: &Limits,
            ) -> Result<Self, A2aError> {
                let json = params.map_or("{}", RawValue::get);
                let request = match method {
                    $(Method::$name => Self::$name(read(json)?),)+
                };
                request.validate(limits)?;
                Ok(request)
            }
        }

        impl serde::Serialize for Request {
            /// Writes the `params`.
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$name(request) => serde::Serialize::serialize(request, serializer),)+
                }
            }
        }

        impl Check for Request {
            fn check(&self, checker: &mut Checker<'_>) {
                if let Self::CreateTaskPushNotificationConfig(config) = self
                    && config.task_id.is_empty()
                {
                    checker.report("taskId", "is required");
                }
                match self {
                    $(Self::$name(request) => request.check(checker),)+
                }
            }
        }
    };
}

operations! {
    /// Send a message; one answer.
    SendMessage(SendMessageRequest),
    /// Send a message; a stream of events.
    SendStreamingMessage(SendMessageRequest),
    /// Read a task.
    GetTask(GetTaskRequest),
    /// List tasks, page by page.
    ListTasks(ListTasksRequest),
    /// Cancel a task.
    CancelTask(CancelTaskRequest),
    /// Follow a task.
    SubscribeToTask(SubscribeToTaskRequest),
    /// Have updates of a task pushed.
    CreateTaskPushNotificationConfig(TaskPushNotificationConfig),
    /// Read a push configuration.
    GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest),
    /// List the push configurations of a task.
    ListTaskPushNotificationConfigs(ListTaskPushNotificationConfigsRequest),
    /// Stop pushing.
    DeleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest),
    /// Read the card for authenticated callers.
    GetExtendedAgentCard(GetExtendedAgentCardRequest),
}

impl Method {
    /// The operation of this name; names are case-sensitive.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Whether the answer is a stream of events.
    pub fn is_streaming(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
    }
}

fn read<T: DeserializeOwned>(json: &str) -> Result<T, A2aError> {
    serde_json::from_str(json)
        .map_err(|error| explain::<T, _>(&error, &mut serde_json::Deserializer::from_str(json)))
}
