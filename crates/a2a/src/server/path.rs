//! What an address below an agent's means.

use http::Method as Verb;

use crate::wire::Method;

/// What is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// The JSON-RPC endpoint.
    JsonRpc,
    /// The agent's card.
    Card,
    /// An operation over HTTP+JSON.
    Rest(Rest),
    /// The address is known, and not by this verb.
    NotAllowed(&'static str),
    /// No such address.
    Unknown,
}

/// An operation with what its address says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rest {
    pub(super) operation: Method,
    pub(super) tenant: String,
    pub(super) task: String,
    pub(super) config: String,
}

/// Reads the address below `/a2a/{agent}/`. Literal segments go before a tenant of the same name.
pub(super) fn target(verb: &Verb, rest: &str) -> Target {
    if rest.is_empty() {
        return only(verb, &[Verb::POST], "POST", Target::JsonRpc);
    }
    let segments: Vec<&str> = rest.split('/').collect();
    if segments == [".well-known", "agent-card.json"] {
        return only(verb, &[Verb::GET, Verb::HEAD], "GET, HEAD", Target::Card);
    }
    match operation(verb, "", &segments) {
        Target::Unknown if segments.len() > 1 && !segments[0].is_empty() => {
            operation(verb, segments[0], &segments[1..])
        }
        found => found,
    }
}

fn only(verb: &Verb, verbs: &[Verb], allow: &'static str, target: Target) -> Target {
    if verbs.contains(verb) {
        target
    } else {
        Target::NotAllowed(allow)
    }
}

fn operation(verb: &Verb, tenant: &str, segments: &[&str]) -> Target {
    let rest = |operation, task: &str, config: &str| {
        Target::Rest(Rest {
            operation,
            tenant: tenant.to_owned(),
            task: task.to_owned(),
            config: config.to_owned(),
        })
    };
    let get = |operation, task| only(verb, &[Verb::GET], "GET", rest(operation, task, ""));
    let post = |operation, task| only(verb, &[Verb::POST], "POST", rest(operation, task, ""));
    match *segments {
        ["message:send"] => post(Method::SendMessage, ""),
        ["message:stream"] => post(Method::SendStreamingMessage, ""),
        ["tasks"] => get(Method::ListTasks, ""),
        ["extendedAgentCard"] => get(Method::GetExtendedAgentCard, ""),
        ["tasks", task] if !task.is_empty() => match task.rsplit_once(':') {
            Some((task, "cancel")) => post(Method::CancelTask, task),
            // The prose of the specification says POST and its protocol file GET: both are served.
            Some((task, "subscribe")) => only(
                verb,
                &[Verb::GET, Verb::POST],
                "GET, POST",
                rest(Method::SubscribeToTask, task, ""),
            ),
            _ => get(Method::GetTask, task),
        },
        ["tasks", task, "pushNotificationConfigs"] => match *verb {
            Verb::POST => rest(Method::CreateTaskPushNotificationConfig, task, ""),
            Verb::GET => rest(Method::ListTaskPushNotificationConfigs, task, ""),
            _ => Target::NotAllowed("GET, POST"),
        },
        ["tasks", task, "pushNotificationConfigs", config] => match *verb {
            Verb::GET => rest(Method::GetTaskPushNotificationConfig, task, config),
            Verb::DELETE => rest(Method::DeleteTaskPushNotificationConfig, task, config),
            _ => Target::NotAllowed("GET, DELETE"),
        },
        _ => Target::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(verb: &Verb, rest: &str, operation: Method, tenant: &str, task: &str) {
        let expected = Target::Rest(Rest {
            operation,
            tenant: tenant.into(),
            task: task.into(),
            config: String::new(),
        });
        assert_eq!(target(verb, rest), expected, "{verb} {rest}");
    }

    #[test]
    fn every_operation_has_its_address_with_and_without_a_tenant() {
        for (prefix, tenant) in [("", ""), ("acme/", "acme")] {
            let check = |verb: Verb, rest: &str, operation, task| {
                check(&verb, &format!("{prefix}{rest}"), operation, tenant, task);
            };
            check(Verb::POST, "message:send", Method::SendMessage, "");
            check(
                Verb::POST,
                "message:stream",
                Method::SendStreamingMessage,
                "",
            );
            check(Verb::GET, "tasks", Method::ListTasks, "");
            check(Verb::GET, "tasks/t-1", Method::GetTask, "t-1");
            check(Verb::POST, "tasks/t-1:cancel", Method::CancelTask, "t-1");
            check(
                Verb::GET,
                "tasks/t-1:subscribe",
                Method::SubscribeToTask,
                "t-1",
            );
            check(
                Verb::POST,
                "tasks/t-1:subscribe",
                Method::SubscribeToTask,
                "t-1",
            );
            check(
                Verb::GET,
                "extendedAgentCard",
                Method::GetExtendedAgentCard,
                "",
            );
        }
        check(&Verb::GET, "tasks/tasks", Method::GetTask, "", "tasks");
        check(&Verb::GET, "tasks/a:b", Method::GetTask, "", "a:b");
    }

    #[test]
    fn the_rest_is_told_apart() {
        assert_eq!(target(&Verb::POST, ""), Target::JsonRpc);
        assert_eq!(target(&Verb::GET, ""), Target::NotAllowed("POST"));
        let card = ".well-known/agent-card.json";
        assert_eq!(target(&Verb::GET, card), Target::Card);
        assert_eq!(
            target(&Verb::GET, "message:send"),
            Target::NotAllowed("POST")
        );
        for rest in [
            "nowhere",
            "acme/nowhere",
            "/tasks",
            "tasks/",
            "a/b/tasks",
            "tasks/t/x",
        ] {
            assert_eq!(target(&Verb::GET, rest), Target::Unknown, "{rest}");
        }
    }
}
