# SPDX-License-Identifier: GPL-2.0
# What one can ask for. `make help` lists it; every long step says how far it is.
# Everything built lands in build/, results in results/; nothing else is written.
SHELL := /bin/bash
BUILD := build
KERNEL_TREE := kernel-patches/kernel-tree
STEP := scripts/step
prefix ?= /usr/local
# suites of tests/run for `make test`, all of them when empty; `make test SUITES=unit` runs one
SUITES ?=

# started once, so that every step can say how long all took so far
export VTPMFAST_T0 := $(or $(VTPMFAST_T0),$(shell date +%s))

# the targets share trees and output folders
.NOTPARALLEL:
.DEFAULT_GOAL := help

.PHONY: help
help: ## this list
	@printf 'vtpm-fast: make TARGET\n\n'
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/  \1|\2/p' $(MAKEFILE_LIST) | \
		while IFS='|' read -r name text; do printf '%-16s %s\n' "$$name" "$$text"; done
	@printf '\nExit codes of the tools below: 0 done, 1 failed, 2 usage, 3 something is missing.\n'

# --- the two that one starts with ---

.PHONY: bench bench-client test test-slow
bench: ## build all, measure stock against fast in UML, draw results/sweep.svg (20 min first, then 5)
	@$(STEP) 'packages' scripts/deps bench
	@$(STEP) 'kernel source and series' $(MAKE) --no-print-directory apply
	@$(STEP) 'kernels' $(KERNEL_TREE) build uml-stock uml-patched
	@$(STEP) 'vtpmfast' $(MAKE) --no-print-directory userspace
	@$(STEP) 'guest root' $(MAKE) --no-print-directory guest-root
	@$(STEP) 'measure and draw' tests/bench/run-sweep

bench-client: ## what a client of the TPM waits for while IMA measures: results/client.json (5 min)
	@$(STEP) 'packages' scripts/deps test
	@$(STEP) 'kernel source and series' $(MAKE) --no-print-directory apply
	@$(STEP) 'kernels' $(KERNEL_TREE) build uml-patched
	@$(STEP) 'guest root' $(MAKE) --no-print-directory guest-root
	@tests/bench/run-client

test: ## build all and run every test suite (SUITES="...": only these)
	@$(STEP) 'packages' scripts/deps test
	@$(STEP) 'kernel source and series' $(MAKE) --no-print-directory apply
	@$(STEP) 'kernels' $(KERNEL_TREE) build uml-stock uml-patched uml-debug x86-patched
	@$(STEP) 'vtpmfast' $(MAKE) --no-print-directory userspace
	@$(STEP) 'guest root' $(MAKE) --no-print-directory guest-root
	@tests/run $(SUITES)

test-slow: ## the same, with the long variants of the tests, and kernels broken on purpose (30 min more)
	@VTPMFAST_SLOW=1 $(MAKE) --no-print-directory test
	@tests/mutations/run

# --- the steps that they are made of ---

.PHONY: deps import apply edit export check status uml x86 userspace install guest-root lint
deps: ## install the missing Debian packages, or say which (exit 3)
	@scripts/deps test

import: ## unpack Debian's kernel source as a git tree
	@$(KERNEL_TREE) import

apply: import ## make the patched tree from kernel-patches/6.12/series
	@$(KERNEL_TREE) apply

edit: import ## open a shell in the patched tree
	@$(KERNEL_TREE) edit

export: ## write the patched tree's commits to kernel-patches/6.12
	@$(KERNEL_TREE) export

check: apply ## judge the series: checkpatch, sparse, W=1, every prefix builds
	@$(KERNEL_TREE) check

status: ## what is imported, applied, edited and built
	@$(KERNEL_TREE) status

uml: apply ## build/uml-stock/linux and build/uml-patched/linux
	@$(KERNEL_TREE) build uml-stock uml-patched

x86: apply ## build/x86-stock/bzImage and build/x86-patched/bzImage
	@$(KERNEL_TREE) build x86-stock x86-patched

userspace: ## build/userspace/vtpmfast
	@$(MAKE) --no-print-directory -C userspace O=../$(BUILD)/userspace

install: ## install vtpmfast, manual and completion under prefix (/usr/local)
	@$(MAKE) --no-print-directory -C userspace O=../$(BUILD)/userspace prefix=$(prefix) install

guest-root: userspace ## build/uml-root, what the UML guests boot from
	@vm-images/uml/mkroot $(BUILD)

lint: ## shellcheck and clang-tidy
	@tests/run lint

# --- throwing away ---

.PHONY: clean distclean
clean: ## remove what was built here but the kernel trees
	rm -rf $(BUILD)/userspace* $(BUILD)/tests $(BUILD)/guest $(BUILD)/uml-root $(BUILD)/uml-roots $(BUILD)/logs

# a patched tree with work of its own is not ours to delete
distclean: clean ## remove build/ and results/ (not while commits wait for export)
	@$(KERNEL_TREE) discard
	rm -rf $(BUILD) results
