//! Types of C and of Rust in one spelling: `i32`, `*u8`, `**rocksdb_t`, `fn`, `void`.
//!
//! `const` is omitted, because it makes no difference to a caller of a C function.

/// Arguments, cut at commas outside of parentheses and angle brackets.
pub(crate) fn split(text: &str) -> Vec<String> {
    let (mut depth, mut part, mut out) = (0, String::new(), Vec::new());
    let text = text.replace("->", "→");
    for c in text.chars() {
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            out.push(std::mem::take(&mut part).trim().to_string());
        } else {
            part.push(c);
        }
    }
    out.extend(Some(part.trim().to_string()).filter(|s| !s.is_empty()));
    out
}

/// Returns the type of `const char* name`, `int` or `void (*put)(void*, …)`.
pub(crate) fn of_c_argument(argument: &str) -> String {
    if argument.contains('(') {
        return "fn".into();
    }
    // "const char* const keys[]": the array is a pointer.
    let (argument, array) = match argument.split_once('[') {
        Some((before, _)) => (before, "*"),
        None => (argument, ""),
    };
    let spaced = argument.replace('*', " * ");
    let words: Vec<&str> = spaced.split_whitespace().filter(|w| *w != "const").collect();
    let type_words = ["unsigned", "int", "char", "bool", "double", "void"];
    let is_type =
        |w: &str| type_words.contains(&w) || w.ends_with("_t") || w.ends_with("_cb") || w == "*";
    // The last word is a name if the words before it form a type.
    let named = words.len() > 1 && !is_type(words[words.len() - 1]);
    let words = if named { &words[..words.len() - 1] } else { &words[..] };
    format!("{array}{}", of_c(&words.join(" ")))
}

pub(crate) fn of_c(c: &str) -> String {
    let spaced = c.replace('*', " * ");
    let (stars, words): (Vec<&str>, Vec<&str>) =
        spaced.split_whitespace().filter(|w| *w != "const").partition(|w| *w == "*");
    let base = words.join(" ");
    let base = match base.as_str() {
        cb if cb.ends_with("_cb") => "fn",
        "char" => "char",
        "unsigned char" | "uint8_t" => "u8",
        "int" | "int32_t" => "i32",
        "unsigned int" | "uint32_t" => "u32",
        "int64_t" => "i64",
        "uint64_t" => "u64",
        "size_t" => "usize",
        "double" => "f64",
        other => other,
    };
    format!("{}{base}", "*".repeat(stars.len()))
}

pub(crate) fn of_rust(rust: &str) -> String {
    let rust = rust.trim();
    if let Some(inner) = rust.strip_prefix("*const ").or_else(|| rust.strip_prefix("*mut ")) {
        return format!("*{}", of_rust(inner));
    }
    if let Some(inner) = rust.strip_prefix("Option<").and_then(|r| r.strip_suffix('>')) {
        return of_rust(inner);
    }
    let base = rust.rsplit("::").next().unwrap_or(rust);
    let base = match base {
        "c_char" => "char",
        "c_uchar" => "u8",
        "c_int" => "i32",
        "c_uint" => "u32",
        "c_double" => "f64",
        "size_t" => "usize",
        "c_void" | "()" | "" => "void",
        _ if rust.contains("fn(") => "fn",
        // The aliases of function types are the only names in capitals.
        name if name.starts_with(char::is_uppercase) => "fn",
        other => other,
    };
    base.to_string()
}

/// Returns whether both are the same type at the boundary. An array of bytes is bytes, whatever their sign.
pub(crate) fn agree(ours: &str, theirs: &str) -> bool {
    let plain = |t: &str| if t.starts_with('*') { t.replace("u8", "char") } else { t.to_string() };
    plain(ours) == plain(theirs)
}

#[cfg(test)]
mod tests {
    use super::{of_c, of_c_argument, of_rust, split};

    #[test]
    fn arguments_of_c() {
        let of = |text: &str| split(text).iter().map(|a| of_c_argument(a)).collect::<Vec<_>>();
        assert_eq!(of("const char* const keys[], size_t n"), ["**char", "usize"]);
        assert_eq!(
            of("rocksdb_t* db, unsigned char v, char** errptr"),
            ["*rocksdb_t", "u8", "**char"]
        );
        assert_eq!(of("rocksdb_options_t*, int"), ["*rocksdb_options_t", "i32"]);
        assert_eq!(of("void* state, void (*put)(void*, size_t), on_x_cb x"), ["*void", "fn", "fn"]);
        assert_eq!(of("const rocksdb_options_t* const* opts"), ["**rocksdb_options_t"]);
        assert!(of("").is_empty());
    }

    #[test]
    fn types_of_rust() {
        assert_eq!(of_rust("*const *mut c_char"), "**char");
        assert_eq!(of_rust("Option<unsafe extern \"C\" fn(*mut c_void) → c_int>"), "fn");
        assert_eq!(of_rust("Destructor"), "fn");
        assert_eq!(of_rust("std::ffi::c_uchar"), "u8");
        assert_eq!((of_rust(""), of_c("void")), ("void".into(), "void".into()));
    }
}
