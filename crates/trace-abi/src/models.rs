//! Which library functions the runtime models.

/// Names of library functions with a model `__spm_NAME` of the same C signature in the runtime. The
/// instrumenter redirects every use of an *undefined* function of that name to the model; the model finds
/// argument labels in [`crate::Tls`] under its own address and leaves return labels there.
pub const MODELED: &[&str] = &[];
