/* A disk that fails: the n-th write below a directory returns an error, for tests only.
 *
 * FAULT_DIR   failures happen to files below this directory
 * FAULT_AT    which write fails, counted from 1; all later ones fail too until the process ends
 * FAULT_ERRNO the error number
 * FAULT_SEEN  a file that is made when the failure has happened
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long count;

static int below(int fd) {
    char link[64], path[4096];
    const char *root = getenv("FAULT_DIR");
    ssize_t length;
    if (!root) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return strncmp(path, root, strlen(root)) == 0;
}

static int fails(int fd) {
    const char *at = getenv("FAULT_AT"), *number = getenv("FAULT_ERRNO"), *seen = getenv("FAULT_SEEN");
    if (!at || !number || !below(fd)) return 0;
    if (__sync_add_and_fetch(&count, 1) < atol(at)) return 0;
    if (seen) {
        int mark = open(seen, O_WRONLY | O_CREAT, 0600);
        if (mark >= 0) close(mark);
    }
    errno = atoi(number);
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t size) { return fails(fd) ? -1 : REAL(write)(fd, data, size); }
ssize_t writev(int fd, const struct iovec *io, int n) { return fails(fd) ? -1 : REAL(writev)(fd, io, n); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return fails(fd) ? -1 : REAL(pwrite)(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { return fails(fd) ? -1 : REAL(pwrite64)(fd, data, size, at); }
int ftruncate(int fd, off_t size) { return fails(fd) ? -1 : REAL(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { return fails(fd) ? -1 : REAL(ftruncate64)(fd, size); }
int fsync(int fd) { return fails(fd) ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return fails(fd) ? -1 : REAL(fdatasync)(fd); }
