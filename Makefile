# rfbench: make alone prints help. Every target installs and builds what it needs first; on a machine that is set up,
# nothing touches the network.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PRESET  ?= release
BUILD   := build/$(PRESET)
RFBENCH := $(BUILD)/rfbench
PROFILE ?=
RUN     := $(RFBENCH) run $(if $(PROFILE),--profile $(PROFILE))
JOBS    ?= $(shell nproc)
NINJA    = $(shell command -v ninja)
CXXWARN ?=
PYTHON  ?= $(firstword $(wildcard /usr/bin/python3) python3)

# Ninja where it is there; a folder that was configured otherwise stays as it is.
CONFIGURE = cmake --preset $(PRESET) $(if $(NINJA),$(if $(wildcard $(BUILD)/CMakeCache.txt),,-G Ninja)) \
            $(if $(CXXWARN),-DRFBENCH_WERROR=$(CXXWARN))

EXPERIMENTS := variance concentration attention quasi dof learned training conversion regression cost

.PHONY: help setup in_place build test test-all test-slurm mutants faults fuzz smoke $(EXPERIMENTS) report pages verify lint docs bench bench-peers \
        bench-python bench-scale package python clean

help:
	@echo "rfbench: random features for the Gaussian and softmax kernels"
	@echo
	@echo "  Minutes are for two cores, without the build; 'rfbench plan all' shows the time of each configuration."
	@echo "  make variance   6 minutes: kernel variance, Figures 4.1, 6.1, 6.2, 6.4, the orthogonal gain -> results/variance/"
	@echo "  make regression 40 minutes: kernel regression on UCI data, Tables 6.2 and 6.3 -> results/regression/"
	@echo "  make attention  10 minutes: linear attention, errors, Figures 3.6 and 3.7, denominators -> results/attention/"
	@echo "  make cost       68 minutes: time and memory of heads, networks, decoding, gradients slice by slice, growth -> results/cost/"
	@echo "  make learned    23 minutes: features trained to match softmax attention and to classify (LUNA) -> results/learned/"
	@echo "  make training   18 hours, 11 of them for the six *-all: Transformers trained on text, images, recall, copying,"
	@echo "                  long sequences -> results/training/"
	@echo "  make conversion 246 minutes: trained softmax networks made linear, swapped, fitted, tuned -> results/conversion/"
	@echo "  make concentration  6 minutes: tails, uniform errors, Theorems 2, 4, 8, 20, 21 -> results/concentration/"
	@echo "  make quasi      6 minutes: quasi-Monte Carlo and weighted features, rates, attention, fast transforms -> results/quasi/"
	@echo "  make dof        5 minutes: degrees of freedom, features a layer needs, optimal densities -> results/dof/"
	@echo "                  attention, concentration, conversion, quasi and dof: once 30 more, to train the networks they use; variance: 2"
	@echo "  make smoke      2 minutes: every experiment in its small profile -> results/smoke/"
	@echo "  make test       8 to 15 minutes, 8 to 14 more to build them: all tests; ONLY=\"features property\": only these folders of tests/;"
	@echo "                  FILTER='*positive*': only tests with this in their names"
	@echo "  make test-all   the whole suite with sanitizers, assertions, clang++ and for any processor; three hours"
	@echo "  make mutants    plants the bugs of tests/mutants/ one after the other, and counts those that tests catch; three"
	@echo "                  hours or more, continues after an interruption; ONLY=training: only one folder"
	@echo "  make faults     disturbs runs by kills, failing calls, full disks, foreign folders and more, and reports losses; 2 minutes"
	@echo "  make fuzz       fuzzes every reader of files for SECONDS_EACH=10 seconds, by clang's libFuzzer"
	@echo "  make test-slurm tests batch jobs on a real Slurm of two nodes, both on this machine; needs root"
	@echo "  make lint       checks format, clang-tidy, shell scripts, version, Markdown; SINCE=main: only files changed since main"
	@echo "  make docs       builds the documentation site from docs/ and the headers -> build/docs/index.html"
	@echo "  make bench      benchmarks (Google Benchmark)"
	@echo "  make bench-peers benchmarks beside numpy and torch, if installed"
	@echo "  make bench-python benchmarks the Python package beside scikit-learn's RBFSampler and a line of numpy"
	@echo "  make bench-scale measures the time per cell of sweeps of up to a million cells; takes some minutes"
	@echo "  make report     draws all figures and tables again from the result files, with PROFILE=quick from that profile's"
	@echo "                  -> results/index.html, results/quick/index.html"
	@echo "  make pages      fills the numbers of docs/ and README.md that come from results/reference, and writes its tables"
	@echo "  make verify     checks every result file against its checksum"
	@echo "  make build      builds build/$(PRESET)/rfbench"
	@echo "  make python     builds the Python package and a wheel -> build/$(PRESET)/python/; a path file lets"
	@echo "                  'import rfbench' find it; PYTHON=venv/bin/python: for an environment"
	@echo "  make package    builds and tries Debian packages for x86-64-v2, v3 and v4 -> build/package/*.deb"
	@echo "  make setup      installs the dependencies (Debian; elsewhere it names them)"
	@echo "  make clean      removes build/"
	@echo
	@echo "  PRESET=release|portable|debug|asan|tsan|clang   PROFILE=smoke, or quick for variance, training, conversion (-> results/smoke/, results/quick/)"
	@echo "  JOBS=n: processes at a time, of builds and tests"
	@echo "  Edit configs/<experiment>/<name>.yaml, or try: $(RFBENCH) --help"

