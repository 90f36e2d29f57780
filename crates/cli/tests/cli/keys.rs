//! `serve`: who has a key is let in, and nobody else.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{
    program::{Run, run},
    server::Server,
};

/// A server that `init` configured, on any free port.
fn serve(folder: &Path, more: &[&str]) -> Server {
    if !folder.join("tertulia.toml").exists() {
        run(folder, &["init"]).exits(0);
    }
    Server::start(
        folder,
        &[&["serve", "--listen", "127.0.0.1:0"], more].concat(),
    )
}

fn with_key(server: &Server, folder: &Path, key: &str, arguments: &[&str]) -> Run {
    server.client(folder, &[&["--json", "--key", key], arguments].concat())
}

#[test]
fn the_first_start_prints_a_key_and_later_ones_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[]);
    let key = server.ready["admin_key"].as_str().unwrap().to_owned();
    assert!(key.len() > 40, "{key}");
    let agents = with_key(&server, folder.path(), &key, &["agents", "list"])
        .exits(0)
        .json();
    assert_eq!(agents["agents"][0]["name"], "example");
    drop(server);

    let server = serve(folder.path(), &[]);
    assert_eq!(server.ready["admin_key"], Value::Null);
    with_key(&server, folder.path(), &key, &["agents", "list"]).exits(0);
    drop(server);

    let server = serve(folder.path(), &["--admin-key"]);
    let another = server.ready["admin_key"].as_str().unwrap();
    assert_ne!(another, key);
    for key in [another, &key] {
        with_key(&server, folder.path(), key, &["agents", "list"]).exits(0);
    }
}

#[test]
fn nobody_is_let_in_without_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[]);
    let refused = server
        .client(folder.path(), &["--json", "agents", "list"])
        .exits(4);
    assert_eq!(refused.stdout, "");
    assert!(
        refused.error()["help"]
            .as_str()
            .unwrap()
            .contains("TERTULIA_KEY")
    );
    with_key(&server, folder.path(), "tertulia_0000", &["agents", "list"]).exits(4);
    with_key(&server, folder.path(), "a\nb", &["agents", "list"]).exits(2);
}

#[test]
fn a_key_is_made_listed_and_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[]);
    let admin = server.ready["admin_key"].as_str().unwrap().to_owned();
    let made = with_key(
        &server,
        folder.path(),
        &admin,
        &["keys", "create", "agent:example", "--label", "laptop"],
    );
    let made = made.exits(0).json();
    let (key, id) = (made["key"].as_str().unwrap(), made["id"].as_str().unwrap());
    with_key(&server, folder.path(), key, &["agents", "list"]).exits(0);

    let listed = with_key(&server, folder.path(), &admin, &["keys", "list"]).exits(0);
    assert!(
        !listed.stdout.contains(key),
        "a key was listed with what it is"
    );
    let labels: Vec<Value> = listed.json()["keys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| key["label"].clone())
        .collect();
    assert_eq!(labels, ["first start", "laptop"]);

    // None begins so, or the other one does: neither is revoked by mistake.
    with_key(
        &server,
        folder.path(),
        &admin,
        &["keys", "revoke", "sha256:"],
    )
    .exits(2);
    let digits = id.strip_prefix("sha256:").unwrap();
    let other = format!(
        "{}{}",
        if digits.starts_with('0') { 'f' } else { '0' },
        &digits[1..12]
    );
    with_key(&server, folder.path(), &admin, &["keys", "revoke", &other]).exits(4);
    with_key(&server, folder.path(), key, &["agents", "list"]).exits(0);
    with_key(
        &server,
        folder.path(),
        &admin,
        &["keys", "revoke", &id[..19]],
    )
    .exits(0);
    with_key(&server, folder.path(), key, &["agents", "list"]).exits(4);
    with_key(
        &server,
        folder.path(),
        &admin,
        &["keys", "create", "user:else"],
    )
    .exits(4);
}

#[test]
fn a_second_person_is_added_and_works_with_a_key_of_her_own() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[]);
    let admin = server.ready["admin_key"].as_str().unwrap().to_owned();
    let as_admin = |arguments: &[&str]| with_key(&server, folder.path(), &admin, arguments);
    as_admin(&["keys", "create", "user:ana"]).exits(4);
    as_admin(&["principals", "add", "agent:x"]).exits(2);
    let added = as_admin(&["principals", "add", "user:ana"]).exits(0).json();
    assert_eq!(added["changed"], true);
    as_admin(&[
        "principals",
        "add",
        "service:ci",
        "--responsible",
        "user:ana",
    ])
    .exits(0);
    let listed = as_admin(&["principals", "list"]).exits(0).json();
    let parties: Vec<Value> = listed["principals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["party"].clone())
        .collect();
    assert_eq!(parties, ["service:ci", "user:admin", "user:ana"]);
    let made = as_admin(&["keys", "create", "user:ana"]).exits(0).json();
    let key = made["key"].as_str().unwrap();
    let as_ana = |arguments: &[&str]| with_key(&server, folder.path(), key, arguments);
    let own = as_ana(&["principals", "list"]).exits(0).json();
    assert_eq!(own["principals"].as_array().unwrap().len(), 1);
    as_ana(&["principals", "add", "user:eve"]).exits(4);
    as_ana(&["keys", "create", "user:admin"]).exits(4);
    let definition = folder.path().join("mine.md");
    fs::write(
        &definition,
        "---\nname: mine\ndescription: Ana's.\nowner: user:ana\n---\n",
    )
    .unwrap();
    as_ana(&["agents", "add", "mine.md"]).exits(0);
    as_ana(&["keys", "create", "agent:mine"]).exits(0);
    as_ana(&["delegate", "mine", "hello", "--no-wait"]).exits(0);
    let id = made["id"].as_str().unwrap();
    as_admin(&["keys", "revoke", id]).exits(0);
    as_ana(&["agents", "list"]).exits(4);
}

#[test]
fn a_start_prints_what_is_open() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("tertulia.toml"),
        "authentication = \"none\"\n",
    )
    .unwrap();
    let server = serve(folder.path(), &[]);
    server.client(folder.path(), &["agents", "list"]).exits(0);
    #[cfg(unix)]
    {
        let (exit, _, stderr) = server.signal("-TERM");
        assert_eq!(exit, 0, "{stderr}");
        assert!(
            stderr.contains("everybody on this machine is user:admin"),
            "{stderr}"
        );
        assert!(
            stderr.contains("no policy, authority or budget is judged yet"),
            "{stderr}"
        );
    }
}
