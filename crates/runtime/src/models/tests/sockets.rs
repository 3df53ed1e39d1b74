//! Connections: what arrives is what the input says, each byte with its label, by whatever call it is read.

use crate::libc::{self, FILE, IoVec, c_int};
use crate::models::{input::*, ready::*, socket::*, stdio::*, write::*};
use crate::net::{
    AF_INET, MSG_DONTWAIT, MSG_PEEK, SHUT_WR, SO_RCVTIMEO, SOCK_STREAM, SOL_SOCKET, epoll_create1, epoll_ctl,
    getsockopt, recv, setsockopt, shutdown, socket,
};
use crate::sys::{self, Message, PollFd};
use crate::testing::Lab;
use crate::{node, shadow, state};
use std::ptr::null_mut;

const NONBLOCK: c_int = libc::O_NONBLOCK;

/// A socket that listens at this port.
fn listener(port: u16, flags: c_int) -> c_int {
    let mut address = [0u8; 16];
    address[0] = AF_INET;
    address[2..4].copy_from_slice(&port.to_be_bytes());
    // SAFETY: a valid address; a descriptor of ours.
    unsafe {
        let fd = socket(AF_INET.into(), SOCK_STREAM | flags, 0);
        assert_eq!(__spm_bind(fd, address.as_ptr(), 16), 0);
        assert_eq!(__spm_listen(fd, 1), 0);
        fd
    }
}

fn accept(listener: c_int) -> c_int {
    // SAFETY: no address is asked for.
    unsafe { __spm_accept(listener, null_mut(), null_mut()) }
}

/// The labels at `at` are those of the input bytes from `offset` on of this object.
fn assert_labels(at: &[u8], object: u32, offset: u32) {
    for (k, byte) in at.iter().enumerate() {
        let want = node::input(object, offset + k as u32);
        assert_eq!(shadow::get((&raw const *byte) as usize), want, "byte {k} of {}", at.len());
    }
}

fn receive(fd: c_int, to: &mut [u8], flags: c_int) -> isize {
    // SAFETY: the buffer is valid.
    unsafe { __spm_recv(fd, to.as_mut_ptr().cast(), to.len(), flags) }
}

fn close(fds: &[c_int]) {
    for &fd in fds {
        // SAFETY: descriptors of ours.
        unsafe { libc::close(fd) };
    }
}

#[test]
fn every_call_that_reads_gives_the_next_bytes_their_labels() {
    let _lab = Lab::with_connections(&[("0", b"abcdefghijklmnop")]);
    let l = listener(80, 0);
    let c = accept(l);
    let mut buffer = [0u8; 64];
    assert_eq!(receive(c, &mut buffer[..3], MSG_PEEK), 3);
    assert_labels(&buffer[..3], 0, 0);
    assert_eq!(receive(c, &mut buffer[..3], 0), 3);
    assert_eq!(&buffer[..3], b"abc");
    assert_labels(&buffer[..3], 0, 0);
    // SAFETY: valid buffers, here and below.
    unsafe {
        assert_eq!(__spm_read(c, buffer.as_mut_ptr().cast(), 2), 2);
        assert_labels(&buffer[..2], 0, 3);
        let (first, second) = buffer.split_at_mut(8);
        let mut parts =
            [IoVec { base: first.as_mut_ptr(), len: 1 }, IoVec { base: second.as_mut_ptr(), len: 2 }];
        assert_eq!(__spm_readv(c, parts.as_ptr(), 2), 3);
        assert_eq!((first[0], &second[..2]), (b'f', &b"gh"[..]));
        assert_labels(&first[..1], 0, 5);
        assert_labels(&second[..2], 0, 6);
        let mut message = Message { parts: parts.as_mut_ptr(), n_parts: 2, ..Message::EMPTY };
        assert_eq!(__spm_recvmsg(c, &raw mut message, 0), 3);
        assert_labels(&second[..2], 0, 9);
        let mut rest = [0u8; 16];
        assert_eq!(__spm_recvfrom(c, rest.as_mut_ptr().cast(), 16, 0, null_mut(), null_mut()), 5);
        assert_eq!(&rest[..5], b"lmnop");
        assert_labels(&rest[..5], 0, 11);
        assert_eq!(__spm_recv(c, rest.as_mut_ptr().cast(), 16, 0), 0);
    }
    close(&[c, l]);
}

