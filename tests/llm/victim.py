"""A program that gets killed: it asks many questions, and a child of it at a time is shot at random moments.

    python victim.py BASE LEDGER DONE ROWS KILLS SEED

litellm is imported once, by the parent; each child is a process of its own that opens the ledger anew. DONE gets a line
for each row whose reply a child has had in its hands. The last child is left in peace.
"""

import asyncio
import os
import random
import signal
import sys
import time
from pathlib import Path

from speaking import limits, model, question, settings

from graphforge.llm import Client, flow
from graphforge.llm.provider import library

AT_ONCE = 12


async def work(base: str, ledger: Path, done: Path, rows: int) -> None:
    given = settings(ledger, limits=limits(concurrency=AT_ONCE))
    handle = os.open(done, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    async with Client({"judge": model(base)}, given) as client:
        judge = client.role("judge")

        async def one(row: int) -> None:
            reply = await judge.say(question(f"row {row}"))
            assert reply.text == f"answer to row {row}"
            os.write(handle, f"{row}\n".encode())

        async for _ in flow(range(rows), one, AT_ONCE):
            pass


def main(base: str, ledger: Path, done: Path, rows: int, kills: int, seed: int) -> None:
    library()
    chance = random.Random(seed)
    for number in range(kills + 1):
        child = os.fork()
        if not child:
            asyncio.run(work(base, ledger, done, rows))
            os._exit(0)
        if number < kills:
            time.sleep(chance.uniform(0.02, 0.4))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        print(status, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), *map(int, sys.argv[4:7]))