setup:
	@sh cmake/setup.sh $(if $(filter tsan clang,$(PRESET)),clang)

# CMake does not say which presets there are. A build folder knows where its sources are: one that was copied along with
# them from another place is refused by CMake in words that do not say what to do.
in_place:
	@presets=$$(sed -n 's/^ *"name": "\(.*\)",$$/\1/p' CMakePresets.json CMakeUserPresets.json 2>/dev/null); \
	if ! echo "$$presets" | grep -qxF -e '$(PRESET)'; then \
	  echo "make: PRESET=$(PRESET): there is no such preset. There are $$(echo $$presets | sed 's/ /, /g')." >&2; \
	  exit 1; \
	fi
	@home=$$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' $(BUILD)/CMakeCache.txt 2>/dev/null); \
	if [ -n "$$home" ] && [ "$$(cd "$$home" 2>/dev/null && pwd -P)" != "$$(pwd -P)" ]; then \
	  echo "make: $(BUILD) was made for the sources in $$home, not for those here. 'make clean' removes it; then run" >&2; \
	  echo "      the same command again. (Git is not needed: results of a copy without .git name no commit.)" >&2; \
	  exit 1; \
	fi

build: in_place setup
	@$(CONFIGURE) >$(if $(V),/dev/stdout,/dev/null)
	@cmake --build $(BUILD) --parallel $(JOBS) --target rfbench_cli

$(EXPERIMENTS): build
	$(RUN) $@

smoke: build
	$(RFBENCH) run --profile smoke $(EXPERIMENTS)

report: build
	$(RFBENCH) table $(if $(PROFILE),--profile $(PROFILE)); tables=$$?; \
	$(RFBENCH) plot $(if $(PROFILE),--profile $(PROFILE)) && exit $$tables

pages: build
	$(RFBENCH) pages

verify: build
	$(RFBENCH) verify

# ONLY and FILTER reach the script as they are, through the environment.
test: in_place setup
	@$(CONFIGURE) >$(if $(V),/dev/stdout,/dev/null)
ifeq ($(ONLY)$(FILTER),)
	@cmake --build $(BUILD) --parallel $(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)
else
	@$(PYTHON) tests/selected.py $(BUILD) $(JOBS)