#[test]
fn reading_past_the_end_is_recorded_with_the_length_wanted() {
    let lab = Lab::with_connections(&[("0", b"abc")]);
    let l = listener(80, 0);
    let c = accept(l);
    let mut buffer = [0u8; 10];
    assert_eq!(receive(c, &mut buffer, 0), 3);
    let events = lab.events();
    let end = events.iter().find(|e| e.kind == trace_abi::EventKind::Eof as u8).expect("an event");
    assert_eq!((end.site, end.value), (0, 10));
    close(&[c, l]);
}

#[test]
fn connections_come_in_order_and_keep_apart() {
    let _lab = Lab::with_connections(&[("0", b"first"), ("1", b"second")]);
    let l = listener(80, NONBLOCK);
    let (a, b) = (accept(l), accept(l));
    assert!(a >= 0 && b >= 0);
    let mut buffer = [0u8; 16];
    assert_eq!(receive(b, &mut buffer[..3], 0), 3);
    assert_labels(&buffer[..3], 1, 0);
    assert_eq!(receive(a, &mut buffer[..5], 0), 5);
    assert_labels(&buffer[..5], 0, 0);
    assert_eq!(receive(b, &mut buffer[..3], 0), 3);
    assert_labels(&buffer[..3], 1, 3);
    assert_eq!(accept(l), -1);
    assert_eq!(libc::errno(), 11, "EAGAIN: it does not wait");
    close(&[a, b, l]);
}

#[test]
fn a_long_text_arrives_whole_and_answers_never_wait() {
    let text: Vec<u8> = (0..900_000u32).map(|k| (k % 251) as u8).collect();
    let _lab = Lab::with_connections(&[("0", &text)]);
    let l = listener(80, 0);
    let c = accept(l);
    let (mut got, mut buffer) = (Vec::new(), vec![0u8; 10_000]);
    let answer = vec![b'x'; 3_000_000];
    loop {
        let n = receive(c, &mut buffer, 0);
        assert!(n >= 0);
        if n == 0 {
            break;
        }
        let last = n as usize - 1;
        assert_labels(&buffer[last..=last], 0, (got.len() + last) as u32);
        got.extend_from_slice(&buffer[..n as usize]);
        // SAFETY: a valid buffer.
        unsafe { assert_eq!(__spm_write(c, answer.as_ptr().cast(), answer.len()), answer.len() as isize) };
    }
    assert!(got == text);
    close(&[c, l]);
}

#[test]
fn pieces_come_one_after_the_other() {
    let _lab = Lab::with_connections(&[("0:line", b"one\ntwo\nend")]);
    let l = listener(80, 0);
    let c = accept(l);
    let mut buffer = [0u8; 64];
    assert_eq!(receive(c, &mut buffer[..2], 0), 2);
    assert_eq!(receive(c, &mut buffer, 0), 2, "the rest of the line and no more");
    assert_eq!(&buffer[..2], b"e\n");
    assert_eq!(receive(c, &mut buffer, 0), 4);
    assert_labels(&buffer[..4], 0, 4);
    let mut waits = PollFd { fd: c, events: 1, revents: 0 };
    // SAFETY: a valid record.
    assert_eq!(unsafe { __spm_poll(&raw mut waits, 1, -1) }, 1);
    assert_eq!(receive(c, &mut buffer, 0), 3);
    assert_eq!(receive(c, &mut buffer, 0), 0);
    close(&[c, l]);
}

#[test]
fn time_that_nothing_can_fill_is_not_waited_for() {
    let _lab = Lab::with_connections(&[("0", b"")]);
    let l = listener(80, NONBLOCK);
    let c = accept(l);
    let mut waits = PollFd { fd: l, events: 1, revents: 0 };
    let mut set = [1u64 << l, 0];
    // An hour.
    let mut limit = [3600, 0];
    // SAFETY: valid records.
    unsafe {
        assert_eq!(__spm_poll(&raw mut waits, 1, 3_600_000), 0);
        assert_eq!(__spm_select(l + 1, set.as_mut_ptr(), null_mut(), null_mut(), &raw mut limit), 0);
    }
    assert_eq!((set[0], limit), (0, [0, 0]));
    close(&[c, l]);
}

