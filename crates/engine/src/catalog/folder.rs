//! The agents of a folder: one Markdown file each.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
};

use tertulia_acts::{agent::Definition, limits::DEFINITION_BYTES};

use super::{CatalogError, definition::check_size, parse_definition};

/// Reads the definitions that lie in `folder` as files that end in `.md`, in the order of their names. Folders in it,
/// other files and a `README.md` are not looked at.
///
/// # Errors
/// The folder cannot be read, a file is wrong, or two define the same agent. Every wrong file is told of.
pub fn read_folder(folder: &Path) -> Result<Vec<(PathBuf, Definition)>, CatalogError> {
    let mut definitions = Vec::new();
    let mut errors = Vec::new();
    let mut names: BTreeMap<String, PathBuf> = BTreeMap::new();
    for file in files(folder)? {
        let definition = match read_file(&file) {
            Ok(definition) => definition,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        if let Some(first) = names.insert(definition.name.clone(), file.clone()) {
            errors.push(CatalogError::DefinedTwice {
                name: definition.name,
                first,
                second: file,
            });
            continue;
        }
        definitions.push((file, definition));
    }
    match errors.len() {
        0 => Ok(definitions),
        1 => Err(errors.remove(0)),
        _ => Err(CatalogError::Several(errors)),
    }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, CatalogError> {
    let unreadable = |source| CatalogError::Unreadable {
        path: folder.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        let definition = file.extension().is_some_and(|extension| extension == "md")
            && file.file_name().is_some_and(|name| name != "README.md");
        if definition && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// Reads the definition in one file.
///
/// # Errors
/// The file cannot be read, or is wrong; with the file and the place.
pub fn read_file(file: &Path) -> Result<Definition, CatalogError> {
    let bytes = read_bounded(file).map_err(|source| CatalogError::Unreadable {
        path: file.to_owned(),
        source,
    })?;
    let in_file = |error| CatalogError::InFile {
        file: file.to_owned(),
        error: Box::new(error),
    };
    check_size(bytes.len()).map_err(in_file)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let what = format!(
            "byte {} is no UTF-8: save the file as UTF-8",
            error.valid_up_to()
        );
        in_file(CatalogError::wrong("", what))
    })?;
    parse_definition(text).map_err(in_file)
}

/// Reads one byte more than a definition may have, and no more: enough to tell that it is too large.
fn read_bounded(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?
        .take(DEFINITION_BYTES as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn definition(name: &str) -> Vec<u8> {
        format!("---\nname: {name}\ndescription: x\nowner: user:ana\n---\n").into_bytes()
    }

    #[test]
    fn definitions_come_in_the_order_of_their_files_and_the_rest_is_left_alone() {
        let folder = folder(&[
            ("b.md", &definition("beta")),
            ("a.md", &definition("alpha")),
            ("README.md", b"# About"),
            ("notes.txt", b"x"),
        ]);
        fs::create_dir(folder.path().join("old.md")).unwrap();
        let read = read_folder(folder.path()).unwrap();
        let names: Vec<&str> = read
            .iter()
            .map(|(_, definition)| definition.name.as_str())
            .collect();
        assert_eq!(names, ["alpha", "beta"]);
        assert_eq!(read[0].0, folder.path().join("a.md"));
    }

    #[test]
    fn every_wrong_file_is_told_of_with_its_place() {
        let folder = folder(&[
            (
                "a.md",
                b"---\nname: A\ndescription: x\nowner: user:ana\n---\n",
            ),
            ("b.md", &definition("beta")),
            ("c.md", b"---\nname: \xff\n---\n"),
            ("d.md", &vec![b'x'; DEFINITION_BYTES + 1]),
        ]);
        let error = read_folder(folder.path()).unwrap_err().to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert_eq!(lines.len(), 3, "{error}");
        let a = format!(
            "{}:2:7: `name`: `A` is no name",
            folder.path().join("a.md").display()
        );
        assert!(lines[0].starts_with(&a), "{error}");
        assert!(lines[1].contains("c.md: byte 10 is no UTF-8"), "{error}");
        assert!(lines[2].contains("d.md: the definition has"), "{error}");
    }

    #[test]
    fn two_files_for_one_agent_are_refused() {
        let folder = folder(&[("a.md", &definition("logs")), ("b.md", &definition("logs"))]);
        let error = read_folder(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("a.md and ") && error.contains("both define the agent `logs`"),
            "{error}"
        );
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = read_folder(Path::new("no/such/folder")).unwrap_err();
        assert_eq!(error.to_string(), "no/such/folder cannot be read");
    }
}
