# SPDX-License-Identifier: Apache-2.0
# The short front: CMake, pip and the scripts under sdk/setup and tests do the work.
#
#   make demo    set up, build, and run the main job on real model weights
#   make test    set up, build, and run every test
#   make help    the other targets
#
# VENV=/some/venv uses an environment that has torch and torch_npu. DEV=1 makes warnings errors.
VENV ?= .venv
BUILD ?= build
DEV ?= 0
BENCH ?= .
SECONDS ?= 60
JOBS ?= $(shell nproc)

# An absolute path; abspath would take one with a blank for two.
override VENV := $(if $(patsubst /%,,$(firstword $(VENV))),$(CURDIR)/)$(VENV)
PYTHON := $(VENV)/bin/python
# Tools of the environment first: everybody builds with the same cmake, ninja and clang tools.
export PATH := $(VENV)/bin:$(PATH)
CANN := $(BUILD)/cann

.PHONY: vector_speed programs ops demo test test-all check bench fuzz prefix install setup configure build fmt clean help

help:
	@sed -n 's/^## //p' Makefile

## make demo                 set-up, build, then the demo on real weights; ends "demo: OK"
demo: ops
	@"$(PYTHON)" ops/demo/demo.py

## make test                 set-up, build, then every test; ends "N passed, N failed"
test: ops programs
	@"$(PYTHON)" tests/run --build "$(BUILD)"

## make test-all             the long families too
test-all: ops programs
	@"$(PYTHON)" tests/run --build "$(BUILD)" --all

## make check                format, static analysis, layers, tests under sanitizers; ends "check: OK"
check: install programs
	@bash tests/check.sh "$(BUILD)"

## make bench [BENCH=regex]  the metrics of `nputwin list metrics`; writes build/bench.json
bench: ops programs
	@"$(PYTHON)" bench/run.py --build "$(BUILD)" --match '$(BENCH)'

## make vector_speed         elements a second of each instruction; writes docs/vector_speed.md
vector_speed: configure
	@cmake --build "$(BUILD)" -j $(JOBS) --target bench_vector -- --quiet
	@sh bench/vector_speed.sh "$(BUILD)" >docs/vector_speed.md

## make fuzz [SECONDS=n]     the fuzz targets, bounded; ends "fuzz: OK"
fuzz: setup
	@bash tests/fuzz/run.sh "$(BUILD)/fuzz" $(SECONDS)

## make prefix               the CANN-shaped tree only; writes build/cann/
prefix: build
	@cmake --install "$(BUILD)" --prefix "$(CANN)" >"$(BUILD)/install.log" || { cat "$(BUILD)/install.log"; false; }

## make install              the wheel, into VENV
install: prefix
	@sh sdk/setup/install.sh "$(VENV)" "$(CANN)"

# C programs of tests and bench.
programs: configure
	@cmake --build "$(BUILD)" -j $(JOBS) --target unit_tests fuzz_targets bench_limit bench_engine -- --quiet

# The operators' wheel, into VENV too.
ops: install
	@sh sdk/setup/ops.sh "$(VENV)" "$(CANN)" "$(BUILD)/ops"

## make setup                system packages and VENV only
setup:
	@sh sdk/setup/system.sh
	@sh sdk/setup/venv.sh "$(VENV)"

# Always asked: a room or an option may be new. CMake answers in a second.
configure: setup
	@mkdir -p "$(BUILD)"
	@cmake -S . -B "$(BUILD)" -G Ninja -DDEV=$(DEV) -DNPU_TESTS_ON_DEMAND=ON \
	 -DPython3_EXECUTABLE="$(PYTHON)" >"$(BUILD)/configure.log" 2>&1 || \
	 { cat "$(BUILD)/configure.log"; false; }

build: configure
	@cmake --build "$(BUILD)" -j $(JOBS) -- --quiet

## make fmt                  format all C and C++
fmt: setup
	@sh tests/lint/format.sh --write

## make clean                remove build/ (not .venv)
clean:
	rm -rf "$(BUILD)" dist *.egg-info
