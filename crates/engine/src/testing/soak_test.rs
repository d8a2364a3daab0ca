//! A long run of the engine's own codecs beside the crates, and libzstd if it is in the build.

use super::samples::{KINDS, sample};
use crate::compress::zstd_checks::Accepted;
use crate::compress::{lz4_checks, zstd_checks};
use fastrand::Rng;
use std::io::Write;
use structured_zstd::encoding::{CompressionLevel, FrameCompressor};

const BLOCK_MAX: usize = 128 << 10;
/// The levels of the engine's encoder.
const LEVELS: [i32; 9] = [-100, -5, -2, -1, 1, 2, 3, 4, 5];

/// Returns the number in a variable of the environment.
fn variable(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}: expected a number, found {text:?}")))
}

/// How many damaged frames each decoder accepted.
#[derive(Default)]
struct Damaged {
    frames: u64,
    both: u64,
    ours: u64,
    theirs: u64,
}

struct Soak {
    rng: Rng,
    bytes: u64,
    damaged: Damaged,
    #[cfg(feature = "zstd-c")]
    library: zstd_safe::CCtx<'static>,
}

impl Soak {
    fn new(seed: u64) -> Soak {
        Soak {
            rng: Rng::with_seed(seed),
            bytes: 0,
            damaged: Damaged::default(),
            #[cfg(feature = "zstd-c")]
            library: zstd_safe::CCtx::create(),
        }
    }

    /// Checks all encoders and decoders with one block.
    fn round(&mut self, round: u64) {
        let rng = &mut self.rng;
        let len = rng.usize(0..=BLOCK_MAX) >> rng.u32(0..14);
        let kind = rng.usize(..KINDS);
        let raw = sample(rng, kind, len);
        self.bytes += len as u64;
        let level = LEVELS[round as usize % LEVELS.len()];
        let ours = zstd_checks::block(level, rng.bool(), &raw).expect("one of our levels");
        let stream = lz4_checks::block(&raw);
        let theirs = self.crates_frame(&raw);
        zstd_checks::frame(&theirs, &raw);
        #[cfg(feature = "zstd-c")]
        {
            let frame = self.librarys_frame(&raw);
            zstd_checks::frame(&frame, &raw);
            self.damage_frame(&frame);
        }
        if round.is_multiple_of(8) {
            self.damage_frame(&ours);
            self.damage_frame(&theirs);
            let stream = damage(&mut self.rng, &stream);
            lz4_checks::stream(&stream, len);
        }
    }

    /// Returns a level, rarely a high one, whose encoder takes long.
    fn level(&mut self, len: usize, usual: i32, highest: i32) -> i32 {
        let is_usual = len > 20_000 || self.rng.u8(..) < 240;
        self.rng.i32(-5..=if is_usual { usual } else { highest })
    }

    fn crates_frame(&mut self, raw: &[u8]) -> Vec<u8> {
        let level = self.level(raw.len(), 5, 12);
        let mut encoder: FrameCompressor =
            FrameCompressor::new(CompressionLevel::from_level(level));
        encoder.set_content_checksum(self.rng.bool());
        let mut frame = Vec::new();
        encoder.compress_independent_frame_into(raw, &mut frame);
        frame
    }

    #[cfg(feature = "zstd-c")]
    fn librarys_frame(&mut self, raw: &[u8]) -> Vec<u8> {
        use zstd_safe::CParameter;
        let level = self.level(raw.len(), 7, 19);
        // Some frames have several blocks, which use each other's tables and trees.
        let target = if self.rng.u8(..) < 50 { self.rng.u32(1340..6000) } else { 0 };
        for parameter in [
            CParameter::CompressionLevel(level),
            CParameter::ChecksumFlag(self.rng.bool()),
            CParameter::TargetCBlockSize(target),
        ] {
            self.library.set_parameter(parameter).expect("a parameter");
        }
        let mut frame = Vec::with_capacity(zstd_safe::compress_bound(raw.len()));
        self.library.compress2(&mut frame, raw).expect("a frame");
        frame
    }

    /// Decodes a damaged variant of a frame.
    fn damage_frame(&mut self, frame: &[u8]) {
        let damaged = damage(&mut self.rng, frame);
        self.damaged.frames += 1;
        match zstd_checks::stream(&damaged) {
            Accepted::Both => self.damaged.both += 1,
            Accepted::Ours => self.damaged.ours += 1,
            Accepted::Theirs => self.damaged.theirs += 1,
            Accepted::Neither => {}
        }
    }

    fn report(&self, seed: u64, rounds: u64) {
        let Damaged { frames, both, ours, theirs } = self.damaged;
        // The harness captures what the macros print.
        let _ = writeln!(
            std::io::stderr(),
            "codecs, seed {seed}: {rounds} blocks, {} MB, all read; {frames} damaged frames: {both} \
             accepted by both decoders, {ours} only by ours, {theirs} only by the crate",
            self.bytes / 1_000_000
        );
    }
}

/// Returns a damaged variant of a stream.
fn damage(rng: &mut Rng, stream: &[u8]) -> Vec<u8> {
    let mut damaged = stream.to_vec();
    if rng.u8(..) < 40 {
        damaged.truncate(rng.usize(..=stream.len()));
    }
    for _ in 0..rng.usize(1..4) {
        if !damaged.is_empty() {
            let at = rng.usize(..damaged.len());
            damaged[at] ^= 1 << rng.u32(..8);
        }
    }
    damaged
}

/// Checks `FERROLITH_CODEC_BLOCKS` random blocks (1000 by default) from `FERROLITH_CODEC_SEED`, and prints its progress
/// at each twentieth.
#[test]
fn codecs_read_each_others_random_blocks() {
    let seed = variable("FERROLITH_CODEC_SEED").unwrap_or_else(|| fastrand::u64(..));
    let rounds = variable("FERROLITH_CODEC_BLOCKS");
    println!("codecs: seed {seed}");
    let mut soak = Soak::new(seed);
    for round in 0..rounds.unwrap_or(1000) {
        soak.round(round);
        if rounds.is_some_and(|rounds| (round + 1).is_multiple_of((rounds / 20).max(1))) {
            soak.report(seed, round + 1);
        }
    }
}
