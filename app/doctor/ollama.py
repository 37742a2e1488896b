"""An Ollama server: is it up, does it hold the models, do they fit."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from ninefold.state import AgentSettings, ModelSettings

from .finding import Finding, Level

_PATIENCE = 5.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_GIB = 1 << 30
_SHARE = 0.65
"""Share of the memory that the models may take: the rest is the system's and the other programs'."""
_HEAVY = frozenset({"F16", "BF16", "F32"})
_LIGHTER = "qwen2.5:7b"


def server(settings: AgentSettings, *, needed: bool = True) -> Iterator[Finding]:
    """Look at the server of the chat model and at its models; one that is not needed may be away."""
    url = settings.model.base_url
    try:
        with httpx.Client(base_url=url, timeout=_PATIENCE, trust_env=not _local(url)) as client:
            version = client.get("/api/version").raise_for_status().json().get("version", "?")
            pulled = {str(model["name"]): model for model in client.get("/api/tags").json()["models"]}
            loaded = [str(model["name"]) for model in client.get("/api/ps").json().get("models") or ()]
            shown = client.post("/api/show", json={"model": settings.model.model_name}).json()
    except (httpx.HTTPError, ValueError, KeyError, TypeError, AttributeError) as error:
        values = {"url": url, "why": type(error).__name__}
        if needed:
            yield Finding(Level.FAULT, "doctor.server_down", values, "ollama serve")
        else:
            yield Finding(Level.WARNING, "doctor.server_not_needed", values, "ninefold chat")
        return
    yield Finding(Level.GOOD, "doctor.server", {"url": url, "version": version})
    wanted = _wanted(settings)
    yield from (_pulled(name, pulled) for name in wanted)
    yield from _resident(wanted, loaded)
    chat = _entry(settings.model.model_name, pulled)
    if chat is not None:
        yield from _quantised(settings.model.model_name, chat)
        sizes = [entry.get("size", 0) for name in wanted if (entry := _entry(name, pulled))]
        yield from _fits(settings.model, sum(sizes), shown.get("model_info") or {})


def _wanted(settings: AgentSettings) -> tuple[str, ...]:
    """Give the models that must be resident side by side."""
    names = [settings.model.model_name]
    if isinstance(settings.light_model, ModelSettings) and settings.light_model.base_url == settings.model.base_url:
        names.append(settings.light_model.model_name)
    embedder = settings.embeddings
    if settings.memory != "off" and (embedder.provider, embedder.base_url) == ("ollama", settings.model.base_url):
        names.append(embedder.model_name)
    return tuple(dict.fromkeys(names))


def _pulled(name: str, pulled: Mapping[str, Any]) -> Finding:
    if _entry(name, pulled) is None:
        return Finding(Level.FAULT, "doctor.not_pulled", {"model": name}, f"ollama pull {name}")
    return Finding(Level.GOOD, "doctor.pulled", {"model": name})


def _resident(wanted: tuple[str, ...], loaded: list[str]) -> Iterator[Finding]:
    """Warn when one of the models has driven another out: every turn would then load both anew."""
    there = [name for name in wanted if name in loaded or f"{name}:latest" in loaded]
    if there and len(there) < len(wanted):
        missing = next(name for name in wanted if name not in there)
        command = f"OLLAMA_MAX_LOADED_MODELS={len(wanted)} ollama serve"
        yield Finding(Level.WARNING, "doctor.not_resident", {"there": there[0], "missing": missing}, command)


def _quantised(name: str, entry: Mapping[str, Any]) -> Iterator[Finding]:
    level = str((entry.get("details") or {}).get("quantization_level", ""))
    if level.upper() in _HEAVY:
        values = {"model": name, "level": level}
        yield Finding(Level.WARNING, "doctor.not_quantised", values, "ollama pull qwen2.5:14b")


def _fits(model: ModelSettings, weights: int, info: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare the models and the cache of the window with this machine's memory, where the server is here."""
    memory = _memory()
    if memory is None or not _local(model.base_url):
        return
    need = weights + model.num_ctx * model.concurrency * _cache_bytes(info)
    values = {"need": f"{need / _GIB:.1f}", "memory": f"{memory / _GIB:.1f}", "num_ctx": model.num_ctx}
    if need > memory * _SHARE:
        command = f"ollama pull {_LIGHTER} && ninefold chat --model ollama:{_LIGHTER}"
        yield Finding(Level.WARNING, "doctor.too_big", values, command)
    else:
        yield Finding(Level.GOOD, "doctor.fits", values)


def _cache_bytes(info: Mapping[str, Any]) -> int:
    """Give the bytes that one token of context takes: keys and values of every layer, two bytes each."""
    family = info.get("general.architecture", "")
    layers, width, heads, shared = (
        info.get(f"{family}.{name}") or 0
        for name in ("block_count", "embedding_length", "attention.head_count", "attention.head_count_kv")
    )
    return int(layers * shared * (width // heads) * 4) if heads else 0


def _entry(name: str, pulled: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return pulled.get(name) or pulled.get(f"{name}:latest")


def _local(url: str) -> bool:
    return urlsplit(url).hostname in _LOOPBACK


def _memory() -> int | None:
    """Give the machine's memory in bytes, where the system tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
