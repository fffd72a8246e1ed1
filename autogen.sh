#!/bin/sh
# Make configure from a clean clone.
set -e
cd "$(dirname "$0")"
mkdir -p build-aux
exec autoreconf -fi
