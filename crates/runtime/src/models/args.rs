//! Arguments and results of models.

use crate::models::value::Value;
use crate::{event, node, state, tls};
use trace_abi::Reason;

/// Labels of the first arguments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Args([u32; 8]);

impl Args {
    /// Takes the labels meant for the model at this address.
    #[inline]
    pub fn take(model: usize) -> Args {
        let mut labels = [0; 8];
        if let Some(all) = tls::take_args(model)
            && state::recording()
        {
            labels.copy_from_slice(&all[..8]);
            for l in &mut labels {
                if !node::is_known(*l) {
                    *l = 0;
                }
            }
        }
        Args(labels)
    }

    /// Label of argument `k`.
    pub fn label(&self, k: usize) -> u32 {
        self.0[k]
    }

    /// Argument `k` with its value.
    pub fn value(&self, k: usize, width: u16, now: u64) -> Value {
        Value::new(self.0[k], width, now)
    }

    /// Argument `k` points to what the model looks at: the pointer stays as it is.
    pub fn pin_pointer<T>(&self, k: usize, pointer: *const T) {
        event::pin(self.0[k], pointer as u64, Reason::LoadAddress, 0);
    }

    /// Whether any of the first `n` arguments is labelled.
    pub fn any(&self, n: usize) -> bool {
        self.0[..n].iter().any(|&l| l != 0)
    }
}

/// Whether anything in this process can be labelled.
#[inline(always)]
pub fn symbolic() -> bool {
    state::recording() && node::count() > 1
}

/// Leaves the label of the result, which must agree with the result itself.
pub fn give(value: Value, real: u64) {
    tls::set_ret(value.checked(real));
}

/// The result is concrete.
#[inline(always)]
pub fn give_concrete() {
    tls::set_ret(0);
}
