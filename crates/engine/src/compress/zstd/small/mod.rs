mod codes;
mod encode;

pub(super) use encode::compress;
