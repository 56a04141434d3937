.DEFAULT_GOAL := run
.PHONY: run reset openapi up down logs test lint type format lock .venv
PORT ?= 8080
ARGS ?=
PYTHON := .venv/bin/python
EXPORT := .venv/bin/uv export --quiet --frozen --format requirements-txt --no-emit-workspace --no-header --no-annotate

IMAGE_EXPORT := $(EXPORT) --no-default-groups

run: ## start the whole platform on http://localhost:$(PORT)
	@tools/bootstrap runtime
	@exec $(PYTHON) -m standalone run --port $(PORT) --data-dir .data

reset: ## forget all data
	@tools/bootstrap runtime
	@exec $(PYTHON) -m standalone reset --data-dir .data

openapi: .venv ## write the OpenAPI documents
	@$(PYTHON) -m standalone openapi

up: ## start the distributed shape with docker compose
	@tools/make_env
	@docker compose up --build --detach --wait
	@docker compose logs --no-log-prefix demo | grep -v '^{' || true

down: ## stop it; make down ARGS=--volumes forgets all data
	@docker compose down $(ARGS)

logs: ## make logs SERVICE=mlpcore
	@docker compose logs --follow --tail 200 $(SERVICE)

test: .venv ## make test ARGS="-k keys"
	@.venv/bin/pytest -n 2 --dist loadfile $(ARGS)

lint: .venv ## every check; make lint ARGS=sizes for one
	@$(PYTHON) tools/lint.py $(ARGS)

type: .venv
	@$(PYTHON) tools/lint.py types

format: .venv
	@.venv/bin/ruff check --fix-only --quiet && .venv/bin/ruff format --quiet

lock: .venv ## after a change of dependencies
	@.venv/bin/uv lock
	@$(EXPORT) --only-group build --output-file requirements/build.txt
	@$(EXPORT) --no-default-groups --output-file requirements/runtime.txt
	@$(EXPORT) --all-packages --output-file requirements/dev.txt
	@for name in accountsadmin mlpcore mlpgateway mlpbilling; do \
		$(IMAGE_EXPORT) --extra distributed --package mlplace-$$name --output-file requirements/images/$$name.txt; done
	@$(IMAGE_EXPORT) --package mlplace-agent --package mlplace-examples --output-file requirements/images/agent.txt
	@$(IMAGE_EXPORT) --extra distributed --package mlplace-accountsadmin --package mlplace-mlpcore \
		--package mlplace-mlpgateway --package mlplace-mlpbilling --output-file requirements/images/tools.txt

.venv:
	@tools/bootstrap dev
