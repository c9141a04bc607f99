// The Linux calls that Glibc's Swift module does not show, as static inline wrappers. No feature-test macro stands here:
// one in any imported header breaks debug builds that import a second module.
#pragma once
#include <stdint.h>
#include <sys/epoll.h>
