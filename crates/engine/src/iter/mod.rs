//! Combining entries: the state of a point lookup, the merge heap over iterators, folding merge
//! operands, and dropping what nobody can see.

mod get_context;

pub use get_context::GetContext;
