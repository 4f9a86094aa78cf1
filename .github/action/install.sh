#!/usr/bin/env bash
# Installs grpo-lint from this checkout into an environment of its own below $RUNNER_TEMP, once for each checkout and
# job, and names its Python in $GITHUB_OUTPUT. $GRPO_LINT_PYTHON is the Python to use; if it is empty, one is sought.
set -euo pipefail

# The job's own: they would lead into its packages.
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

can_serve() {
    "$1" -I -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1
}

find_python() {
    local name
    if [ -n "${GRPO_LINT_PYTHON:-}" ]; then
        printf '%s\n' "$GRPO_LINT_PYTHON"
        return
    fi
    for name in python3 python python3.14 python3.13 python3.12 python3.11 python3.10; do
        if can_serve "$name"; then
            printf '%s\n' "$name"
            return
        fi
    done
    printf '::error title=grpo-lint::%s\n' \
        "No Python 3.10 or newer with venv and pip here: set the input python-version of this action" >&2
    return 1
}

python_of() {
    if [ -d "$1/Scripts" ]; then printf '%s\n' "$1/Scripts/python.exe"; else printf '%s\n' "$1/bin/python"; fi
}

home="$RUNNER_TEMP/grpo-lint-$(printf '%s' "$checkout" | cksum | cut -d ' ' -f 1)"
if [ ! -e "$home/ready" ]; then
    python=$(find_python)
    "$python" -I -m venv --clear "$home"
    "$(python_of "$home")" -I -m pip install --quiet --disable-pip-version-check "$checkout"
    : >"$home/ready"
fi
printf 'python=%s\n' "$(python_of "$home")" >>"$GITHUB_OUTPUT"
