//! How strictly a program is shut in, and which of these this machine can do.

use crate::config::Sandbox;
use crate::sys;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// How a program is shut in, strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Own process, user, mount and IPC namespace. Everything a run starts dies with it, the number of processes is
    /// limited, the working directory is a private file system of limited size, and the program has no privileges, even under root (it runs as `nobody` outside but sees
    /// its usual user number).
    User,
    /// Own process and IPC namespace, made as root: everything a run starts dies with it, but there is no limit on
    /// processes and on the working directory as a whole. For programs whose files only root can reach.
    Process,
    /// No namespaces (containers often refuse them), but under root: the program runs, and sees itself, as `nobody`. It
    /// can kill its own server at most. The number of processes is limited, for all runs together: after a fork bomb the
    /// server may report that it cannot go on.
    Nobody,
    /// No namespaces (containers often refuse them): processes are found through `/proc` and killed one by one. A
    /// program that aims at it can do harm, as when started by hand.
    Group,
}

/// The user that runs belong to when the engine is root.
const NOBODY: u32 = 65_534;

impl Isolation {
    /// All that may be tried for this setting, strictest first.
    pub fn candidates(sandbox: Sandbox) -> Vec<Isolation> {
        if let Sandbox::Exactly(one) = sandbox {
            return vec![one];
        }
        let mut all = vec![Isolation::User];
        if sys::effective_ids().0 == 0 {
            all.extend([Isolation::Process, Isolation::Nobody]);
        }
        all.push(Isolation::Group);
        all
    }

    /// All of them; a place in it is a number for [`Isolation::from_number`].
    const ALL: [Isolation; 4] = [Isolation::User, Isolation::Process, Isolation::Nobody, Isolation::Group];

    /// A number for it.
    pub(super) const fn number(self) -> u8 {
        self as u8
    }

    /// The one with this number.
    pub(super) fn from_number(number: u8) -> Option<Isolation> {
        Isolation::ALL.into_iter().find(|i| i.number() == number)
    }

    /// Flags for `clone`.
    pub(super) fn flags(self) -> libc::c_int {
        match self {
            Isolation::User => {
                libc::CLONE_NEWPID | libc::CLONE_NEWUSER | libc::CLONE_NEWIPC | libc::CLONE_NEWNS
            }
            Isolation::Process => libc::CLONE_NEWPID | libc::CLONE_NEWIPC,
            Isolation::Nobody | Isolation::Group => 0,
        }
    }

    /// User and group that the program has outside, if not ours: those its files must belong to.
    pub fn owner(self) -> Option<(u32, u32)> {
        let as_nobody = matches!(self, Isolation::User | Isolation::Nobody) && sys::effective_ids().0 == 0;
        as_nobody.then_some((NOBODY, NOBODY))
    }

    /// User and group that the program sees.
    pub(super) fn inside_ids(self) -> Option<(u32, u32)> {
        match self {
            Isolation::User => Some(sys::effective_ids()),
            Isolation::Nobody => self.owner(),
            Isolation::Process | Isolation::Group => None,
        }
    }

    /// Whether a namespace ends all processes of the program with its first one.
    pub fn has_namespace(self) -> bool {
        matches!(self, Isolation::User | Isolation::Process)
    }

    /// Whether the program, under its outside user, could reach files in `directory`.
    pub fn reaches(self, directory: &Path) -> bool {
        let Some(_) = self.owner() else { return true };
        directory.ancestors().all(|d| fs::metadata(d).is_ok_and(|m| m.mode() & 0o001 != 0))
    }

    /// Maps one user and one group of the new namespace to the outside ones.
    pub(super) fn write_maps(self, pid: i32) -> io::Result<()> {
        let (Isolation::User, Some((inside_user, inside_group))) = (self, self.inside_ids()) else {
            return Ok(());
        };
        let (user, group) = match self.owner() {
            Some(ids) => ids,
            None => {
                // Without privileges, the kernel wants this before a group may be mapped.
                fs::write(format!("/proc/{pid}/setgroups"), "deny")?;
                sys::effective_ids()
            }
        };
        fs::write(format!("/proc/{pid}/uid_map"), format!("{inside_user} {user} 1\n"))?;
        fs::write(format!("/proc/{pid}/gid_map"), format!("{inside_group} {group} 1\n"))
    }
}