#[test]
fn addresses_are_those_asked_for() {
    let _lab = Lab::with_connections(&[("0", b"")]);
    let l = listener(0, 0);
    let (mut address, mut len) = ([0u8; 32], 32u32);
    // SAFETY: room for the address, here and below.
    unsafe {
        assert_eq!(__spm_getsockname(l, address.as_mut_ptr(), &raw mut len), 0);
        assert_eq!((len, address[0], &address[4..8]), (16, AF_INET, &[0; 4][..]));
        let port = u16::from_be_bytes([address[2], address[3]]);
        assert_ne!(port, 0, "any port became one");
        len = 32;
        let c = __spm_accept(l, address.as_mut_ptr(), &raw mut len);
        assert_eq!((len, address[0], &address[4..8]), (16, AF_INET, &[127, 0, 0, 1][..]));
        let client = address;
        len = 32;
        assert_eq!(__spm_getpeername(c, address.as_mut_ptr(), &raw mut len), 0);
        assert_eq!(address, client);
        assert_eq!(__spm_getsockname(c, address.as_mut_ptr(), &raw mut len), 0);
        assert_eq!((&address[2..4], &address[4..8]), (&port.to_be_bytes()[..], &[127, 0, 0, 1][..]));
        // TCP_NODELAY, which a Unix socket does not have.
        let one = 1 as c_int;
        assert_eq!(__spm_setsockopt(c, 6, 1, (&raw const one).cast(), 4), 0);
        assert_eq!(__spm_bind(l, address.as_ptr(), 16), -1, "it is bound");
        close(&[c, l]);
    }
}

#[test]
fn streams_know_where_they_are() {
    unsafe extern "C" {
        fn fdopen(fd: c_int, mode: *const i8) -> *mut FILE;
    }
    let _lab = Lab::with_connections(&[("0:line", b"xyz\nsecond line\n")]);
    let l = listener(80, 0);
    let c = accept(l);
    // SAFETY: a stream of ours, valid buffers.
    unsafe {
        let f = fdopen(c, c"r".as_ptr());
        assert_eq!(__spm_fgetc(f), i32::from(b'x'));
        assert_eq!(__spm_ungetc(i32::from(b'#'), f), i32::from(b'#'));
        assert_eq!(__spm_fgetc(f), i32::from(b'#'));
        let mut line = [0u8; 32];
        assert!(!__spm_fgets(line.as_mut_ptr().cast(), 32, f).is_null());
        assert_eq!(&line[..3], b"yz\n");
        assert_labels(&line[..3], 0, 1);
        assert_eq!(__spm_fread(line.as_mut_ptr().cast(), 1, 6, f), 6);
        assert_labels(&line[..6], 0, 4);
        libc::fclose(f);
    }
    close(&[l]);
}

#[test]
fn without_waiting_nothing_is_read_and_nothing_recorded() {
    let lab = Lab::with_connections(&[("0:line", b"a\n"), ("1", b"")]);
    let l = listener(80, NONBLOCK);
    let (c, second) = (accept(l), accept(l));
    let mut buffer = [0u8; 4];
    assert_eq!(receive(c, &mut buffer[..2], 0), 2);
    let before = lab.events().len();
    assert_eq!(receive(l, &mut buffer, MSG_DONTWAIT), -1);
    assert_eq!(lab.events().len(), before);
    close(&[c, second, l]);
}

/// Changes what the client of connection `object` says, as in the input of another run.
fn say(object: u32, text: &[u8]) {
    let data = state::object(object).expect("the object").data;
    assert_eq!(data.len(), text.len());
    // SAFETY: the mapping's input area, which only this test writes.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), data.as_ptr().cast_mut(), text.len()) };
}

#[test]
fn a_run_that_goes_on_has_sockets_of_its_own() {
    let _lab = Lab::with_connections(&[("0", b"abcdef"), ("1:2", b"uvwx")]);
    let l = listener(80, NONBLOCK);
    let first = accept(l);
    let mut buffer = [0u8; 16];
    assert_eq!(receive(first, &mut buffer[..3], 0), 3);
    // SAFETY: descriptors of ours; a record has twelve bytes.
    let (copy, set) = unsafe { (sys::fcntl(first, sys::F_DUPFD, 0), epoll_create1(0)) };
    let mut event = [1u8, 0, 0, 0, 0xef, 0xbe, 0, 0, 0, 0, 0, 0];
    // SAFETY: as above.
    unsafe { assert_eq!(epoll_ctl(set, 1, first, event.as_mut_ptr().cast()), 0) };

    for texts in [[b"ABCDEF", &b"UVWX"[..]], [b"ghijkl", b"stuv"]] {
        say(0, texts[0]);
        say(1, texts[1]);
        crate::sockets::resume();
        event = [0; 12];
        // SAFETY: room for one record.
        assert_eq!(unsafe { __spm_epoll_wait(set, event.as_mut_ptr().cast(), 1, -1) }, 1);
        assert_eq!((event[0], event[4], event[5]), (1, 0xef, 0xbe), "the set knows the new socket");
        assert_eq!(receive(copy, &mut buffer, MSG_PEEK), 6, "what the client says from there on");
        assert_eq!(&buffer[..6], texts[0]);
        assert_labels(&buffer[..6], 0, 0);
        let second = accept(l);
        assert!(second >= 0, "it had not been accepted");
        assert_eq!(receive(second, &mut buffer, 0), 2);
        assert_eq!(&buffer[..2], &texts[1][..2]);
        assert_labels(&buffer[..2], 1, 0);
        close(&[second]);
        // As in a run from the same place: here one process plays both, so the second connection is put back.
        crate::sockets::unaccept(1);
    }
    close(&[first, copy, set, l]);
}

