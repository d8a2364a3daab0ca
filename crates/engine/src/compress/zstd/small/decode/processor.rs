//! Loops compiled twice: for any processor of the architecture, and for those with BMI2.
//!
//! The loops over sequences and literals shift by numbers that they have just read. BMI2 has shifts that take their
//! count from any register and leave the flags alone: blocks of text are decoded 8 % faster, those of db_bench 6 %.

#![allow(unsafe_code)] // One call of a function with instructions that not every processor has.

/// A loop. Everything in it must be inlined, as otherwise it is compiled once only.
pub(super) trait Task {
    type Output;

    fn run(self) -> Self::Output;
}

/// Runs a loop in the form that suits the processor best.
#[inline]
pub(super) fn run<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has the instructions.
        return unsafe { run_with_bmi2(task) };
    }
    task.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2")]
fn run_with_bmi2<T: Task>(task: T) -> T::Output {
    task.run()
}
