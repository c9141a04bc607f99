// utf8proc 2.x: https://juliastrings.github.io/utf8proc/
#pragma once
#include <utf8proc.h>
