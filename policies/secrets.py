"""Keys, passwords and card numbers, masked before a text is kept, logged or exported."""

from __future__ import annotations

import re

MASK = "[***]"

_KEYS = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"
    r"|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}"
    r"|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{20,}|\bpypi-[A-Za-z0-9_-]{16,}|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
# The word for the secret stays, so that a person sees what was taken out; only the value goes.
_NAMED = re.compile(
    r"(?P<name>(?:(?<![A-Za-z])(?:pass(?:word|code|phrase|wd)|pwd|pin(?: code)?|secret(?: key)?|api[ _-]?key"
    r"|access[ _-]?(?:key|token)|auth[ _-]?token|bearer|token|cvv|cvc)"
    r"|密码|口令|暗号|密钥|私钥|验证码|令牌|安全码|支付码|提取码|PIN\s*码?)"
    r"(?:\s*(?:现在|已经|改|换|设|就)*\s*(?:is now|is|are|was|to|成了|成|为|是|叫)\s*|\s*[:：=＝]\s*|\s+(?=\S*\d)))"
    r"(?P<open>[\"'“”‘’「『`]?)(?P<value>(?!(?:is|are|was|required|needed|a|an|the|not|什么|多少|必须|错|不|忘)\b)"
    r"[^\s，。；,;！!？?\"'“”‘’」』`\u4e00-\u9fff]{3,})",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"(?P<scheme>\b[a-z][a-z0-9+.-]*://[^\s:/@]+:)(?P<value>[^\s@/]{1,})(?=@)", re.IGNORECASE)
_CARD = re.compile(r"(?<![\d０-９.])[\d０-９](?:[ -]?[\d０-９]){12,18}(?![\d０-９]|\.\d)")
_ENDS = ".,:)]}>…"
"""What ends a sentence, and no secret that is told elsewhere without it."""
_WIDE = str.maketrans("０１２３４５６７８９", "0123456789")


def masked(text: str) -> str:
    """Give the text with every key, password and card number in it replaced by `MASK`; all else stays."""
    return _parted(text)[0]


def secrets(text: str) -> tuple[str, ...]:
    """Give what `masked` takes out of a text, without the marks that only end its sentence."""
    return _parted(text)[1]


def _parted(text: str) -> tuple[str, tuple[str, ...]]:
    taken: list[str] = []

    def take(found: re.Match[str], before: str = "") -> str:
        secret = found.groupdict().get("value", found[0])
        if secret != MASK:
            taken.append(secret.rstrip(_ENDS) or secret)
        return before + MASK

    text = _KEYS.sub(take, text)
    text = _LOGIN.sub(lambda found: take(found, found["scheme"]), text)
    text = _NAMED.sub(lambda found: take(found, found["name"] + found["open"]), text)
    text = _CARD.sub(lambda found: take(found) if is_card_number(found[0]) else found[0], text)
    return text, tuple(taken)


def is_card_number(text: str) -> bool:
    """Whether the digits pass Luhn's check and have the length and first digit of a payment card."""
    digits = [int(letter) for letter in text.translate(_WIDE) if letter.isdigit()]
    if not 13 <= len(digits) <= 19 or digits[0] not in (2, 3, 4, 5, 6, 8):
        return False
    doubled = [2 * digit - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(digits[-1::-2])) % 10 == 0