endif

test-all: in_place
	@sh cmake/setup.sh clang
	@sh tests/all.sh $(JOBS)

# ONLY and AGAIN reach the script through the environment.
mutants: in_place
	@sh cmake/setup.sh mutants
	@JOBS=$(JOBS) $(PYTHON) tests/mutants/run.py

faults: build
	@$(PYTHON) tests/faults/run.py $(RFBENCH)

# ONLY and SECONDS_EACH, too.
fuzz:
	@sh cmake/setup.sh clang
	@$(MAKE) in_place PRESET=fuzz
	@cmake --preset fuzz $(if $(NINJA),$(if $(wildcard build/fuzz/CMakeCache.txt),,-G Ninja)) >$(if $(V),/dev/stdout,/dev/null)
	@cmake --build build/fuzz --parallel $(JOBS) --target rfbench_fuzzers
	@sh tests/fuzz/run.sh build/fuzz

test-slurm: build
	@sh cmake/setup.sh slurm
	@$(PYTHON) tests/slurm/sweep.py $(RFBENCH)

lint:
	@sh cmake/setup.sh lint
	@JOBS=$(JOBS) PYTHON=$(PYTHON) sh tests/lint/lint.sh $(SINCE)

docs:
	@sh cmake/setup.sh docs
	@PYTHON=$(PYTHON) sh docs/site/build.sh

bench: in_place setup
	@$(CONFIGURE) -DRFBENCH_BENCHMARKS=ON
	@cmake --build $(BUILD) --parallel $(JOBS) --target rfbench_benchmark
	@$(BUILD)/tests/benchmark/rfbench_benchmark

bench-peers: in_place setup
	@$(CONFIGURE) -DRFBENCH_BENCHMARKS=ON
	@cmake --build $(BUILD) --parallel $(JOBS) --target rfbench_peers
	@$(PYTHON) tests/benchmark/peers/peers.py $(BUILD)/tests/benchmark/rfbench_peers

bench-python: in_place setup
	@$(CONFIGURE) >$(if $(V),/dev/stdout,/dev/null)
	@cmake --build $(BUILD) --parallel $(JOBS) --target rfbench_python
	@PYTHONPATH=$(BUILD)/python $(PYTHON) tests/benchmark/peers/package.py

bench-scale: in_place setup
	@$(CONFIGURE) -DRFBENCH_BENCHMARKS=ON
	@cmake --build $(BUILD) --parallel $(JOBS) --target rfbench_scale
	@$(BUILD)/tests/benchmark/rfbench_scale

# Whatever PRESET is, packages have programs and, where it can be built, the Python package for several levels of x86-64.
package:
	@sh cmake/setup.sh package
	@$(MAKE) build PRESET=package
	@CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) cmake --build build/package
	@cd build/package && rm -f *.deb && cpack
	@sh tests/installed/packages.sh build/package

# A Python finds the package where it is built, by a path file: edits are seen at once, and nothing that Debian or pip
# manages is touched. It is the user's; in an environment (PYTHON=venv/bin/python), that of the environment.
python: in_place setup
	@$(CONFIGURE) >$(if $(V),/dev/stdout,/dev/null)
	@cmake --build $(BUILD) --parallel $(JOBS) --target rfbench_wheel
	@set -e; site=$$($(PYTHON) -c 'import site, sys, sysconfig; print(site.getusersitepackages() if sys.prefix == sys.base_prefix \
	    else sysconfig.get_path("purelib"))'); mkdir -p "$$site"; file="$$site/rfbench.pth"; own="$$PWD/$(BUILD)/python"; \
	if [ -s "$$file" ] && [ "$$(cat "$$file")" != "$$own" ]; then echo "python: until now it was $$(cat "$$file")"; fi; \
	echo "$$own" >"$$file"; echo "python: 'import rfbench' finds $$own, by $$file (remove it to undo that)"

clean:
	rm -rf build
