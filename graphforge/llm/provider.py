"""The only place that calls litellm: one attempt, its raw answer or what went wrong.

litellm repeats, logs, reports and looks up a lot on its own; here all of that is off. Its import takes seconds, so it
happens before the first call and in a thread.
"""

import asyncio
import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, Literal

from .reply import Usage

Reason = Literal[
    "timeout", "rate_limit", "server", "connection", "cut", "refused", "quota", "too_long", "request"
]  # fmt: skip
# What a later attempt may mend.
_TRANSIENT: frozenset[Reason] = frozenset({"timeout", "rate_limit", "server", "connection", "cut"})
# The request went out and no answer arrived: the provider may have done the work and bill it.
_MAYBE_BILLED: frozenset[Reason] = frozenset({"timeout", "cut"})
_QUOTA = ("insufficient_quota", "exceeded your current quota", "billing", "credit balance")
_POLICY = ("content_policy_violation", "content_filter")
_SECRET = re.compile(
    r"(?i)(bearer\s+|api[_-]?key['\"]?\s*[:=]\s*['\"]?|[?&]key=)[^\s'\",}&]+|\b(?:sk|pk|gsk|key)-[A-Za-z0-9_\-]{8,}|\bAIza[\w\-]{20,}"
)
_MOST_OF_A_MESSAGE = 1000


@dataclass(frozen=True)
class Failure:
    """An attempt without an answer. ``retry_after``: seconds that the provider asks for."""

    reason: Reason
    message: str
    retry_after: float | None = None

    @property
    def transient(self) -> bool:
        return self.reason in _TRANSIENT

    @property
    def maybe_billed(self) -> bool:
        return self.reason in _MAYBE_BILLED


@dataclass(frozen=True)
class Raw:
    """The provider's answer as litellm gives it, as JSON, and its tokens (None: it didn't say)."""

    response: dict[str, Any]
    usage: Usage | None

    def text(self) -> str:
        return json.dumps(self.response, ensure_ascii=False, separators=(",", ":"), default=str)


@cache
def library() -> Any:
    """litellm, silenced."""
    # Prices come from the table in the package, and no .env file that happens to lie about is read.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_LOCAL_BLOG_POSTS"] = "True"
    os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    # No proxy stands between us and a server on this machine.
    for name in ("NO_PROXY", "no_proxy"):
        os.environ[name] = ",".join(filter(None, [os.environ.get(name), "127.0.0.1,localhost,::1"]))
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.num_retries = None
    litellm.cache = None
    litellm.turn_off_message_logging = True
    litellm.redact_messages_in_exceptions = True
    for name in ("callbacks", "input_callback", "success_callback", "failure_callback"):
        setattr(litellm, name, [])
    # CRITICAL: what a person must know comes back as an error. httpx would log addresses, some of which hold keys.
    litellm.verbose_logger.setLevel(50)
    litellm.verbose_logger.manager.getLogger("httpx").setLevel(30)
    return litellm


@cache
def _no_retries(model: str) -> dict[str, Any]:
    """What keeps litellm from repeating a call by itself.

    For some providers that speak OpenAI's protocol it drops the very parameter and repeats twice.
    """
    none: dict[str, Any] = {"max_retries": 0, "num_retries": 0}
    bare, provider, _, _ = library().get_llm_provider(model)
    known = library().get_supported_openai_params(bare, provider) or []
    if provider in library().openai_compatible_providers and "max_retries" not in known:
        none["allowed_openai_params"] = ["max_retries"]
    return none


