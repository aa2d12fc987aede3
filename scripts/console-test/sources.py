"""The console's modules as the server sends them: without their comments. As Sources/Server/Console/ConsoleSource.swift does it.

    python3 sources.py FROM TO        writes the modules of a folder to another one"""

import re
import sys
from pathlib import Path

COMMENTS = re.compile(rb"(?m:^[ \t]*//[^\n]*$)|/\*\*(?s:.*?)\*/ ?")


def without_comments(module):
    return COMMENTS.sub(lambda match: b"\n" * match[0].count(b"\n"), module) if module.startswith(b"// ") else module


if __name__ == "__main__":
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    for path in source.rglob("*.js"):
        into = target / path.relative_to(source)
        into.parent.mkdir(parents=True, exist_ok=True)
        into.write_bytes(without_comments(path.read_bytes()))
