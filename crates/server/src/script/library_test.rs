use super::*;

fn library(name: &str, functions: &[&str]) -> Library {
    let functions = functions.iter().map(|name| Function {
        name: name.as_bytes().to_vec(),
        description: None,
        flags: Flags::default(),
    });
    Library::new(name.as_bytes().to_vec(), b"", functions.collect())
}

fn names(libraries: &Libraries) -> Vec<&[u8]> {
    libraries.iter().map(|library| library.name()).collect()
}

#[test]
fn a_library_replaces_only_one_of_its_name() {
    let mut libraries = Libraries::default();
    libraries.add(library("a", &["f", "g"]), false).unwrap();
    libraries.add(library("b", &["h"]), false).unwrap();
    let error = libraries.add(library("a", &["f"]), false).unwrap_err();
    assert_eq!(error, "Library 'a' already exists");
    let error = libraries.add(library("a", &["h"]), true).unwrap_err();
    assert_eq!(error, "Function h already exists");
    assert!(libraries.of_function(b"G").is_some());
    libraries.add(library("a", &["f", "k"]), true).unwrap();
    assert!(libraries.of_function(b"g").is_none());
    assert_eq!((names(&libraries), libraries.function_count()), (vec![&b"a"[..], b"b"], 3));
    assert!(libraries.remove(b"a") && !libraries.remove(b"a"));
    assert!(libraries.of_function(b"f").is_none());
}

#[test]
fn sets_are_joined_whole_or_not_at_all() {
    let mut libraries = Libraries::default();
    libraries.add(library("a", &["f"]), false).unwrap();
    libraries.add(library("b", &["g"]), false).unwrap();
    let mut others = Libraries::default();
    others.add(library("a", &["x"]), false).unwrap();
    others.add(library("c", &["g"]), false).unwrap();
    let error = libraries.add_all(others.clone(), false).unwrap_err();
    assert_eq!(error, "Library a already exists");
    let error = libraries.add_all(others.clone(), true).unwrap_err();
    assert_eq!(error, "Function g already exists");
    assert_eq!(names(&libraries), [b"a", b"b"]);
    others.remove(b"c");
    libraries.add_all(others, true).unwrap();
    assert!(libraries.of_function(b"f").is_none() && libraries.of_function(b"x").is_some());
}
