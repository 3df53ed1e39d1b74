//! A [`Setup`] as bytes and descriptors, from the engine to the zygote.
//!
//! Both are the same executable in the same memory image, so there is no version; what does not decode is an error all the
//! same, for the zygote must not fall over.

use super::child::Setup;
use super::{Isolation, vector};
use crate::config::Limits;
use crate::sys::{self, check};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// Most descriptors that go with an order.
const MAX_DESCRIPTORS: usize = 32;

/// The bytes of an order, and the descriptors that go with it.
pub fn encode(setup: &Setup) -> (Vec<u8>, Vec<RawFd>) {
    let Setup { executable, executable_file, argv, env, directory, directory_path, mount_options, .. } =
        setup;
    let mut order = Vec::new();
    let limits = &setup.limits;
    let (user, group) = setup.inside.unwrap_or_default();
    let numbers = [
        u64::from(setup.isolation.number()),
        u64::from(setup.private_directory),
        u64::from(setup.moved),
        u64::from(setup.report.is_some()),
        setup.clients.map_or(0, |(_, n)| u64::from(n) + 1),
        u64::from(setup.inside.is_some()),
        user.into(),
        group.into(),
        limits.memory,
        limits.file_size,
        limits.disk,
        limits.descriptors,
        limits.processes,
        limits.wall.as_millis() as u64,
        limits.cpu.as_millis() as u64,
        limits.leg.as_millis() as u64,
        argv.strings.len() as u64,
        env.strings.len() as u64,
        setup.descriptors.len() as u64,
    ];
    let there = setup.descriptors.iter().map(|d| d.1 as u64);
    numbers.into_iter().chain(there).for_each(|n| order.extend(n.to_ne_bytes()));
    let strings =
        [executable, directory_path, mount_options].into_iter().chain(&argv.strings).chain(&env.strings);
    strings.for_each(|s| order.extend(s.as_bytes_with_nul()));
    let mut descriptors = vec![setup.error, setup.go, *directory, *executable_file];
    descriptors.extend(setup.report);
    descriptors.extend(setup.clients.map(|(channel, _)| channel));
    descriptors.extend(setup.descriptors.iter().map(|d| d.0));
    (order, descriptors)
}

/// The setup that an order describes, with the zygote's copies of the descriptors.
pub fn decode(mut order: &[u8], descriptors: &[OwnedFd]) -> io::Result<Setup> {
    let order = &mut order;
    let [isolation, private, moved, report, clients, inside, user, group] = numbers(order)?;
    let [memory, file_size, disk, n_files, processes, wall, cpu, leg] = numbers(order)?;
    let [n_argv, n_env, n_descriptors] = numbers(order)?;
    let there =
        (0..n_descriptors).map(|_| Ok(numbers::<1>(order)?[0] as i32)).collect::<io::Result<Vec<_>>>()?;
    let mut here = descriptors.iter().map(AsRawFd::as_raw_fd);
    let mut next = || here.next().ok_or_else(malformed);
    let (error, go, directory, executable_file) = (next()?, next()?, next()?, next()?);
    let report = if report != 0 { Some(next()?) } else { None };
    let clients = if clients != 0 { Some((next()?, clients as u32 - 1)) } else { None };
    let descriptors = there.into_iter().map(|to| Ok((next()?, to))).collect::<io::Result<_>>()?;
    let (executable, directory_path, mount_options) = (string(order)?, string(order)?, string(order)?);
    let mut strings = |n: u64| (0..n).map(|_| string(order)).collect::<io::Result<Vec<_>>>();
    Ok(Setup {
        executable,
        executable_file,
        argv: vector(strings(n_argv)?),
        env: vector(strings(n_env)?),
        directory,
        directory_path,
        mount_options,
        private_directory: private != 0,
        moved: moved != 0,
        descriptors,
        error,
        go,
        report,
        clients,
        limits: Limits {
            wall: Duration::from_millis(wall),
            cpu: Duration::from_millis(cpu),
            leg: Duration::from_millis(leg),
            memory,
            file_size,
            disk,
            descriptors: n_files,
            processes,
        },
        isolation: Isolation::from_number(isolation as u8).ok_or_else(malformed)?,
        inside: (inside != 0).then_some((user as u32, group as u32)),
    })
}

fn malformed() -> io::Error {
    io::Error::from_raw_os_error(libc::EBADMSG)
}

fn numbers<const N: usize>(from: &mut &[u8]) -> io::Result<[u64; N]> {
    let mut all = [0; N];
    for n in &mut all {
        let (bytes, rest) = from.split_first_chunk().ok_or_else(malformed)?;
        (*n, *from) = (u64::from_ne_bytes(*bytes), rest);
    }
    Ok(all)
}

