//! `fillseqdeterministic` and `filluniquerandomdeterministic`: a tree of known shape.
//!
//! With leveled compaction, each level gets one sorted run, from the last level up. The first run has all entries, in
//! order or in random order; each next one has a fraction of the entries of the one before, from
//! `--max_bytes_for_level_multiplier`, in random order. A third of the last run's entries stay on level 0. With FIFO
//! compaction, level 0 is filled up to the size limit of the tables.

use super::thread::Thread;
use super::write::{Order, Part, fill_part};
use crate::parameters::Style;
use crate::report::say;
use crate::target::{Result, TableFile};

pub(super) fn sequential(t: &mut Thread<'_>) -> Result<()> {
    fill(t, Order::Sequential)
}

pub(super) fn unique_random(t: &mut Thread<'_>) -> Result<()> {
    fill(t, Order::Unique)
}

fn fill(t: &mut Thread<'_>, first: Order) -> Result<()> {
    let tree = &t.config.tree;
    if !tree.only_manual {
        return Err("this benchmark needs --disable_auto_compactions".to_owned());
    }
    // An engine that cannot tell its files ends the benchmark here.
    t.target.table_files()?;
    match tree.style {
        Style::Level if tree.dynamic => {
            return Err("this benchmark cannot be combined with \
                --level_compaction_dynamic_level_bytes"
                .to_owned());
        }
        Style::Level => fill_levels(t, first)?,
        Style::Fifo => fill_level_0(t, first)?,
        Style::Other => {
            return Err(
                "this benchmark supports --compaction_style=0 and 2: with the other styles, \
                Ferrolith cannot compact chosen files"
                    .to_owned(),
            );
        }
    }
    print(&t.target.table_files()?);
    Ok(())
}

/// Returns all writes of the flags.
fn writes(t: &Thread<'_>) -> u64 {
    if t.config.writes == 0 { t.config.num } else { t.config.writes }
}

fn fill_levels(t: &mut Thread<'_>, first: Order) -> Result<()> {
    let (levels, multiplier) = (t.config.tree.levels, t.config.tree.multiplier);
    if levels < 2 {
        return Err("this benchmark needs --num_levels=2 or more".to_owned());
    }
    let too_few = || format!("--num={} is too small to fill {levels} levels", t.config.num);
    let (too_few, mut writes) = (too_few(), writes(t));
    for level in (1..levels).rev() {
        let order = if level == levels - 1 { first } else { Order::Unique };
        let moved = if level == 1 { writes * 2 / 3 } else { writes };
        fill_part(t, order, Part { skip: 0, writes: moved })?;
        t.target.flush()?;
        let files = t.target.table_files()?.iter().filter(|file| file.level == 0).count();
        // A run that is one file leaves nothing for the levels above it.
        if files == 0 || (files == 1 && level > 1) {
            return Err(too_few);
        }
        (0..level).try_for_each(|from| t.target.push_level(from))?;
        if level == 1 {
            fill_part(t, order, Part { skip: moved, writes: writes - moved })?;
            t.target.flush()?;
        }
        writes = (writes as f64 / multiplier) as u64;
    }
    Ok(())
}

fn fill_level_0(t: &mut Thread<'_>, first: Order) -> Result<()> {
    let (levels, limit) = (t.config.tree.levels, t.config.tree.fifo_bytes);
    if levels != 1 {
        return Err("this benchmark needs --num_levels=1 with FIFO compaction".to_owned());
    }
    let (mut order, mut size) = (first, 0);
    while size < limit {
        let part = Part { skip: 0, writes: writes(t) };
        fill_part(t, order, part)?;
        t.target.flush()?;
        let grown = t.target.table_files()?.iter().map(|file| file.size).sum();
        if grown == size {
            return Err("the database does not grow".to_owned());
        }
        (order, size) = (Order::Unique, grown);
    }
    t.target.compact(false)
}

fn print(files: &[TableFile]) {
    say("---------------------- DB 0 LSM ---------------------");
    let deepest = files.iter().map(|file| file.level).max().unwrap_or(0);
    for file in files.iter().filter(|file| file.level == 0) {
        say(&format!("Level[0]: {}(size: {} bytes)", file.name, file.size));
    }
    for level in 1..=deepest {
        let of_level: Vec<&TableFile> = files.iter().filter(|file| file.level == level).collect();
        let size: u64 = of_level.iter().map(|file| file.size).sum();
        if let [first, ..] = of_level[..] {
            let last = of_level[of_level.len() - 1];
            say(&format!(
                "Level[{level}]: {} - {}(total size: {size} bytes)",
                first.name, last.name
            ));
        }
    }
}
