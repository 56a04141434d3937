/* A hostile name server, preloaded into a process: names below `.rebinding.test` resolve to 11.0.0.1, an external
   address, at odd lookups and to 127.0.0.1 at even ones. Connections to 11.0.0.1 are refused without sending anything.
   The file REBINDING_NAMES gets a line for each lookup and each such connection. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DOMAIN ".rebinding.test"
#define OUTSIDE "11.0.0.1"
#define INSIDE "127.0.0.1"
#define MOST_NAMES 64
#define MOST_LETTERS 128

static char names[MOST_NAMES][MOST_LETTERS];
static unsigned looks[MOST_NAMES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(const char *what, const char *which) {
    const char *path = getenv("REBINDING_NAMES");
    char line[MOST_LETTERS + 16];
    int size = snprintf(line, sizeof line, "%s %s\n", what, which);
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (file < 0) return;
    if (write(file, line, (size_t)size) < 0) abort();
    close(file);
}

static const char *address_of(const char *name) {
    const char *address = OUTSIDE;
    pthread_mutex_lock(&lock);
    for (int at = 0; at < MOST_NAMES; at++) {
        if (!names[at][0]) strcpy(names[at], name);
        if (!strcmp(names[at], name)) {
            address = looks[at]++ % 2 ? INSIDE : OUTSIDE;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return address;
}

int getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict found) {
    int (*original)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    *(void **)&original = dlsym(RTLD_NEXT, "getaddrinfo");
    size_t letters = name ? strlen(name) : 0, least = strlen(DOMAIN);
    if (letters <= least || letters >= MOST_LETTERS || strcmp(name + letters - least, DOMAIN))
        return original(name, service, hints, found);
    note("look-up", name);
    return original(address_of(name), service, hints, found);
}

int connect(int socket, const struct sockaddr *address, socklen_t size) {
    int (*original)(int, const struct sockaddr *, socklen_t);
    *(void **)&original = dlsym(RTLD_NEXT, "connect");
    const struct sockaddr_in *inet = (const struct sockaddr_in *)address;
    if (size >= sizeof *inet && inet->sin_family == AF_INET && inet->sin_addr.s_addr == inet_addr(OUTSIDE)) {
        note("connection", OUTSIDE);
        errno = ECONNREFUSED;
        return -1;
    }
    return original(socket, address, size);
}
