//! Arguments of known set-ups, and their scale.

/// A set-up: what it is, and its 14 arguments.
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Its description.
    pub about: &'static str,
    arguments: &'static str,
}

/// The command lines of the comparison of 2015, and one set-up of our own. Its directories are relative here.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "cached-n10",
        about: "Database smaller than the block cache, 10 threads; RocksDB in 2015, on a disk array and on an SSD",
        arguments: "56000000 log db 102400 64 10 600 3600 1000 1 ferrolith 20 no 1",
    },
    Preset {
        name: "cached-n10-files8",
        about: "The same with 8 databases; ForestDB in 2015",
        arguments: "56000000 log db 102400 64 10 600 3600 1000 1 ferrolith 20 no 8",
    },
    Preset {
        name: "cached-n20",
        about: "Database smaller than the block cache, 20 threads; RocksDB in 2015, on an SSD",
        arguments: "56000000 log db 102400 64 20 600 3600 1000 1 ferrolith 20 no 1",
    },
    Preset {
        name: "cached-n20-files8",
        about: "The same with 8 databases; ForestDB in 2015",
        arguments: "56000000 log db 102400 64 20 600 3600 1000 1 ferrolith 20 no 8",
    },
    Preset {
        name: "io-bound-n10",
        about: "As cached-n10 with a block cache of a tenth of the documents (our own; RAM must be smaller than the database)",
        arguments: "56000000 log db 3072 64 10 600 3600 1000 1 ferrolith 20 no 1",
    },
];

/// Target sizes of level 1 in MiB and of an SST in KiB.
pub const TREE: (u64, u64) = (512, 32 * 1024);

/// The smallest scale of write buffers, files and levels: a write buffer of 1 MiB.
const SMALLEST_TREE: f64 = 1.0 / 64.0;

/// Returns the arguments of a set-up. `scale` multiplies documents, cache, write buffer, and the target sizes of files
/// and levels, so that the tree keeps its shape; seconds and threads stay. Returns also the target sizes.
pub fn arguments(name: &str, scale: f64) -> Result<([String; 14], (u64, u64)), String> {
    let preset = PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let known: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        format!("unknown preset {name}; known: {}", known.join(", "))
    })?;
    if !(scale > 0.0 && scale <= 1000.0) {
        return Err(format!("--scale {scale}: expected more than 0 and at most 1000"));
    }
    let mut arguments: [String; 14] = Default::default();
    for (place, word) in arguments.iter_mut().zip(preset.arguments.split(' ')) {
        word.clone_into(place);
    }
    let tree_scale = scale.max(SMALLEST_TREE);
    let scaled = |number: u64, scale: f64| ((number as f64 * scale).round() as u64).max(1);
    for (i, scale) in [(0, scale), (3, scale), (4, tree_scale)] {
        let number = arguments[i].parse().unwrap_or(1);
        arguments[i] = scaled(number, scale).to_string();
    }
    Ok((arguments, (scaled(TREE.0, tree_scale), scaled(TREE.1, tree_scale))))
}
