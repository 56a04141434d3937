"""A fake NVML library, and a fake nvidia-smi. Both describe the GPUs in the file that MLP_FAKE_GPUS names.

A line per GPU: id;model;MiB of memory;MiB used;percent used;id of its MIG part or -. A line `hang` blocks, and a line
`lost` is a GPU that does not answer.
"""

import shutil
import subprocess
import sys
from pathlib import Path

_NVML = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { ROWS = 64 };
struct row { char id[96], model[96], part[96]; unsigned long long total, used; unsigned percent; int lost, is_part; };
static struct row rows[ROWS], parts[ROWS];
static unsigned count(void) {
  char line[512]; unsigned n = 0;
  FILE *file = fopen(getenv("MLP_FAKE_GPUS"), "r");
  if (!file) exit(99);
  while (n < ROWS && fgets(line, sizeof line, file)) {
    struct row *r = &rows[n];
    memset(r, 0, sizeof *r);
    if (!strncmp(line, "hang", 4)) for (;;) pause();
    if (!strncmp(line, "lost", 4)) { r->lost = 1; n++; continue; }
    if (sscanf(line, "%95[^;];%95[^;];%llu;%llu;%u;%95[^;\n]", r->id, r->model, &r->total, &r->used, &r->percent,
               r->part) == 6) n++;
  }
  fclose(file);
  return n;
}
int nvmlInit_v2(void) { return getenv("MLP_FAKE_NO_DRIVER") ? 9 : 0; }
int nvmlDeviceGetCount_v2(unsigned *n) { *n = count(); return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device) {
  *device = &rows[i];
  return rows[i].lost ? 15 : 0;
}
int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *next) {
  *now = *next = strcmp(((struct row *)device)->part, "-") != 0;
  return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *n) { *n = 2; return 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned i, void **part) {
  struct row *r = device, *p = &parts[r - rows];
  if (i != 1) return 6;
  *p = *r;
  strcpy(p->id, r->part);
  p->total /= 2;
  p->is_part = 1;
  *part = p;
  return 0;
}
static int copy(const char *from, char *to, unsigned n) {
  if (strlen(from) >= n) return 7;
  strcpy(to, from);
  return 0;
}
int nvmlDeviceGetUUID(void *device, char *to, unsigned n) { return copy(((struct row *)device)->id, to, n); }
int nvmlDeviceGetName(void *device, char *to, unsigned n) { return copy(((struct row *)device)->model, to, n); }
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long *to) {
  struct row *r = device;
  to[0] = r->total << 20; to[1] = (r->total - r->used) << 20; to[2] = r->used << 20;
  return 0;
}
int nvmlDeviceGetUtilizationRates(void *device, unsigned *to) {
  struct row *r = device;
  to[0] = r->percent; to[1] = 0;
  return r->is_part ? 3 : 0;
}
"""
_SMI = """#!{python} -IS
import os, sys, time
if os.environ.get("MLP_FAKE_NO_DRIVER"):
    sys.exit("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.")
fields = next(a for a in sys.argv if a.startswith("--query-gpu=")).partition("=")[2].split(",")
for line in open(os.environ["MLP_FAKE_GPUS"]):
    if line.startswith("hang"):
        time.sleep(600)
    if line.startswith("lost"):
        continue
    uuid, name, total, used, percent, part = line.strip().split(";")
    known = {{"uuid": uuid, "name": name, "memory.total": total, "memory.used": used, "utilization.gpu": percent,
             "mig.mode.current": "[N/A]" if part == "-" else "Enabled"}}
    print(", ".join(known[field] for field in fields))
"""


def build_nvml(folder: Path) -> None:
    """Compiles the library into the folder, for the loader's search path."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise RuntimeError("the tests of GPUs need a C compiler")
    target = str(folder / "libnvidia-ml.so.1")
    subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", target], input=_NVML.encode(), check=True)


def write_smi(folder: Path) -> None:
    """Writes the command into the folder, for PATH."""
    command = folder / "nvidia-smi"
    command.write_text(_SMI.format(python=sys.executable))
    command.chmod(0o755)
