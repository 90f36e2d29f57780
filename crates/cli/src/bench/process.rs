//! What a process costs, as Linux tells it under `/proc` (`proc_pid_stat(5)`, `proc_pid_status(5)`).

use std::time::Duration;

use crate::failure::Failure;

/// Ticks of a second in `/proc/<pid>/stat`: Linux fixes them at 100 for programs (`USER_HZ`).
const TICKS: f64 = 100.0;

fn read(pid: u32, file: &str) -> Result<String, Failure> {
    let path = format!("/proc/{pid}/{file}");
    std::fs::read_to_string(&path).map_err(|error| {
        Failure::usage(format!(
            "{path} cannot be read; the bench measures on Linux"
        ))
        .because(&error)
    })
}

/// The processor time that a process has used, its own and the kernel's for it.
pub(super) fn processor(pid: u32) -> Result<Duration, Failure> {
    let stat = read(pid, "stat")?;
    // The name of the program stands in parentheses and may hold anything.
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks = |n: usize| fields.get(n).and_then(|field| field.parse::<f64>().ok());
    match (ticks(11), ticks(12)) {
        (Some(user), Some(system)) => Ok(Duration::from_secs_f64((user + system) / TICKS)),
        _ => Err(Failure::internal(
            "the processor time of a process cannot be read",
        )),
    }
}

/// The memory that a process holds, in bytes.
pub(super) fn resident(pid: u32) -> Result<u64, Failure> {
    let status = read(pid, "status")?;
    status
        .lines()
        .find_map(|line| {
            line.strip_prefix("VmRSS:")?
                .trim()
                .strip_suffix(" kB")?
                .trim()
                .parse::<u64>()
                .ok()
        })
        .map(|kilobytes| kilobytes * 1024)
        .ok_or_else(|| Failure::internal("the memory of a process cannot be read"))
}
