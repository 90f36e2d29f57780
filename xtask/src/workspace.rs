//! Where the workspace is, what it contains, and how cargo is called in it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::report::shown;

/// Folders that hold nothing written by us.
const SKIPPED: [&str; 3] = ["target", "node_modules", "__pycache__"];

/// The checkout that the task works on.
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace that xtask was built from.
    pub(crate) fn locate() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = manifest
            .parent()
            .context("xtask lies outside of a workspace")?;
        Ok(Self {
            root: root.to_owned(),
        })
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// A program that runs in the root.
    ///
    /// What cargo told *us* about xtask is removed: build scripts that watch these variables
    /// would otherwise be rebuilt each time the caller changes between cargo and xtask.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        command
    }

    /// The cargo that runs us.
    pub(crate) fn cargo(&self) -> Command {
        self.command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    /// Whether `cargo <subcommand>` is installed.
    pub(crate) fn has_cargo_subcommand(&self, subcommand: &str) -> bool {
        let mut command = self.cargo();
        command.args([subcommand, "--version"]);
        command.output().is_ok_and(|output| output.status.success())
    }

    /// What `cargo metadata` says about our own packages.
    pub(crate) fn metadata(&self) -> Result<Value> {
        let mut command = self.cargo();
        command.args(["metadata", "--format-version", "1", "--no-deps"]);
        serde_json::from_str(&output(&mut command)?).context("cargo metadata is no JSON")
    }

    /// Where cargo builds; it may lie outside of the checkout.
    pub(crate) fn target_directory(&self) -> Result<PathBuf> {
        let metadata = self.metadata()?;
        let folder = metadata["target_directory"].as_str();
        Ok(folder
            .context("cargo metadata names no target directory")?
            .into())
    }

    /// Every file with one of `extensions` below the folders, as paths relative to the root,
    /// sorted. Folders that do not exist, hidden ones and build results are passed over.
    pub(crate) fn files(&self, folders: &[&str], extensions: &[&str]) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        let mut pending: Vec<PathBuf> = folders.iter().map(|folder| self.path(folder)).collect();
        while let Some(folder) = pending.pop() {
            if !folder.is_dir() {
                continue;
            }
            let entries = fs::read_dir(&folder)
                .with_context(|| format!("cannot list {}", folder.display()))?;
            for entry in entries {
                let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.starts_with('.') || SKIPPED.contains(&name.as_str()) {
                    continue;
                }
                let path = entry.path();
                if entry
                    .file_type()
                    .with_context(|| format!("cannot read {name}"))?
                    .is_dir()
                {
                    pending.push(path);
                } else if path
                    .extension()
                    .is_some_and(|is| extensions.iter().any(|e| is == *e))
                {
                    found.push(path.strip_prefix(&self.root)?.to_owned());
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// The text of a file, named relative to the root.
    pub(crate) fn read(&self, relative: &Path) -> Result<String> {
        fs::read_to_string(self.root.join(relative))
            .with_context(|| format!("cannot read {}", relative.display()))
    }
}

#[cfg(test)]
impl Workspace {
    /// A workspace made for a test.
    pub(crate) fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }
}

/// What a program printed; its failure is an error that carries its complaint.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot start {}", shown(command)))?;
    if !output.status.success() {
        bail!(
            "`{}` failed: {}",
            shown(command),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` printed no UTF-8", shown(command)))
}
