//! Servers start where they may, say why where they may not, and stop in order.

use std::{fs, path::Path};

use crate::{program::run, server::Server};

fn configured(folder: &Path, text: &str) {
    fs::write(folder.join("tertulia.toml"), text).unwrap();
}

#[test]
fn a_data_folder_has_one_process_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let first = Server::dev(folder.path());
    let second = run(folder.path(), &["dev", "--port", "0", "--data", "data"]).exits(5);
    assert_eq!(second.stdout, "");
    assert!(
        second.stderr.contains("is in use by another process"),
        "{}",
        second.stderr
    );
    assert!(!second.stderr.contains("panicked"), "{}", second.stderr);
    drop(first);
    Server::dev(folder.path());
}

#[test]
fn a_port_that_is_taken_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let failed = run(folder.path(), &["dev", "--port", &port]).exits(2);
    assert!(
        failed
            .stderr
            .contains(&format!("cannot listen on 127.0.0.1:{port}")),
        "{}",
        failed.stderr
    );
}

#[test]
fn a_port_that_is_taken_leaves_the_data_alone() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    run(folder.path(), &["dev", "--port", &port, "--data", "data"]).exits(2);
    assert!(!folder.path().join("data").exists());
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_server_in_order() {
    for signal in ["-TERM", "-INT"] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::dev(folder.path());
        server.client(folder.path(), &["agents", "list"]).exits(0);
        let (exit, stdout, stderr) = server.signal(signal);
        assert_eq!((exit, stdout.as_str()), (0, ""), "{signal}: {stderr}");
    }
}

#[test]
fn without_a_data_folder_the_data_goes_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["dev", "--port", "0"]);
    let data = server.ready["data"].as_str().unwrap().to_owned();
    assert!(
        Path::new(&data).is_absolute() && Path::new(&data).exists(),
        "{data}"
    );
    #[cfg(unix)]
    {
        let (exit, _, stderr) = server.signal("-TERM");
        assert_eq!(exit, 0, "{stderr}");
        assert!(!Path::new(&data).exists(), "{data} was left behind");
    }
}

#[test]
fn a_definition_that_is_wrong_keeps_a_server_from_starting() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("agents")).unwrap();
    fs::write(
        folder.path().join("agents/logs.md"),
        "---\nname: logs\ndescription: Reads logs.\nowner: user:dev\ncolour: red\n---\n",
    )
    .unwrap();
    let failed = run(
        folder.path(),
        &["--json", "dev", "--port", "0", "--agents", "agents"],
    )
    .exits(2);
    let message = failed.error()["message"].as_str().unwrap().to_owned();
    assert!(
        message
            .starts_with("agents/logs.md:5:1: `colour`: unknown field `colour`, allowed are name"),
        "{message}"
    );
}

#[test]
fn serve_refuses_what_would_leave_the_door_open() {
    let folder = tempfile::tempdir().unwrap();
    configured(
        folder.path(),
        "listen = \"0.0.0.0:0\"\nauthentication = \"none\"\n",
    );
    let refused = run(folder.path(), &["serve"]).exits(2);
    assert!(
        refused
            .stderr
            .contains("refusing to listen on 0.0.0.0:0 without authentication"),
        "{}",
        refused.stderr
    );
    configured(folder.path(), "authentication = \"none\"\n");
    let refused = run(folder.path(), &["serve", "--listen", "0.0.0.0:0"]).exits(2);
    assert!(
        refused.stderr.contains("refusing to listen on 0.0.0.0:0"),
        "{}",
        refused.stderr
    );
    assert!(!folder.path().join("data").exists());
}

#[test]
fn a_configuration_that_is_wrong_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    configured(folder.path(), "listen = \"127.0.0.1:0\"\nlissten = \"x\"\n");
    let refused = run(folder.path(), &["--json", "serve"]).exits(2);
    let message = refused.error()["message"].as_str().unwrap().to_owned();
    assert!(
        message.starts_with("tertulia.toml:2:1: `lissten`: unknown field"),
        "{message}"
    );
    let absent = run(folder.path(), &["serve", "--config", "other.toml"]).exits(2);
    assert!(
        absent
            .stderr
            .contains("cannot read the configuration other.toml"),
        "{}",
        absent.stderr
    );
    configured(
        folder.path(),
        "listen = \"127.0.0.1:0\"\ndefault_agent = \"nobody\"\n",
    );
    let unknown = run(folder.path(), &["serve"]).exits(2);
    assert!(
        unknown
            .stderr
            .contains("the default agent nobody is not defined"),
        "{}",
        unknown.stderr
    );
}
