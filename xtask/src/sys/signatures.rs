//! Compares the declarations in bindings.rs with abi.tsv, from which the functions behind them are defined.

use super::{Package, tools};
use crate::abi;
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::collections::BTreeMap;

/// Returns declarations that differ from `ferrolith-capi` and that the package does not replace.
pub(super) fn check(place: &Place, package: &Package) -> Result<Vec<String>, Failure> {
    let folder = tools::folder(place, package);
    let bindings = place::read(&folder.join("src/bindings.rs"))?;
    let replaced = place::read(&folder.join("src/changed.rs")).unwrap_or_default();
    let declared = functions(&bindings);
    if declared.len() < 900 {
        return Ok(vec![format!("bindings.rs declares only {} functions", declared.len())]);
    }
    let mut problems = Vec::new();
    for row in abi::table_with_states()?.rows {
        let Some((arguments, returns)) = declared.get(row.name.as_str()) else { continue };
        let theirs: Vec<String> =
            abi::split_arguments(&row).iter().map(|a| abi::type_of_argument(a)).collect();
        let same = arguments.len() == theirs.len()
            && arguments.iter().zip(&theirs).all(|(a, b)| abi::agree(a, b))
            && abi::agree(returns, &abi::type_of_return(&row));
        let is_replaced = replaced.contains(&format!("pub unsafe extern \"C\" fn {}(", row.name));
        if same == is_replaced {
            problems.push(format!(
                "{}: {} takes ({}), but abi.tsv has ({})",
                if same { "replaced without need" } else { "not replaced" },
                row.name,
                arguments.join(", "),
                theirs.join(", ")
            ));
        }
    }
    Ok(problems)
}

/// Types of the arguments and of the result, by name.
fn functions(bindings: &str) -> BTreeMap<&str, (Vec<String>, String)> {
    let mut found = BTreeMap::new();
    for block in bindings.split("    pub fn ").skip(1) {
        let declaration = block.split(";\n").next().unwrap_or(block);
        let Some((name, rest)) = declaration.split_once('(') else { continue };
        let Some(end) = closing(rest) else { continue };
        let types = abi::split(&rest[..end]);
        let types = types.iter().filter_map(|a| a.split_once(':')).map(|(_, t)| of_rust(t));
        let returns = rest[end + 1..].trim().strip_prefix("->").unwrap_or("");
        found.insert(name, (types.collect(), of_rust(returns)));
    }
    found
}

/// Returns the position at which the parenthesis that is open before `text` closes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0).then_some(at)
    })
}

/// Returns the kind of a type as bindgen writes it. Callbacks, named or inline, are `fn`.
fn of_rust(text: &str) -> String {
    let text = text.trim();
    if text.starts_with("::std::option::Option<") || text.ends_with("_cb") {
        return "fn".into();
    }
    abi::type_of_rust(text)
}

#[cfg(test)]
mod tests {
    use super::functions;

    #[test]
    fn declarations_as_bindgen_writes_them() {
        let text = "unsafe extern \"C\" {\n    pub fn f(\n        s: *mut libc::c_void,\n        g: ::std::option::Option<\n            \
                    unsafe extern \"C\" fn(a: *mut libc::c_void, n: usize) -> libc::c_uchar,\n        >,\n        \
                    names: *const *const libc::c_char,\n    ) -> *mut rocksdb_t;\n}\n\
                    unsafe extern \"C\" {\n    pub fn h();\n}\n";
        let found = functions(text);
        assert_eq!(found["f"].0, ["*void", "fn", "**char"]);
        assert_eq!((found["f"].1.as_str(), found["h"].1.as_str()), ("*rocksdb_t", "void"));
        assert!(found["h"].0.is_empty());
    }
}