async def complete(
    parameters: Mapping[str, Any], key: str | None, api_base: str | None, deadline: float
) -> Raw | Failure:
    """One attempt. Never raises for what a provider or a network does; cancellation passes."""
    litellm = library()
    secrets = [key] if key else []
    # A server without a key still wants to see one.
    access: dict[str, Any] = {"api_key": key or "none"}
    if api_base is not None:
        access["api_base"] = api_base
    # litellm's own books of a call (cost, callbacks) are for its proxy; we keep ours.
    from litellm._internal_context import is_internal_call

    is_internal_call.set(True)
    try:
        async with asyncio.timeout(deadline):
            response = await litellm.acompletion(
                **parameters,
                **access,
                **_no_retries(parameters["model"]),
                timeout=deadline,
                **{"no-log": True},
            )
    except TimeoutError:
        return Failure("timeout", f"no answer within {deadline:g} seconds")
    except Exception as error:  # noqa: BLE001  litellm lets through whatever its parts raise; all become a reason
        return _explain(error, secrets)
    return _read(response)


def _read(response: Any) -> Raw | Failure:
    dump = getattr(response, "model_dump", None)
    said = dump(exclude_none=True) if dump else None
    if not isinstance(said, dict) or not said.get("choices"):
        return Failure("server", "the answer is no chat completion")
    said.pop("usage", None)
    told = getattr(response, "usage", None)
    if told is None or not (told.prompt_tokens or told.completion_tokens):
        return Raw(said, None)
    return Raw(
        said,
        Usage(
            input=told.prompt_tokens or 0,
            cached=getattr(told.prompt_tokens_details, "cached_tokens", None) or 0,
            output=told.completion_tokens or 0,
            reasoning=getattr(told.completion_tokens_details, "reasoning_tokens", None) or 0,
        ),
    )


def _explain(error: Exception, secrets: Sequence[str]) -> Failure:
    """What went wrong, in words without secrets."""
    litellm = library()
    message = scrub(str(error), secrets)
    status = getattr(error, "status_code", None)
    inner = [type(one).__name__ for one in _chain(error)]
    if isinstance(error, litellm.Timeout) or status == 408:
        return Failure("timeout", message)
    if status == 429:
        if any(word in message.lower() for word in _QUOTA):
            return Failure("quota", message)
        return Failure("rate_limit", message, _retry_after(error))
    if isinstance(error, litellm.ContextWindowExceededError):
        return Failure("too_long", message)
    if isinstance(error, litellm.ContentPolicyViolationError) or (
        status == 400 and any(word in message for word in _POLICY)
    ):
        return Failure("refused", message)
    if any(
        name in {"ConnectError", "ConnectTimeout", "ClientConnectorError", "PoolTimeout"} for name in inner
    ):
        return Failure("connection", message)
    if any(
        name in {"RemoteProtocolError", "ReadError", "ClientPayloadError", "ServerDisconnectedError", "ClientOSError",
                 "IncompleteRead", "WriteError", "ConnectionResetError"} for name in inner
    ):  # fmt: skip
        return Failure("cut", message)
    if isinstance(status, int) and 400 <= status < 500 and status not in {409, 425}:
        return Failure("request", message)
    return Failure("server", message, _retry_after(error))


def scrub(text: str, secrets: Sequence[str]) -> str:
    """A message in one line, without keys: the ones we know, and whatever looks like one."""
    for secret in secrets:
        text = text.replace(secret, "***")
    text = _SECRET.sub(lambda match: f"{match[1] or ''}***", text)
    text = " ".join(text.split())
    return text if len(text) <= _MOST_OF_A_MESSAGE else text[: _MOST_OF_A_MESSAGE - 3] + "..."


def _chain(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _retry_after(error: Exception) -> float | None:
    """Seconds from Retry-After (a number or a date) or retry-after-ms, where the provider sent one."""
    for one in _chain(error):
        response = getattr(one, "response", None)
        for headers in (getattr(one, "litellm_response_headers", None), getattr(response, "headers", None)):
            if not headers:
                continue
            try:
                if (milliseconds := headers.get("retry-after-ms")) is not None:
                    return max(0.0, float(milliseconds) / 1000)
                if (text := headers.get("retry-after")) is None:
                    continue
                if re.fullmatch(r"\s*[\d.]+\s*", text):
                    return max(0.0, float(text))
                return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
            except (ValueError, TypeError):
                continue
    return None
