#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# host: timeout=900
# clang-tidy over userspace, the tests' programs and the guests' init.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$top"
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

type -P clang-tidy >/dev/null || bail "clang-tidy is missing (Debian: apt-get install clang-tidy)"
expect_pass "userspace" make -s -C userspace lint
expect_pass "guest programs" make -s -C vm-images lint
tap_done
