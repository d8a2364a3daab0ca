use super::*;

#[test]
fn the_process_has_memory_and_used_its_processor() {
    let mut sum = 0_u64;
    (0..30_000_000_u64).for_each(|at| sum = std::hint::black_box(sum ^ at));
    let times = CpuTimes::now();
    assert!(times.user + times.system > 0.0, "{times:?}");
    assert!(kilobytes(&read("/proc/self/status"), "VmRSS") > 1 << 20);
    assert!(system_memory() > 1 << 20);
    assert_eq!(kilobytes("A: 1 kB\nAB:   3 kB\n", "AB"), 3072);
    assert!(system().starts_with("Linux "));
}
