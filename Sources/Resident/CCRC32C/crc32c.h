// CRC32C (Castagnoli, RFC 3720 appendix B.4) through the CPU's own instruction.
#pragma once
#include <stddef.h>
#include <stdint.h>
