//! Kills the server program at random moments under a load of 16 clients of both protocols, starts it again, and checks
//! that all acknowledged writes are there and that no transaction, script or multi-row write is there in half.
//!
//! `FERROLITH_KILLS=N` kills it N times.

pub mod clients;
pub mod program;

use clients::{Load, PegasusLoad, RedisLoad};
use program::Program;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Clients of each protocol.
const REDIS_CLIENTS: usize = 12;
const PEGASUS_CLIENTS: usize = 4;

#[test]
fn acknowledged_writes_survive_kills() {
    let kills = std::env::var("FERROLITH_KILLS").map_or(5, |n| n.parse().expect("a number"));
    let mut random = fastrand::Rng::new();
    println!("seed {}", random.get_seed());
    let dir = tempfile::tempdir().unwrap();
    let mut loads: Vec<Box<dyn Load>> = Vec::new();
    loads.extend((0..REDIS_CLIENTS).map(|id| Box::new(RedisLoad::new(id)) as Box<dyn Load>));
    loads.extend((0..PEGASUS_CLIENTS).map(|id| Box::new(PegasusLoad::new(id)) as Box<dyn Load>));
    let mut acknowledged = 0;
    for round in 0..kills {
        let durability = ["always", "every:100", "os"][round % 3];
        let program = Program::start(dir.path(), durability);
        for load in &mut loads {
            load.check(&program);
        }
        let before: u64 = loads.iter().map(|load| load.acknowledged()).sum();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for load in &mut loads {
                scope.spawn(|| load.run(&program, &is_over));
            }
            std::thread::sleep(Duration::from_micros(random.u64(20_000..400_000)));
            program.kill();
            is_over.store(true, Ordering::Relaxed);
        });
        acknowledged += loads.iter().map(|load| load.acknowledged()).sum::<u64>() - before;
    }
    let program = Program::start(dir.path(), "os");
    for load in &mut loads {
        load.check(&program);
    }
    println!("{kills} kills, {acknowledged} acknowledged steps");
    assert!(acknowledged > kills as u64 * 10, "{acknowledged} steps were acknowledged");
}
