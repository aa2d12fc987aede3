"""What every scenario works with: the binary, the tools, the filled stores."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from . import machine
from .servers import Syncline

FIRST = b'{"query":"{ __typename }"}'


class Bench:
    def __init__(self, names):
        self.folder = Path(__file__).resolve().parent.parent
        self.root = self.folder.parent
        self.work = Path(os.environ.get("BENCH_DATA", self.root / ".build/benchmarks"))
        self.work.mkdir(parents=True, exist_ok=True)
        for stale in self.work.glob("*.bodies"), self.work.glob("*.requests"), self.work.glob("*.log"):
            for file in stale:
                file.unlink()
        self.rounds = int(os.environ.get("ROUNDS", 5))
        self.seconds = int(os.environ.get("SECONDS", 3))
        self.binary = Path(os.environ.get("BINARY") or self.build())
        self.micro = self.build("Micro", self.folder / "Micro") if "steps" in names else None
        self.bodies = self.build("Bodies", self.folder / "Micro") if "bodies" in names else None

    def build(self, product="syncline", package=None):
        print(f"Building {product} for release …", flush=True)
        package = package or self.root
        subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=package, check=True)
        return package / ".build/release" / product

    def tool(self, name):
        """A program or a library to preload, compiled when its source is newer."""
        source = self.folder / "tools" / f"{name}.c"
        result = self.work / name
        if not result.exists() or result.stat().st_mtime < source.stat().st_mtime:
            kind = [] if name in ("load", "subscribe", "fanout", "clock") else ["-shared", "-fPIC"]
            subprocess.run(["cc", "-O2", "-Wall", *kind, "-o", str(result), str(source), "-ldl"], check=True)
        return result

    def new_folder(self, name):
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        return folder

    def start(self, data, core=machine.SERVER_CORE, **options):
        server = Syncline(self, data, core, **options)
        server.ask_until_ready(FIRST)
        return server

    def store(self, items):
        """A data folder with so many items, for reading; made once per schema and binary's table layout."""
        folder = self.work / f"store-{items}"
        stamp, sources = folder / "filled", [self.folder / "schema.graphql", self.folder / "fill.sql"]
        if stamp.exists() and all(stamp.stat().st_mtime > source.stat().st_mtime for source in sources):
            return folder / "data"
        print(f"Filling a store with {items:,} items …", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        with self.start(folder / "data"):
            pass
        script = f".parameter init\n.parameter set @items {items}\n" + (self.folder / "fill.sql").read_text()
        subprocess.run(["sqlite3", "-bail", str(self.database(folder / "data"))], input=script, text=True, check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        stamp.touch()
        return folder / "data"

    def copy(self, items, name):
        """A copy of a filled store, for writing."""
        folder = self.new_folder(name)
        shutil.copytree(self.store(items), folder)
        return folder

    def clock(self):
        """Gigahertz of the server's core at this moment."""
        command = machine.pinned(machine.SERVER_CORE, [str(self.tool("clock"))])
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    @staticmethod
    def database(data):
        return max(data.glob("*.sqlite"), key=lambda file: file.stat().st_size)

    def wait_for_quiet_disk(self):
        """What one contender wrote is not the next one's burden."""
        os.sync()
        time.sleep(0.1)
