//! Drives plain delegations (send, claim, reply, each answered when it is durable) through an engine in this process,
//! without HTTP, and prints what one costs. It measures; it asserts nothing but that every call is answered well.
//!
//! ```sh
//! cargo run --release -p tertulia-engine --example delegations -- CLIENTS DELEGATIONS
//! ```
//!
//! Defaults: 256 clients, 20,000 delegations. The CPU time is the kernel's, by thread (`writer` is the engine's own; the
//! thread of the process's own name is the load, which is the callers' side of the engine too). On a machine that others
//! use, instructions are the steadier figure: run it under `valgrind --tool=callgrind` with few delegations, twice with
//! different numbers of them, and take the difference.
#![expect(clippy::print_stdout, reason = "an example tells what it measured")]
#![expect(
    clippy::cast_precision_loss,
    reason = "what is counted here stays far below 2^52"
)]

use std::{
    collections::BTreeMap,
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tertulia_acts::{
    agent::{AgentLimits, Contracts, Definition, Retry, Runner},
    body::Body,
    command::{
        Answer, Caller, Claim, Command, Configure, Grant, HopOperation, KnownBy, Opening, Reply,
        Send, UnderHop,
    },
    contract::Contract,
    digest::{ClaimSecret, Digest},
    party::Party,
    performative::Performative,
    receipt::Outcome,
};
use tertulia_engine::{DataFolder, Engine, Options};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failed = Box<dyn Error + std::marker::Send + Sync>;

fn main() -> Result<(), Failed> {
    let mut numbers = std::env::args().skip(1);
    let clients: u64 = numbers.next().map_or(Ok(256), |text| text.parse())?;
    let delegations: u64 = numbers.next().map_or(Ok(20_000), |text| text.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    runtime.block_on(measure(clients.max(1), delegations.max(1)))
}

async fn measure(clients: u64, delegations: u64) -> Result<(), Failed> {
    let engine = Engine::start(&Options {
        data: DataFolder::Temporary,
    })?;
    let (ana, logs) = settle_in(&engine).await?;
    let left = Arc::new(AtomicU64::new(delegations));
    let (before, began) = (engine.metrics().snapshot(), Instant::now());
    let cpu_before = cpu_by_thread()?;
    let mut loads = Vec::new();
    for client in 0..clients {
        let (engine, ana, logs) = (engine.clone(), ana.clone(), logs.clone());
        let left = Arc::clone(&left);
        loads.push(tokio::spawn(async move {
            let mut run = 0;
            while take_one(&left) {
                delegate(&engine, &ana, &logs, &format!("{client}-{run}")).await?;
                run += 1;
            }
            Ok::<(), Failed>(())
        }));
    }
    for load in loads {
        load.await??;
    }
    let (took, after) = (began.elapsed(), engine.metrics().snapshot());
    let commits = after.commits - before.commits;
    let commands = after.commands - before.commands;
    println!("{clients} clients, {delegations} delegations");
    println!(
        "delegations/s      {:>9.0}",
        delegations as f64 / took.as_secs_f64()
    );
    println!(
        "commands per commit{:>9.1}",
        commands as f64 / commits.max(1) as f64
    );
    let mut sum = 0.0;
    for (thread, micros) in cpu_by_thread()? {
        let micros = micros - cpu_before.get(&thread).copied().unwrap_or(0.0);
        sum += micros;
        println!(
            "CPU µs each        {:>9.1}  {thread}",
            micros / delegations as f64
        );
    }
    println!(
        "CPU µs each        {:>9.1}  together",
        sum / delegations as f64
    );
    engine.stop().await;
    Ok(())
}

fn take_one(left: &AtomicU64) -> bool {
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1))
        .is_ok()
}