/// How much was read of each connection, as the engine is told, and whether it is closed.
fn told() -> Vec<(u64, bool)> {
    let mut all = [0; trace_abi::MAX_CONNECTIONS];
    crate::sockets::tell(&mut all);
    let closed = trace_abi::CONNECTION_CLOSED;
    all[..3].iter().map(|&at| (at & !closed, at & closed != 0)).collect()
}

#[test]
fn how_far_each_connection_was_read_is_told_since_the_start() {
    let _lab = Lab::with_connections(&[("0", b"abcdef"), ("1", b"uvwx"), ("2", b"zz")]);
    let l = listener(80, 0);
    let (first, second) = (accept(l), accept(l));
    let mut buffer = [0u8; 16];
    assert_eq!((receive(first, &mut buffer[..2], 0), receive(second, &mut buffer[..3], 0)), (2, 3));
    // SAFETY: a descriptor of ours.
    assert_eq!(unsafe { __spm_close(second) }, 0);
    assert_eq!(told(), [(2, false), (3, true), (0, false)]);
    crate::sockets::resume();
    assert_eq!(told(), [(2, false), (3, true), (0, false)], "nothing was read behind it");
    assert_eq!(receive(first, &mut buffer[..5], 0), 5);
    let third = accept(l);
    assert_eq!(receive(third, &mut buffer, 0), 2);
    assert_eq!(told(), [(7, false), (3, true), (2, false)]);
    close(&[first, third, l]);
    assert_eq!(told()[0], (8, true), "closed by a call that nobody saw: all of it");
}

#[test]
fn a_connection_is_over_when_nothing_is_left_on_any() {
    let _lab = Lab::with_connections(&[("0", b"ab"), ("1", b"c"), ("2", b"")]);
    let l = listener(80, 0);
    let mut buffer = [0u8; 16];
    let first = accept(l);
    assert!(!crate::sockets::is_all_said(0, first));
    assert_eq!(receive(first, &mut buffer, 0), 2);
    assert!(!crate::sockets::is_all_said(0, first), "the next one has something to say");
    let second = accept(l);
    assert!(!crate::sockets::is_all_said(0, first));
    assert_eq!(receive(second, &mut buffer, 0), 1);
    assert!(crate::sockets::is_all_said(0, first) && crate::sockets::is_all_said(1, second));
    close(&[second, first]);
    let third = accept(l);
    assert!(crate::sockets::is_all_said(2, third));
    close(&[third, l]);
}

#[test]
fn what_a_socket_was_told_is_taken_over() {
    let _lab = Lab::with_connections(&[("0", b"abcdef")]);
    let l = listener(80, 0);
    let c = accept(l);
    let limit = [3u64, 0];
    // SAFETY: descriptors of ours; valid records, here and below.
    unsafe {
        assert_eq!(setsockopt(c, SOL_SOCKET, SO_RCVTIMEO, limit.as_ptr().cast(), 16), 0);
        assert_eq!(sys::fcntl(c, crate::net::F_SETFL, NONBLOCK), 0);
        assert_eq!(crate::net::send(c, limit.as_ptr().cast(), 4, 0), 4);
        assert_eq!(shutdown(c, SHUT_WR), 0);
        crate::sockets::resume();
        let (mut now, mut len) = ([0u64; 2], 16);
        assert_eq!(getsockopt(c, SOL_SOCKET, SO_RCVTIMEO, now.as_mut_ptr().cast(), &raw mut len), 0);
        assert_eq!(now, limit);
        let mut buffer = [0u8; 16];
        assert_eq!(recv(c, buffer.as_mut_ptr().cast(), 16, 0), 6);
        assert_eq!(recv(c, buffer.as_mut_ptr().cast(), 16, 0), 0, "the client has said all");
        assert_eq!(
            crate::net::send(c, limit.as_ptr().cast(), 4, crate::net::MSG_NOSIGNAL),
            -1,
            "its own side is closed"
        );
    }
    close(&[c, l]);
}
