"""A LangChain chat model over a GGUF file on this machine, with no server to install and no port open."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.chat_models import agenerate_from_stream, generate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

from ninefold.state.errors import ModelTimeout, SettingsError

from .server import EmbeddedServer, ServerSpec, shared_server
from .wire import PromptProgress, ReplyReader, openai_messages, refusal, response_format

Tool = Mapping[str, Any] | type | Callable[..., Any] | BaseTool


class EmbeddedChat(BaseChatModel):
    """A chat model that reads and writes on this machine's processor, streamed, with tools, schemas and exact counts.

    Per call it takes what ChatOllama takes: `options={…}`, `format=…`, `stop=[…]`; and `num_predict`, `temperature`,
    `seed` and `num_ctx` directly. Closing a stream, or cancelling the awaiting task, stops the model within one batch
    of 64 tokens. Every failure is one of the ModelUnavailable family.
    """

    model_path: Path
    """The GGUF file."""
    num_ctx: int = Field(default=8192, ge=256)
    """Context in tokens, prompt and reply together. One process serves one size."""
    num_predict: int = Field(default=1024, ge=1)
    """Most tokens of a reply."""
    temperature: float = Field(default=0.3, ge=0)
    seed: int | None = None
    threads: int = Field(default=1, ge=1)
    """Threads that compute; never more than the processors this program may use."""
    timeout: float = Field(default=300, gt=0)
    """Seconds without a byte from the process until a call is given up."""
    on_progress: Callable[[PromptProgress], None] | None = Field(default=None, exclude=True, repr=False)
    """Called while the model reads a prompt, about every 64 tokens; also per call as `on_progress=`."""

    @property
    def _llm_type(self) -> str:
        return "ninefold-embedded"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.model_path.stem, "num_ctx": self.num_ctx, "temperature": self.temperature}

    @property
    def server(self) -> EmbeddedServer:
        """The process behind this model, shared by all models of the same file, context and thread count."""
        usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return shared_server(ServerSpec(self.model_path.resolve(), self.num_ctx, min(self.threads, usable)))

    def close(self) -> None:
        """End the model's process; the next call starts it again."""
        self.server.close()

    def bind_tools(
        self, tools: Sequence[Tool], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with tools offered; `tool_choice` "any" makes it call one."""
        if tool_choice == "any":
            tool_choice = "required"
        if tool_choice is not None:
            kwargs["tool_choice"] = tool_choice
        return super().bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def count_prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Tool] = ()) -> int:
        """Exact tokens of the prompt for these messages and tools, by the model's own template; about 15 ms."""
        body: dict[str, Any] = {"messages": openai_messages(messages)}
        if tools:
            body["tools"] = [convert_to_openai_tool(tool) for tool in tools]
        prompt = self._post("/apply-template", body)["prompt"]
        return len(self._post("/tokenize", {"content": prompt, "add_special": True, "parse_special": True})["tokens"])

    def get_num_tokens_from_messages(self, messages: list[BaseMessage], tools: Sequence[Tool] | None = None) -> int:
        """LangChain's name for `count_prompt`."""
        return self.count_prompt(messages, tools or ())

    def get_token_ids(self, text: str) -> list[int]:
        """The model's own token ids of a plain text."""
        ids = self._post("/tokenize", {"content": text, "add_special": False, "parse_special": False})["tokens"]
        return [int(token) for token in ids]

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generate_from_stream(self._stream(messages, stop, run_manager, **kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await agenerate_from_stream(self._astream(messages, stop, run_manager, **kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        report = kwargs.pop("on_progress", self.on_progress)
        body, reader = self._call(messages, stop, kwargs)
        self.server.ensure()
        with (
            self._named_errors(reader),
            self.server.client(self.timeout) as client,
            client.stream("POST", "/v1/chat/completions", json=body) as response,
        ):
            if response.status_code != httpx.codes.OK:
                response.read()
                raise refusal(_json(response), status=response.status_code)
            for line in response.iter_lines():
                for chunk in _read(reader, line, report):
                    if run_manager:
                        run_manager.on_llm_new_token(str(chunk.message.content), chunk=chunk)
                    yield chunk
        reader.check_finished()

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        report = kwargs.pop("on_progress", self.on_progress)
        body, reader = self._call(messages, stop, kwargs)
        await asyncio.to_thread(self.server.ensure)
        with self._named_errors(reader):
            async with (
                self.server.async_client(self.timeout) as client,
                client.stream("POST", "/v1/chat/completions", json=body) as response,
            ):
                if response.status_code != httpx.codes.OK:
                    await response.aread()
                    raise refusal(_json(response), status=response.status_code)
                async for line in response.aiter_lines():
                    for chunk in _read(reader, line, report):
                        if run_manager:
                            await run_manager.on_llm_new_token(str(chunk.message.content), chunk=chunk)
                        yield chunk
        reader.check_finished()

    def _call(
        self, messages: list[BaseMessage], stop: list[str] | None, kwargs: dict[str, Any]
    ) -> tuple[dict[str, Any], ReplyReader]:
        options = {**(kwargs.pop("options", None) or {}), **kwargs}
        if (num_ctx := options.get("num_ctx") or self.num_ctx) != self.num_ctx:
            raise SettingsError(
                f"A call asked for num_ctx {num_ctx}; this model is loaded with {self.num_ctx}.",
                "Make another EmbeddedChat for another context: it costs a second copy in memory.",
            )
        body: dict[str, Any] = {
            "messages": openai_messages(messages),
            "max_tokens": options.get("num_predict") or self.num_predict,
            "temperature": options.get("temperature", self.temperature),
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,
            "cache_prompt": True,
        }
        wanted = {
            "seed": options.get("seed", self.seed),
            "stop": stop or options.get("stop"),
            "tools": options.get("tools"),
            "tool_choice": options.get("tool_choice"),
            "response_format": options.get("response_format") or response_format(options.get("format")),
        }
        body |= {name: value for name, value in wanted.items() if value is not None}
        names = [tool["function"]["name"] for tool in body.get("tools", ())]
        return body, ReplyReader(self.model_path.stem, names)

    def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        self.server.ensure()
        with self._named_errors(None), self.server.client(self.timeout) as client:
            response = client.post(path, json=body)
            answer = _json(response)
            if response.status_code != httpx.codes.OK or not isinstance(answer, dict):
                raise refusal(answer, status=response.status_code)
            return answer

    @contextmanager
    def _named_errors(self, reader: ReplyReader | None) -> Iterator[None]:
        try:
            yield
        except httpx.TimeoutException as error:
            raise ModelTimeout(
                f"The embedded model said nothing for {self.timeout:.0f} seconds.",
                "Send the message again; on a busy machine raise `threads`.",
            ) from error
        except httpx.TransportError as error:
            gone = self.server.why_gone()
            if reader is not None and reader.text:
                reader.check_finished()
            raise gone from error


def _read(
    reader: ReplyReader, line: str, report: Callable[[PromptProgress], None] | None
) -> Iterator[ChatGenerationChunk]:
    messages: list[AIMessageChunk] = reader.feed(line)
    if report is not None and reader.progress is not None:
        report(reader.progress)
    for message in messages:
        info = message.response_metadata or None
        yield ChatGenerationChunk(message=message, generation_info=dict(info) if info else None)


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return response.text
