"""A speaker whose answers are written down beforehand: what a room's code makes of them is what is tested."""

import json
import re

from pydantic import BaseModel

from graphforge.llm import Prompt, Reply, Usage


class Spoken:
    """Gives its answers one by one: dicts for ``ask``, texts for ``say``, exceptions to raise. Keeps the prompts."""

    role = "builder"
    sees = False

    def __init__(self, *answers: object):
        self._answers = list(answers)
        self.prompts: list[Prompt] = []

    async def say(self, prompt: Prompt) -> Reply:
        return Reply(
            text=str(self._next(prompt)),
            calls=(),
            finish="stop",
            usage=Usage(input=1, cached=0, output=1),
            cost=None,
            key="0" * 64,
            from_ledger=False,
        )

    async def ask(self, prompt: Prompt, answer: type[BaseModel], *, hear=None) -> BaseModel:
        # By way of JSON, as a real answer comes.
        return answer.model_validate_json(json.dumps(self._next(prompt)))

    def _next(self, prompt: Prompt) -> object:
        self.prompts.append(prompt)
        answer = self._answers.pop(0)
        if callable(answer):
            answer = answer(prompt)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    @property
    def left(self) -> int:
        return len(self._answers)


FENCE = re.compile(r"<<<data (\w{16}) [^\n]*>>>\n(.*?)\n<<<end \1>>>", re.S)


def outside_fences(text: str) -> str:
    """What of a prompt's text is ours: everything that stands in no data block."""
    return FENCE.sub("", text)
