# Every target makes the environment it needs; the first run downloads the packages.
PYTHON ?= python3
BIN := .venv/bin
TRAIN := .venv-train/bin

.PHONY: demo test lint shots pictures bench explore monkey soak train-smoke android-check pi arm64 clean

demo: .venv/.stamp
	$(BIN)/companion demo

# Two processes, each with whole files: scenes in windows leave a core idle half of the time.
test: .venv/.stamp lint
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

lint: .venv/.stamp
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports

shots: .venv/.stamp
	$(BIN)/python -m mobile.shots build/shots

# The README's pictures: some of those shots, and the demo as an animation.
pictures: shots
	$(BIN)/python -m mobile.readme_pictures build/shots mobile/pictures

bench: .venv/.stamp
	$(BIN)/companion bench

# The suite with examples drawn anew by each run.
explore: .venv/.stamp
	EXPLORE=1 $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# Two thousand touches a game; a few minutes of processor time each.
monkey: .venv/.stamp
	MONKEY=2000 $(BIN)/python -m pytest tests/mobile/test_window.py -k monkey

soak: .venv/.stamp
	SOAK_EVENTS=100000 $(BIN)/python -m pytest -s -m soak
	$(BIN)/python -m tests.companion.journal.kill --count 300

train-smoke: .venv-train/.stamp
	$(TRAIN)/python -m models.train --smoke

android-check: .venv/.stamp
	$(BIN)/python -m mobile.android.check

pi: .venv/.stamp
	sh mobile/pi/install.sh

arm64:
	sh mobile/pi/arm64.sh

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .venv .venv-train

.venv/.stamp: pyproject.toml .ci/venv
	PYTHON=$(PYTHON) sh .ci/venv .venv dev,print

.venv-train/.stamp: pyproject.toml .ci/venv
	PYTHON=$(PYTHON) sh .ci/venv .venv-train train
