"""All models of a run behind their roles: the ledger first, then the provider, within limits and budget.

::

    async with Client(config.models, config.llm) as client:
        judge = client.role("judge")
        reply = await judge.say(prompt)
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal

from pydantic import BaseModel

from ..errors import ConfigError
from ..records import Record
from .answer import read, usable
from .failures import AnswerError, ProviderError
from .forecast import Expected, Forecast, forecast
from .ledger import Answer, Asked, Estimate, Granted, Ledger, Spent
from .local import LocalModel, LocalServer
from .model import Limits, Model, NoModel, Prices
from .pace import Pace
from .prices import Tariffs, cost, price_of
from .prompt import Prompt
from .provider import Failure, Raw, complete, library
from .repair import again, faults
from .reply import Reply, Usage
from .request import Request
from .settings import LlmSettings
from .speaker import Speaker, T
from .structured import form, parse

_MOST_BACKOFF = 60.0
_FIRST_POLL, _LAST_POLL = 0.02, 1.0


class Heard(Record):
    """A call as it went, for whoever watches: nothing of what was said, and nothing secret."""

    role: str
    stage: str
    purpose: str
    model: str
    key: str
    outcome: Literal["answer", "failure"]
    reason: str
    started: float
    seconds: float
    usage: Usage
    cost: float | None


Watch = Callable[[Heard], None]


@dataclass
class _Flight:
    """A request at work, for all who wait for its answer. ``sent``: it may cost something by now."""

    task: asyncio.Task[Answer] | None = None
    waiters: int = 0
    sent: bool = False


class Client:
    """Opened once a stage. ``watch`` is told of every call of a provider.

    Entering raises ConfigError where a model's key is not set, InputError or StorageError where the ledger can't be
    used. On leaving, calls that are already sent are waited for, because they are paid.
    """

    def __init__(
        self, models: Mapping[str, Model | NoModel], settings: LlmSettings, watch: Watch | None = None
    ):
        self._models = dict(models)
        self._settings = settings
        self._watch = watch
        self._stack = contextlib.AsyncExitStack()
        self._flights: dict[str, _Flight] = {}
        self._paces: dict[tuple[str, str | None], Pace] = {}
        self._tariffs: dict[tuple[str, Prices | None, bool], Tariffs] = {}
        self._servers: dict[LocalModel, LocalServer] = {}
        self._starting = asyncio.Lock()
        self._ledger: Ledger | None = None

    async def __aenter__(self) -> "Client":
        if self._settings.mode != "replay":
            for model in self._models.values():
                if isinstance(model, Model):
                    model.key()
        self._ledger = self._stack.enter_context(Ledger.open(self._settings.ledger, self._settings.mode))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.settle()
        finally:
            await self._stack.aclose()
            if library.cache_info().currsize:
                await library().close_litellm_async_clients()
                library().in_memory_llm_clients_cache.flush_cache()

    async def settle(self) -> None:
        """Waits for the calls at work: those already sent are paid, and are kept."""
        tasks = [flight.task for flight in self._flights.values() if flight.task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def ledger(self) -> Ledger:
        """The open ledger."""
        assert self._ledger is not None, "the client is not open"
        return self._ledger

    def role(self, name: str) -> Speaker:
        """The model of a role; ConfigError where it has none."""
        model = self._models.get(name)
        if not isinstance(model, Model):
            raise ConfigError(
                f"models.{name} is none, and a step needs a model for it",
                f"Choose one (llm@models.{name}=openai), or steps that need no model",
            )
        return _RoleSpeaker(self, name, model)

    def forecast(self, expected: Sequence[Expected]) -> tuple[Forecast, ...]:
        """What the run is expected to use, by stage and role."""
        return forecast(expected, self._models, self.ledger, self._settings.run)

    def spent(self) -> tuple[Spent, ...]:
        """What the run has used up so far, by role and stage."""
        return self.ledger.spent(self._settings.run)

    async def reply(
        self, role: str, model: Model, prompt: Prompt, schema: dict[str, Any] | None, final: bool
    ) -> Reply:
        """The recorded reply to a prompt, or a new one."""
        request = Request.of(prompt, model, schema, final)
        asked = Asked(run=self._settings.run, role=role, stage=prompt.stage, purpose=prompt.purpose)
        answer, recorded = await self._answer(request, model, asked)
        return read(answer, request.key, prompt, request.emulated, recorded)

    async def _answer(self, request: Request, model: Model, asked: Asked) -> tuple[Answer, bool]:
        """The answer, and whether it cost nothing."""
        if (found := self.ledger.find(request.key)) is not None:
            return found, True
        if self._settings.mode == "replay":
            return self.ledger.require(request.key, asked, model.name), True
        flight = self._flights.get(request.key)
        first = flight is None
        if flight is None:
            flight = self._flights[request.key] = _Flight()
            flight.task = asyncio.create_task(self._fetch(request, model, asked, flight))
            flight.task.add_done_callback(lambda task: self._land(request.key, task))
        assert flight.task is not None
        flight.waiters += 1
        try:
            # Who gives up waiting doesn't stop a call that is already paid for.
            return await asyncio.shield(flight.task), not first
        finally:
            flight.waiters -= 1
            if not flight.waiters and not flight.sent:
                flight.task.cancel()

    def _land(self, key: str, task: asyncio.Task[Answer]) -> None:
        del self._flights[key]
        if not task.cancelled():
            task.exception()

    async def _fetch(self, request: Request, model: Model, asked: Asked, flight: _Flight) -> Answer:
        """The answer after as many attempts as it takes and the limits allow."""
        # Its import takes seconds: not while a claim or a slot is held.
        if not library.cache_info().currsize:
            await asyncio.to_thread(library)
        limits = model.limits or self._settings.limits
        pace = self._pace(model, limits)
        attempt = 1
        while True:
            outcome = await self._attempt(request, model, asked, flight, pace, limits)
            if isinstance(outcome, Answer):
                return outcome
            wait = outcome.retry_after
            if wait is None:
                wait = min(_MOST_BACKOFF, limits.backoff * 2 ** (attempt - 1)) * random.uniform(0.5, 1.5)
            if (
                not outcome.transient
                or attempt >= limits.attempts
                or wait > limits.deadline
                or not flight.waiters
            ):
                raise _failure(outcome, model, asked, attempt)
            attempt += 1
            flight.sent = False
            await asyncio.sleep(wait)

    async def _attempt(
        self,
        request: Request,
        model: Model,
        asked: Asked,
        flight: _Flight,
        pace: Pace,
        limits: Limits,
    ) -> Answer | Failure:
        """One attempt, as soon as limits, budget and others who ask the same let it through."""
        estimate = Estimate(
            input=request.tokens,
            output=model.max_tokens,
            cost=cost(self._prices(model), Usage(input=request.tokens, cached=0, output=model.max_tokens)),
        )
        poll = _FIRST_POLL
        while True:
            async with pace.slot():
                claim = await self.ledger.claim(
                    request.key, request.body, model.name, asked, estimate, self._settings.budget
                )
                if isinstance(claim, Answer):
                    return claim
                if isinstance(claim, Granted):
                    return await self._call(request, model, asked, flight, pace, limits, estimate)
            await asyncio.sleep(poll)
            poll = min(_LAST_POLL, poll * 2)

    async def _call(
        self,
        request: Request,
        model: Model,
        asked: Asked,
        flight: _Flight,
        pace: Pace,
        limits: Limits,
        estimate: Estimate,
    ) -> Answer | Failure:
        """The call itself. The claim is given back and the outcome is in the ledger when this returns."""
        reserved = estimate.input + estimate.output
        began = time.monotonic()
        try:
            key, api_base = await self._access(model)
            began = await pace.start(reserved)
            flight.sent = True
            outcome = await complete(request.parameters, key, api_base, limits.deadline)
        except BaseException:
            # Cancelled, or a server of ours that doesn't start.
            self.ledger.failed(
                request.key, asked, time.monotonic() - began, "stopped", "", estimate if flight.sent else None
            )
            raise
        seconds = time.monotonic() - began
        if isinstance(outcome, Raw):
            answer = self._priced(outcome, model, request)
            pace.went_well(reserved, answer.usage.input + answer.usage.output)
            kept = await self.ledger.answered(request.key, asked, seconds, answer)
            self._tell(asked, model, request, began, seconds, "answer", "", answer.usage, answer.cost)
            return kept
        if outcome.reason == "rate_limit":
            pace.too_fast(began, min(outcome.retry_after or 0.0, limits.deadline))
        pace.came_to_nothing(reserved)
        assumed = estimate if outcome.maybe_billed else None
        await asyncio.shield(
            asyncio.wrap_future(
                self.ledger.failed(request.key, asked, seconds, outcome.reason, outcome.message, assumed)
            )
        )
        self._tell(
            asked,
            model,
            request,
            began,
            seconds,
            "failure",
            outcome.reason,
            Usage(input=0, cached=0, output=0),
            assumed.cost if assumed else 0.0,
        )
        return outcome

    def _tell(
        self,
        asked: Asked,
        model: Model,
        request: Request,
        began: float,
        seconds: float,
        outcome: Literal["answer", "failure"],
        reason: str,
        usage: Usage,
        price: float | None,
    ) -> None:
        if self._watch is None:
            return
        self._watch(
            Heard(
                role=asked.role,
                stage=asked.stage,
                purpose=asked.purpose,
                model=model.name,
                key=request.key,
                outcome=outcome,
                reason=reason,
                started=time.time() - (time.monotonic() - began),
                seconds=seconds,
                usage=usage,
                cost=price,
            )
        )

    def _priced(self, raw: Raw, model: Model, request: Request) -> Answer:
        text, usage = raw.text(), raw.usage
        if usage is None:
            # The provider didn't say: the estimate of the input, and the same for what it wrote.
            usage = Usage(input=request.tokens, cached=0, output=len(text.encode()) // 3)
        return Answer(raw=text, usage=usage, cost=cost(self._prices(model), usage))

    def _prices(self, model: Model) -> Tariffs:
        name = (model.name, model.prices, model.api_base is not None or model.serve is not None)
        if name not in self._tariffs:
            self._tariffs[name] = price_of(model)
        return self._tariffs[name]

    async def _access(self, model: Model) -> tuple[str | None, str | None]:
        """Key and address of a model; starts a server of ours the first time."""
        if model.serve is None:
            return model.key(), model.api_base
        async with self._starting:
            if (server := self._servers.get(model.serve)) is None:
                server = await asyncio.to_thread(self._stack.enter_context, model.serve.open())
                self._servers[model.serve] = server
        await asyncio.to_thread(server.check)
        return server.key, server.url

    def _pace(self, model: Model, limits: Limits) -> Pace:
        return self._paces.setdefault((model.name, model.api_base), Pace(limits))


class _RoleSpeaker:
    """The model of a role, as rooms see it."""

    def __init__(self, client: Client, role: str, model: Model):
        self.role = role
        self.sees = model.sees
        self._client = client
        self._model = model

    async def say(self, prompt: Prompt) -> Reply:
        return await self._client.reply(self.role, self._model, prompt, None, final=False)

    async def ask(self, prompt: Prompt, answer: type[T], *, hear: Callable[[Reply], None] | None = None) -> T:
        prompt, schema = form(prompt, answer, self._model)
        repairs = self._model.repairs
        while True:
            reply = await self._client.reply(self.role, self._model, prompt, schema, final=True)
            if hear is not None:
                hear(reply)
            usable(reply)
            found = parse(reply.text, answer)
            if isinstance(found, BaseModel):
                return found
            if not repairs:
                raise AnswerError(
                    "invalid",
                    f"The answer is no valid {answer.__name__} (request {reply.key[:12]}): {faults(found)[0][2:]}",
                    "Its words are in the ledger; choose a stronger model, or allow more repairs",
                )
            repairs -= 1
            prompt = again(prompt, reply.text, found)


def _failure(failure: Failure, model: Model, asked: Asked, attempts: int) -> AnswerError | ProviderError:
    where = f"{asked.stage}: {model.name} gave no answer to a {asked.purpose} question"
    if failure.reason == "refused":
        return AnswerError("refused", f"{where} ({failure.message})", "Choose another model")
    tried = f" after {attempts} attempts" if attempts > 1 else ""
    remedy = {
        "too_long": "Choose a model with a longer context, or settings that show it less",
        "quota": "Top up the account, or choose another model",
        "request": "Correct the model's settings in conf/llm/",
    }.get(failure.reason, "Run it again later: what is answered costs nothing")
    return ProviderError(
        f"{where}{tried} ({failure.reason}: {failure.message})",
        remedy,
        transient=failure.transient,
        too_long=failure.reason == "too_long",
    )
