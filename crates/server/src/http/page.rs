//! The web page: one document with its styles and scripts in it, so that nothing else is loaded.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

const SHELL: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");

/// The scripts, in their order in the document.
const SCRIPTS: [&str; 9] = [
    include_str!("page/base.js"),
    include_str!("page/chart.js"),
    include_str!("page/overview.js"),
    include_str!("page/tables.js"),
    include_str!("page/levels.js"),
    include_str!("page/timeline.js"),
    include_str!("page/lists.js"),
    include_str!("page/keys.js"),
    include_str!("page/main.js"),
];

/// The document and its policy.
pub(super) struct Page {
    /// The document.
    pub(super) html: String,
    /// The header `Content-Security-Policy`: this script and this style by their hashes, and requests to this server.
    pub(super) policy: String,
}

/// The page.
pub(super) static PAGE: LazyLock<Page> = LazyLock::new(|| {
    let script = format!("\"use strict\";\n{}", SCRIPTS.concat());
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src 'self'; \
         img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hash(&script),
        hash(STYLE)
    );
    let html = SHELL.replacen("/* style */", STYLE, 1).replacen("/* script */", &script, 1);
    Page { html, policy }
});

#[cfg(test)]
#[path = "page_test.rs"]
mod tests;
