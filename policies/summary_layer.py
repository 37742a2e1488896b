"""The summary as it stands in a prompt: compact JSON of four fields, in which a finished step is no order."""

from __future__ import annotations

import json

from ninefold.state import Item, Language, StepStatus, Summary

from .neutralise import neutralise

_LABELS = {
    Language.CHINESE: ("决定", "偏好见", "待办", "已完成", "其他事实", "更早的原文（可展开）"),
    Language.ENGLISH: (
        "decisions",
        "preferences by id",
        "to do",
        "done",
        "other facts",
        "earlier originals (expandable)",
    ),
}


def render_summary(summary: Summary, language: Language) -> str:
    """Give the summary as one compact JSON object without its empty fields.

    Steps stand under "to do" or "done", so that a finished order is never read as an order again. Text that imitates an
    anchor or a control token is escaped.
    """
    pending, done = steps(summary, StepStatus.PENDING), steps(summary, StepStatus.DONE)
    fields = (
        _texts(summary.decisions),
        list(summary.preferences),
        _texts(pending),
        _texts(done),
        _texts(summary.other_facts),
        list(summary.references),
    )
    body = {label: texts for label, texts in zip(_LABELS[language], fields, strict=True) if texts}
    return neutralise(json.dumps(body, ensure_ascii=False, separators=(",", ":")))


def steps(summary: Summary, status: StepStatus) -> tuple[Item, ...]:
    """Give the next steps of one status; a step that carries none is pending."""
    return tuple(item for item in summary.next_steps if (item.status or StepStatus.PENDING) is status)


def _texts(items: tuple[Item, ...]) -> list[str]:
    return [item.text for item in items]
