.DEFAULT_GOAL := run
.PHONY: run reset package images release openapi up down logs resilience chaos test proofs proof lint type fix format lock .venv
PORT ?= 8080
# Set only from make's command line: some shells export HOST, which must not open the platform to the network.
HOST_OPTION := $(if $(findstring command,$(origin HOST)),--host $(HOST))
GRPC_PORT_OPTION := $(if $(GRPC_PORT),--grpc-port $(GRPC_PORT))
ARGS ?=
PYTHON := .venv/bin/python
# Three workers leave a third of two cores idle, because tests wait. Each costs about 30 s of processor time for imports,
# a database server and containers.
TEST_WORKERS ?= 4
# In seconds, on two cores; it is printed beside what the tests took.
TEST_BUDGET_SECONDS := 660
# Some systems set PYTHONDONTWRITEBYTECODE. Then each start, and each process of a test, would compile all modules again.
run test proof attacks: export PYTHONDONTWRITEBYTECODE =
EXPORT := .venv/bin/uv export --quiet --frozen --format requirements-txt --no-emit-workspace --no-header --no-annotate

IMAGE_EXPORT := $(EXPORT) --no-default-groups

run: ## start the whole platform on http://localhost:$(PORT)
	@tools/frontend possible
	@tools/frontend run & tools/bootstrap runtime && wait $$!
	@exec $(PYTHON) -m standalone run $(HOST_OPTION) --port $(PORT) $(GRPC_PORT_OPTION) --data-dir .data

reset: ## delete all data
	@tools/bootstrap runtime
	@exec $(PYTHON) -m standalone reset --data-dir .data

package: ## build dist/mlplace-*.whl for pip: the whole platform, its web interface and the SDK
	@tools/frontend build
	@tools/bootstrap runtime
	@$(PYTHON) tools/build_wheel.py dist

images: ## build the images of the platform; needs no .env, since building takes nothing from it
	@docker compose --file docker-compose.yml --env-file .env.example build $(ARGS)

release: ## dist/release: wheel, packed chart, bills of materials, ids of images, checksums
	@tools/frontend build
	@tools/bootstrap runtime
	@$(PYTHON) tools/release.py dist/release

openapi: .venv ## write the OpenAPI documents and the generated client of the web interface
	@$(PYTHON) -m standalone openapi
	@tools/frontend packages && npm --prefix frontend run --silent api >/dev/null

up: ## start the distributed shape with docker compose
	@tools/make_env
	@docker compose up --build --detach --wait
	@docker compose run --rm --no-deps -T demo python -m standalone.installation demo-running

down: ## stop it; make down ARGS=--volumes deletes all data
	@docker compose down $(ARGS)

logs: ## make logs SERVICE=mlpcore
	@docker compose logs --follow --tail 200 $(SERVICE)

resilience: .venv ## kill each container of what `make up` started, under load; only for installations whose data does not matter
	@mkdir -p .data && docker compose cp agent:/var/lib/mlplace/demo.json .data/demo.json
	@tests/resilience/run.sh . $$(docker compose port edge 8080 | sed 's/.*://') $(ARGS)

chaos: up resilience ## both

test: .venv ## all tests but the proofs; make test ARGS="-k keys", with ARGS also of the proofs
	@tools/frontend packages
	@exec $(PYTHON) tools/run_tests.py $(if $(ARGS),pytest,all) -n $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder \
		--durations 20 --budget $(TEST_BUDGET_SECONDS) $(if $(ARGS),,--no-proofs -p no:schemathesis) $(ARGS)

proofs: ## what takes too long for every commit (tools/proofs.toml), at full size; make proofs ARGS=crashes
	@.ci/run --proofs $(ARGS)

proof: .venv ## one of them, in small, on what is installed here; make proof NAME=crashes ARGS="-k local"
	@$(PYTHON) tools/proofs.py run $(NAME) $(ARGS)

attacks: .venv ## hostile callers beside a harmless one, against a platform of its own; make attacks ARGS="-k heads"
	@$(PYTHON) tools/proofs.py run attacks -p no:cacheprovider $(ARGS)

.PHONY: advisories attacks fuzz bench soak settlement chart
fuzz: .venv ## tests with random input, longer and with a new seed each time; make fuzz ARGS="-k ledger"
	@MLP_FUZZ=1 .venv/bin/pytest --quiet -m fuzz $(ARGS)

bench: .venv ## measure; make bench ARGS="calls --rounds 9", ARGS=--check, ARGS=--write-docs
	@$(PYTHON) -m benchmarks $(ARGS)

soak: .venv ## ten minutes of mixed load that must not leak resources; make soak ARGS="--minutes 2 --leak tasks"
	@$(PYTHON) -m tests.soak $(ARGS)

chart: .venv ## write the table of values in the chart's README and test the chart; needs Helm, and asks a cluster if there is one
	@$(PYTHON) tools/chart_values.py
	@$(PYTHON) tools/run_tests.py pytest --quiet -n 2 --dist loadfile tests/chart $(ARGS)

settlement: .venv ## write the table of docs/settlement.md from tests/settlement/table.py
	@$(PYTHON) -m tests.settlement.document

advisories: .venv ## known vulnerabilities of the dependencies; each night, since they appear without a change
	@$(PYTHON) tools/audit_dependencies.py --advisories

lint: .venv ## all checks; make lint ARGS=sizes for one
	@$(PYTHON) tools/lint.py $(ARGS)

type: .venv
	@$(PYTHON) tools/lint.py types

fix: .venv ## make every generated file anew and say what is left to do by hand
	@tools/frontend packages
	@$(PYTHON) tools/fix.py

format: .venv
	@.venv/bin/ruff check --fix-only --quiet && .venv/bin/ruff format --quiet
	@tools/frontend packages && npm --prefix frontend run --silent format

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
	@cd tests/clients/requirements && for name in *.in; do $(CURDIR)/.venv/bin/uv pip compile --quiet --universal \
		--python-version 3.11 --no-header --no-annotate --generate-hashes --only-binary :all: \
		$$name --output-file $${name%.in}.txt; done

.venv:
	@tools/bootstrap dev
