/* A disk that fails when it is told to, for the processes it is loaded into (LD_PRELOAD).
 *
 * Whatever reaches files below FAILING_DISK_ROOT passes by here. FAILING_DISK_ORDERS names a file of one `struct orders`, which all these
 * processes and the test share in memory: what to fail, how, and how often. Nothing else is touched: sockets and pipes are no disk.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, PWRITE, PWRITEV, FSYNC, FDATASYNC, FTRUNCATE, OPEN, RENAME, MKDIR, READ, PREAD, FALLOCATE };

struct orders {
    int32_t call;   /* which; 0 for none */
    int32_t error;  /* with what */
    int32_t passes; /* that many go well first */
    int32_t times;  /* so often */
    int32_t failed; /* so many have */
};

static struct orders *orders;
static const char *root;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAILING_DISK_ORDERS");
    root = getenv("FAILING_DISK_ROOT");
    int fd = path && root ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *there = mmap(NULL, sizeof *orders, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (there != MAP_FAILED) orders = there;
}

static int below_root(const char *path) {
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int fails(int call, const char *path, int fd) {
    char link[64], name[PATH_MAX];
    if (!orders || __atomic_load_n(&orders->call, __ATOMIC_SEQ_CST) != call) return 0;
    if (!path) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, name, sizeof name - 1);
        if (length < 0) return 0;
        name[length] = 0;
        path = name;
    }
    if (!below_root(path)) return 0;
    if (__atomic_fetch_sub(&orders->passes, 1, __ATOMIC_SEQ_CST) > 0) return 0;
    if (__atomic_fetch_sub(&orders->times, 1, __ATOMIC_SEQ_CST) <= 0) return 0;
    __atomic_fetch_add(&orders->failed, 1, __ATOMIC_SEQ_CST);
    errno = orders->error;
    return 1;
}

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *from, size_t size) { return fails(WRITE, NULL, fd) ? -1 : REAL(write)(fd, from, size); }

ssize_t pwrite(int fd, const void *from, size_t size, off_t at) { return fails(PWRITE, NULL, fd) ? -1 : REAL(pwrite)(fd, from, size, at); }

ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) {
    return fails(PWRITE, NULL, fd) ? -1 : REAL(pwrite64)(fd, from, size, at);
}

ssize_t pwritev(int fd, const struct iovec *from, int count, off_t at) {
    return fails(PWRITEV, NULL, fd) ? -1 : REAL(pwritev)(fd, from, count, at);
}

ssize_t pwritev64(int fd, const struct iovec *from, int count, off64_t at) {
    return fails(PWRITEV, NULL, fd) ? -1 : REAL(pwritev64)(fd, from, count, at);
}

ssize_t read(int fd, void *to, size_t size) { return fails(READ, NULL, fd) ? -1 : REAL(read)(fd, to, size); }

ssize_t pread(int fd, void *to, size_t size, off_t at) { return fails(PREAD, NULL, fd) ? -1 : REAL(pread)(fd, to, size, at); }

ssize_t pread64(int fd, void *to, size_t size, off64_t at) { return fails(PREAD, NULL, fd) ? -1 : REAL(pread64)(fd, to, size, at); }

int fsync(int fd) { return fails(FSYNC, NULL, fd) ? -1 : REAL(fsync)(fd); }

int fdatasync(int fd) { return fails(FDATASYNC, NULL, fd) ? -1 : REAL(fdatasync)(fd); }

int ftruncate(int fd, off_t size) { return fails(FTRUNCATE, NULL, fd) ? -1 : REAL(ftruncate)(fd, size); }

int ftruncate64(int fd, off64_t size) { return fails(FTRUNCATE, NULL, fd) ? -1 : REAL(ftruncate64)(fd, size); }

int truncate(const char *path, off_t size) { return fails(FTRUNCATE, path, -1) ? -1 : REAL(truncate)(path, size); }

int truncate64(const char *path, off64_t size) { return fails(FTRUNCATE, path, -1) ? -1 : REAL(truncate64)(path, size); }

/* These give the error instead of setting it. */
int posix_fallocate(int fd, off_t at, off_t size) { return fails(FALLOCATE, NULL, fd) ? errno : REAL(posix_fallocate)(fd, at, size); }

int posix_fallocate64(int fd, off64_t at, off64_t size) {
    return fails(FALLOCATE, NULL, fd) ? errno : REAL(posix_fallocate64)(fd, at, size);
}

static mode_t mode_of(int flags, va_list more) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; }

#define OPENS(name)                                                     \
    int name(const char *path, int flags, ...) {                        \
        va_list more;                                                   \
        va_start(more, flags);                                          \
        mode_t mode = mode_of(flags, more);                             \
        va_end(more);                                                   \
        return fails(OPEN, path, -1) ? -1 : REAL(name)(path, flags, mode); \
    }

OPENS(open)
OPENS(open64)

int rename(const char *from, const char *to) { return fails(RENAME, to, -1) ? -1 : REAL(rename)(from, to); }

int mkdir(const char *path, mode_t mode) { return fails(MKDIR, path, -1) ? -1 : REAL(mkdir)(path, mode); }