/// A tenant with one who asks and one who is asked.
async fn settle_in(engine: &Engine) -> Result<(Caller, Caller), Failed> {
    let tenant = engine.tenant("default").await?;
    let (ana, logs) = (Party::user("ana")?, Party::agent("logs")?);
    let definition = Definition {
        name: logs.name().into(),
        description: "answers at once".into(),
        owner: ana.clone(),
        skills: Vec::new(),
        contracts: Contracts::default(),
        limits: AgentLimits {
            max_concurrent_conversations: 10_000,
        },
        retry: Retry::Safe,
        runner: Runner::Worker,
        instructions: String::new(),
    };
    for change in [
        Configure::Principal {
            tenant,
            party: ana.clone(),
            responsible: None,
            administers: false,
        },
        Configure::Agent {
            tenant,
            definition: Arc::new(definition),
        },
    ] {
        let command = Command::Configure(None, Box::new(change));
        engine.call(command).await?;
    }
    let trusted = |party: &Party| {
        let caller = engine.trusted("default", party)?;
        caller
            .ok_or("the tenant that was just made is absent")
            .map_err(Failed::from)
    };
    Ok((trusted(&ana)?, trusted(&logs)?))
}

/// One delegation. The claim may bring another's: there are as many of them as of claims.
async fn delegate(engine: &Engine, ana: &Caller, logs: &Caller, name: &str) -> Result<(), Failed> {
    let opening = Opening::new(
        Performative::Request,
        logs.party.clone(),
        Body::text(format!("count the errors of {name}")),
        Contract::default(),
    );
    let send = Send {
        opening,
        key: Some(name.into()),
    };
    let sent = engine
        .call(Command::Send(ana.clone(), Box::new(send)))
        .await?;
    if !matches!(
        sent,
        Answer::Outcome {
            outcome: Outcome::Accepted { .. },
            ..
        }
    ) {
        return Err(format!("a request was answered {sent:?}").into());
    }
    let claim = Claim {
        agent: logs.party.name().into(),
        max: 1,
        versions: Vec::new(),
        request: name.into(),
        secret: ClaimSecret::new(Digest::of(name.as_bytes()).0.to_vec())?,
        worker: "example".into(),
    };
    let granted = engine
        .claim(logs.clone(), claim, Duration::from_secs(10))
        .await?;
    let Answer::Granted(grants) = granted else {
        return Err(format!("a claim was answered {granted:?}").into());
    };
    for grant in grants {
        reply(engine, logs, &grant).await?;
    }
    Ok(())
}

async fn reply(engine: &Engine, logs: &Caller, grant: &Grant) -> Result<(), Failed> {
    let reply = Reply {
        body: Body::text("there are three"),
        artifacts: Vec::new(),
    };
    let under = UnderHop {
        known_by: KnownBy::Token(grant.token),
        step: None,
        handling: None,
        read: Vec::new(),
        content: Digest::of(b"there are three"),
        operation: HopOperation::Reply(reply),
    };
    let settled = engine.call(Command::UnderHop(logs.clone(), under)).await?;
    if matches!(
        settled,
        Answer::Outcome {
            outcome: Outcome::Settled { .. },
            ..
        }
    ) {
        Ok(())
    } else {
        Err(format!("a reply was answered {settled:?}").into())
    }
}

/// Microseconds of CPU by thread of this process. The kernel counts them in hundredths of a second.
fn cpu_by_thread() -> Result<BTreeMap<String, f64>, Failed> {
    let mut found = BTreeMap::new();
    for thread in std::fs::read_dir("/proc/self/task")? {
        let stat = std::fs::read_to_string(thread?.path().join("stat"))?;
        let (Some(open), Some(close)) = (stat.find('('), stat.rfind(')')) else {
            return Err("the kernel tells of a thread without a name".into());
        };
        // After the name: the state is the first field, user and system time are the twelfth and thirteenth.
        let ticks: u64 = stat[close + 1..]
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(str::parse::<u64>)
            .sum::<Result<_, _>>()?;
        *found.entry(stat[open + 1..close].to_owned()).or_default() += ticks as f64 * 10_000.0;
    }
    Ok(found)
}
