# Every target makes the environment it needs; the first run downloads the packages.
PYTHON ?= python3
BIN := .venv/bin
TRAIN := .venv-train/bin
# Tests that need no window; another choice: make test-lowest TESTS=tests/vision
TESTS ?= tests
# Many tests start processes, each of which would compile everything anew.
export PYTHONDONTWRITEBYTECODE =
WINDOWLESS = -m pytest -m "not ui and not browser" $(TESTS)

.PHONY: demo demo-phones taps test test-slow test-all test-lowest test-headless lint shots pictures bench explore monkey soak train-smoke android-check pi arm64 clean

demo: .venv/.stamp
	$(BIN)/companion demo

# The clip with a page for each player: in a browser here, or by QR codes on phones.
demo-phones: .venv/.stamp
	$(BIN)/companion demo --phones

# One process more than there are processors: some test always waits for a browser or a clock.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(os.cpu_count() + 1)')
# Each takes whole files.
PARALLEL = -m pytest -rs -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=12

# What a change is tried with; CI runs the slow ones too.
test: .venv/.stamp lint
	$(BIN)/python $(PARALLEL) -m "not slow"

# Films, monkeys and kills in windows and browsers.
test-slow: .venv/.stamp
	$(BIN)/python $(PARALLEL) -m slow

test-all: test test-slow

# The suite without windows under the lowest versions that pyproject.toml allows, and with the
# newest OpenCV 4.12 that has no windows (Android's version).
test-lowest: .venv-lowest/.stamp
	.venv-lowest/bin/python .ci/lowest.py --check
	.venv-lowest/bin/python $(WINDOWLESS)

test-headless: .venv-headless/.stamp
	.venv-headless/bin/python $(WINDOWLESS)

lint: .venv/.stamp
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports
	sh .ci/scripts

shots: .venv/.stamp
	$(BIN)/python -m mobile.tools.shots build/shots

# The README's pictures: some of those shots, and the demo as an animation.
pictures: shots
	$(BIN)/python -m mobile.tools.readme_pictures build/shots mobile/pictures
	$(BIN)/python -m tests.mobile.seats.looks --picture mobile/pictures/seats.png

bench: .venv/.stamp
	$(BIN)/companion bench

# How many touches what people do takes, beside the goals.
taps: .venv/.stamp
	$(BIN)/python -m tests.mobile.taps

# The suite with examples drawn anew by each run.
explore: .venv/.stamp
	EXPLORE=1 $(BIN)/python $(PARALLEL)

# Two thousand touches a game, in the app and on the pages; some minutes of processor time each.
monkey: .venv/.stamp
	MONKEY=2000 $(BIN)/python -m pytest tests/mobile -k monkey

soak: .venv/.stamp
	SOAK_EVENTS=100000 $(BIN)/python -m pytest -s -m soak
	$(BIN)/python -m tests.companion.journal.kill --count 300
	nice -n 10 $(BIN)/python -m tests.mobile.seats.kills --count 300

# The whole path with next to nothing to learn, and then killed and continued.
train-smoke: .venv-train/.stamp
	$(TRAIN)/python -m models.train --smoke
	$(TRAIN)/python -m tests.models.training.kills

android-check: .venv/.stamp
	$(BIN)/python -m mobile.android.check

# It makes .venv by itself, with the system's packages in sight.
pi:
	sh mobile/pi/install.sh

arm64:
	sh mobile/pi/arm64.sh

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .venv .venv-train \
		.venv-lowest .venv-headless .venv-android

.venv/.stamp: pyproject.toml .ci/venv
	PYTHON=$(PYTHON) sh .ci/venv .venv dev,host,print

.venv-train/.stamp: pyproject.toml .ci/venv
	PYTHON=$(PYTHON) sh .ci/venv .venv-train train

.venv-lowest/.stamp: pyproject.toml .ci/venv .ci/lowest.py
	mkdir -p build
	$(PYTHON) .ci/lowest.py > build/lowest.txt
	PIP_CONSTRAINT=$(CURDIR)/build/lowest.txt PYTHON=$(PYTHON) sh .ci/venv .venv-lowest dev,host,print

# One OpenCV takes the other's place: never both.
.venv-headless/.stamp: pyproject.toml .ci/venv
	PYTHON=$(PYTHON) sh .ci/venv .venv-headless dev,host,print
	.venv-headless/bin/python -m pip uninstall -q -y opencv-python
	.venv-headless/bin/python -m pip install -q --disable-pip-version-check \
		opencv-python-headless==4.12.0.88
	touch $@
