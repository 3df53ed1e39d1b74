# Two commands do all set-up on a fresh machine: `make demo` and `make test`. Both may be repeated.
.PHONY: help setup build demo test check clean
CARGO ?= cargo

help: ## what there is
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST)

setup: ## install what is missing (Debian packages, the SMT solver from its registry sources)
	@command -v $(CARGO) >/dev/null || { echo "Spelunk needs Rust (cargo 1.95 or newer): install it with rustup or your distribution, then run make again." >&2; exit 1; }
	@scripts/packages
	@$(CARGO) xtask bitwuzla

build: setup ## build target/release/spelunk
	@$(CARGO) build --release --workspace

demo: build ## run the main job on a real C library from Debian and show its report
	@scripts/demo

test: build ## run all tests
	@if $(CARGO) nextest --version >/dev/null 2>&1; then $(CARGO) nextest run --workspace --no-fail-fast; \
	else $(CARGO) test --workspace --no-fail-fast; fi

check: ## formatting, lints, docs, architecture (what CI does after the tests)
	@scripts/check

clean: ## remove build results (the cache of compiled third-party code stays)
	@$(CARGO) clean
