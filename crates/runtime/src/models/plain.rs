//! Functions that are harmless: they take no symbolic meaning along and write no memory of the program, so
//! that calling them loses nothing. The model jumps to the function itself, variable arguments and all.
//!
//! References are weak, through the global offset table: a C library without one of them still links.

macro_rules! plain {
    ($($name:ident)+) => {
        $(core::arch::global_asm!(
            concat!(".section .text.__spm_", stringify!($name), ",\"ax\",@progbits"),
            concat!(".weak ", stringify!($name)),
            concat!(".globl __spm_", stringify!($name)),
            concat!(".type __spm_", stringify!($name), ",@function"),
            concat!("__spm_", stringify!($name), ":"),
            ".cfi_startproc",
            "endbr64",
            concat!("jmp qword ptr [rip + ", stringify!($name), "@GOTPCREL]"),
            ".cfi_endproc",
            concat!(".size __spm_", stringify!($name), ", . - __spm_", stringify!($name)),
            ".text",
        );)+
        /// Their names.
        #[cfg(test)]
        pub const PLAIN: &[&str] = &[$(stringify!($name)),+];
    };
}

// Output, the process, the clock, files: what they are handed goes out of the program or is a plain number.
plain! {
    printf dprintf vprintf vdprintf puts
    putchar putchar_unlocked perror
    __printf_chk __dprintf_chk __vprintf_chk __vdprintf_chk __overflow
    psignal warn warnx vwarn vwarnx err errx verr verrx error syslog vsyslog openlog closelog
    exit _exit _Exit quick_exit abort atexit at_quick_exit __cxa_atexit __assert_fail __assert __assert_perror_fail __stack_chk_fail
    __errno_location strerror strsignal
    feof feof_unlocked ferror ferror_unlocked clearerr clearerr_unlocked fileno fileno_unlocked
    setvbuf setbuf setlinebuf setbuffer ftell ftello ftello64 rewind flockfile funlockfile ftrylockfile
    dup dup2 dup3 isatty fsync fdatasync ftruncate ftruncate64 truncate unlink remove rename rmdir mkdir chdir
    access faccessat umask
    getppid getuid geteuid getgid getegid getpagesize sysconf getpriority
    difftime alarm signal raise sigaction sigprocmask sigaltstack setitimer
    setlocale srand srandom rand random srand48 drand48 lrand48 mrand48 rand_r nl_langinfo
    pthread_barrier_init pthread_barrier_destroy pthread_detach pthread_exit pthread_cancel pthread_equal
    pthread_attr_init pthread_attr_destroy pthread_attr_setstacksize pthread_attr_setdetachstate
    sem_init sem_trywait sem_post sem_destroy mtx_init mtx_destroy mtx_trylock cnd_init cnd_destroy thrd_current thrd_detach thrd_equal
    pthread_self pthread_mutex_unlock pthread_mutex_trylock pthread_mutex_init pthread_mutex_destroy
    pthread_mutexattr_init pthread_mutexattr_settype pthread_mutexattr_destroy pthread_once
    pthread_cond_init pthread_cond_destroy
    pthread_rwlock_unlock pthread_key_create pthread_setspecific pthread_getspecific
    __ctype_get_mb_cur_max unsetenv putenv
    socket shutdown epoll_create epoll_create1 epoll_ctl eventfd
    mprotect madvise malloc_trim malloc_usable_size
    __cxa_guard_acquire __cxa_guard_release __cxa_guard_abort __cxa_pure_virtual
    clock_nanosleep nanosleep sleep usleep sched_yield sem_wait pthread_barrier_wait pthread_mutex_lock
    pthread_cond_wait pthread_cond_timedwait pthread_cond_signal pthread_cond_broadcast
    pthread_rwlock_rdlock pthread_rwlock_wrlock
}
