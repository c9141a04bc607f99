// CRC32C (Castagnoli, RFC 3720 appendix B.4) through the CPU's own instruction, for x86_64 (SSE4.2) and aarch64
// (CRC32).
//
// The instruction has a latency of three cycles and can start in each cycle, so one stream would use a third of it.
// Three streams run side by side over neighbouring blocks; their results are joined by polynomial arithmetic:
// the checksum of A followed by B is crc(A) · x^(8·|B|) mod P, xor crc(B), where crc(B) starts from zero
// (V. Gopal et al., "Fast CRC Computation for iSCSI Polynomial Using CRC32 Instruction", Intel 2011).
// All functions work on the register itself: the caller inverts it before and after.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Bytes of each of the three blocks; at this size joining costs about 3 %.
#define CITIES_CRC32C_BLOCK 16384

/// x^(8 · CITIES_CRC32C_BLOCK) mod P, bit 31 being x^0; a test derives it again.
#define CITIES_CRC32C_SHIFT_BLOCK 0xbf455269u

#if defined(__x86_64__)
#include <cpuid.h>
#define CITIES_CRC32C_TARGET __attribute__((target("sse4.2")))
#define CITIES_CRC32C_U64(crc, word) ((uint32_t)__builtin_ia32_crc32di((crc), (word)))
#define CITIES_CRC32C_U8(crc, byte) ((uint32_t)__builtin_ia32_crc32qi((crc), (byte)))
#elif defined(__aarch64__)
#include <sys/auxv.h>
#define CITIES_CRC32C_TARGET __attribute__((target("crc")))
#define CITIES_CRC32C_U64(crc, word) __builtin_arm_crc32cd((crc), (word))
#define CITIES_CRC32C_U8(crc, byte) __builtin_arm_crc32cb((crc), (byte))
#endif

/// 1 if this CPU has the instruction. Each call may query the CPU, so cache the result.
static inline int cities_crc32c_available(void) {
#if defined(__x86_64__)
  unsigned int a, b, c = 0, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2) != 0;
#elif defined(__aarch64__)
  return (getauxval(AT_HWCAP) & (1ul << 7)) != 0; // HWCAP_CRC32
#else
  return 0;
#endif
}

/// a · b mod P over GF(2), bit 31 being x^0: 32 steps, without tables.
static inline uint32_t cities_crc32c_multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (int bit = 31; bit >= 0; bit--) {
    product ^= b & (0u - ((a >> bit) & 1u));
    b = (b >> 1) ^ (0x82f63b78u & (0u - (b & 1u)));
  }
  return product;
}

#if defined(CITIES_CRC32C_TARGET)

static inline uint64_t cities_crc32c_load(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word); // both CPUs read unaligned words at full speed
  return word;
}

/// One stream, for input too short for three.
static inline CITIES_CRC32C_TARGET uint32_t cities_crc32c_single(uint32_t crc, const uint8_t *bytes, size_t count) {
  for (; count >= 8; bytes += 8, count -= 8) crc = CITIES_CRC32C_U64(crc, cities_crc32c_load(bytes));
  for (; count > 0; bytes++, count--) crc = CITIES_CRC32C_U8(crc, *bytes);
  return crc;
}

/// Continues the register `crc` over `count` bytes. Only for CPUs with the instruction.
static inline CITIES_CRC32C_TARGET uint32_t cities_crc32c_update(uint32_t crc, const void *start, size_t count) {
  const uint8_t *bytes = (const uint8_t *)start;
  const size_t block = CITIES_CRC32C_BLOCK;
  for (; count >= 3 * block; bytes += 3 * block, count -= 3 * block) {
    uint32_t second = 0, third = 0;
    for (size_t at = 0; at < block; at += 8) {
      crc = CITIES_CRC32C_U64(crc, cities_crc32c_load(bytes + at));
      second = CITIES_CRC32C_U64(second, cities_crc32c_load(bytes + block + at));
      third = CITIES_CRC32C_U64(third, cities_crc32c_load(bytes + 2 * block + at));
    }
    crc = cities_crc32c_multiply(CITIES_CRC32C_SHIFT_BLOCK, crc) ^ second;
    crc = cities_crc32c_multiply(CITIES_CRC32C_SHIFT_BLOCK, crc) ^ third;
  }
  return cities_crc32c_single(crc, bytes, count);
}

#else

/// Only to let callers compile; never called without the instruction.
static inline uint32_t cities_crc32c_update(uint32_t crc, const void *start, size_t count) {
  (void)start;
  (void)count;
  return crc;
}

#endif
