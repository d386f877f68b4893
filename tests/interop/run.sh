#!/bin/sh
# Install each tool in an environment of its own, have it write its files, and test the import.
# Usage: run.sh PYTHON
set -eu
python=$1
here=$(cd "$(dirname "$0")" && pwd)
exports=$here/../importing/tools/exports
place=$here/../../.interop

tool() { # NAME PACKAGES: write_NAME.py with these packages
    name=$1
    shift
    [ -x "$place/$name/bin/python" ] || "$python" -m venv "$place/$name"
    "$place/$name/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
    "$place/$name/bin/python" "$here/write_$name.py" "$exports"
}

tool inspect inspect-ai==0.3.285
tool mlflow mlflow-skinny==3.17.2 sqlalchemy alembic pandas
tool deepeval deepeval==4.3.1
tool phoenix arize-phoenix-client==3.5.0 pandas
tool langfuse langfuse==5.0.4
tool langsmith langsmith==0.15.1
tool open_telemetry opentelemetry-exporter-otlp-json-file==0.66b1
tool argilla argilla==2.8.0 requests
tool label_studio label-studio==1.23.2 label-studio-sdk==2.1.2
# promptfoo needs Node 22.22 or newer, which the package `node` brings.
npm install --silent --no-audit --no-fund --prefix "$place/promptfoo" node@22 promptfoo@0.123.1
PATH=$place/promptfoo/node_modules/.bin:$PATH "$python" "$here/write_promptfoo.py" "$exports"

env OPENBLAS_NUM_THREADS=1 "$python" -m pytest -q "$here/../importing/tools"