fn string(from: &mut &[u8]) -> io::Result<CString> {
    let end = from.iter().position(|&b| b == 0).ok_or_else(malformed)?;
    let (text, rest) = from.split_at(end);
    *from = &rest[1..];
    CString::new(text).map_err(|_| malformed())
}

/// Room for the descriptors of a message, aligned as the kernel wants it.
#[repr(C, align(8))]
struct Control([u8; 64 + 4 * MAX_DESCRIPTORS]);

/// Sends an order with its descriptors.
pub fn send(socket: BorrowedFd<'_>, order: &[u8], descriptors: &[RawFd]) -> io::Result<()> {
    if descriptors.len() > MAX_DESCRIPTORS {
        return Err(malformed());
    }
    let mut control = Control([0; 64 + 4 * MAX_DESCRIPTORS]);
    let mut part = libc::iovec { iov_base: order.as_ptr().cast_mut().cast(), iov_len: order.len() };
    let size = size_of_val(descriptors) as u32;
    // SAFETY: one message header in a buffer that has room for it and for the descriptors; the kernel reads what the
    // records point to, all of which lives until the call is over.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(size) as usize;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size) as usize;
        std::ptr::copy_nonoverlapping(
            descriptors.as_ptr().cast::<u8>(),
            libc::CMSG_DATA(header),
            size as usize,
        );
        check(libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL)).map(drop)
    }
}

/// Receives an order: its length in `buffer`, and its descriptors, with numbers clear of the program's; `None` at the end.
pub fn receive(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<Option<(usize, Vec<OwnedFd>)>> {
    let mut control = Control([0; 64 + 4 * MAX_DESCRIPTORS]);
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let mut received = Vec::new();
    // SAFETY: the kernel writes no more than the buffers hold, as the records say; each descriptor that it made is taken
    // over once.
    let (length, flags) = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = control.0.len();
        let length = check(libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC))?;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if !header.is_null() && (*header).cmsg_type == libc::SCM_RIGHTS {
            let n = ((*header).cmsg_len - libc::CMSG_LEN(0) as usize) / size_of::<RawFd>();
            let data = libc::CMSG_DATA(header).cast::<RawFd>();
            received.extend((0..n).map(|k| OwnedFd::from_raw_fd(data.add(k).read_unaligned())));
        }
        (length as usize, message.msg_flags)
    };
    if length == 0 {
        return Ok(None);
    }
    if flags & (libc::MSG_TRUNC | libc::MSG_CTRUNC) != 0 {
        return Err(malformed());
    }
    let descriptors = received.iter().map(|fd| sys::high(fd.as_fd())).collect::<io::Result<_>>()?;
    Ok(Some((length, descriptors)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::config::Config;

    /// A program that ends at once, with descriptors of this process.
    pub fn sample() -> Setup {
        let text = |t: &str| CString::new(t).unwrap();
        Setup {
            executable: text("/bin/true"),
            executable_file: 2,
            argv: vector(vec![text("true"), text(""), text("b c")]),
            env: vector(vec![text("A=1")]),
            directory: 0,
            directory_path: text("/tmp"),
            mount_options: text("size=1"),
            private_directory: true,
            moved: true,
            descriptors: vec![(1, 7), (2, 8)],
            error: 1,
            go: 0,
            report: Some(2),
            clients: None,
            limits: Config::new("/bin/true").limits,
            isolation: Isolation::Group,
            inside: Some((3, 4)),
        }
    }

    fn decoded(order: &[u8], n: usize) -> io::Result<Setup> {
        let null = std::fs::File::open("/dev/null").unwrap();
        let descriptors: Vec<_> = (0..n).map(|_| sys::high(null.as_fd()).unwrap()).collect();
        decode(order, &descriptors)
    }

    #[test]
    fn an_order_says_all_of_a_setup() {
        let given = Setup { clients: Some((0, 3)), ..sample() };
        let (order, sent) = encode(&given);
        assert_eq!(sent, [1, 0, 0, 2, 2, 0, 1, 2]);
        let got = decoded(&order, sent.len()).unwrap();
        assert_eq!((got.executable, got.directory_path), (given.executable, given.directory_path));
        assert_eq!((got.argv.strings, got.env.strings), (given.argv.strings, given.env.strings));
        assert_eq!((got.mount_options, got.private_directory), (given.mount_options, true));
        assert_eq!(got.descriptors.iter().map(|d| d.1).collect::<Vec<_>>(), [7, 8]);
        assert_eq!((got.report.is_some(), got.inside), (true, given.inside));
        assert_eq!(got.clients.map(|c| c.1), Some(3));
        assert_eq!((got.limits, got.isolation), (given.limits, given.isolation));
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        let (order, sent) = encode(&sample());
        for end in 0..order.len() {
            assert!(decoded(&order[..end], sent.len()).is_err(), "{end}");
        }
        assert!(decoded(&order, sent.len() - 1).is_err());
    }
}
