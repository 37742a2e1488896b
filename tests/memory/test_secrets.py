"""Keys, passwords and card numbers are masked; numbers that only look like them stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninefold.policies.secrets import MASK, is_card_number, masked


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my password is hunter22", "hunter22"),
        ("密码是 abc123，别忘了", "abc123"),
        ("数据库密码：P@ssw0rd!x", "P@ssw0rd"),
        ("API key: 9f8e7d6c5b4a", "9f8e7d6c5b4a"),
        ("use sk-proj-abcdefghijklmnop1234 please", "sk-proj-abcdefghijklmnop1234"),
        ("token ghp_abcdefghijklmnopqrstuvwxyz012345", "ghp_abcdefghijklmnopqrstuvwxyz012345"),
        ("AKIAIOSFODNN7EXAMPLE is the id", "AKIAIOSFODNN7EXAMPLE"),
        ("postgres://ann:s3cret@db:5432/x", "s3cret"),
        ("card 4111 1111 1111 1111", "4111 1111 1111 1111"),
        ("卡号 ４１１１１１１１１１１１１１１１", "４１１１１１１１１１１１１１１１"),
        ("5500-0000-0000-0004", "5500-0000-0000-0004"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "MIIE"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.abcDEF123", "eyJzdWIiOiIx"),
        ("验证码是 482913", "482913"),
    ],
)
def test_a_secret_is_masked_and_its_name_stays(text: str, secret: str) -> None:
    assert secret not in masked(text)
    assert MASK in masked(text)
    assert masked(masked(text)) == masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "订单号 4111111111111112",
        "the deadline is 2026-03-01 10:00:00",
        "我的手机号是 13900000000",
        "pi is 3.14159265358979",
        "忘记密码怎么办",
        "the password is required",
        "I forgot my password",
        "端口 8443，版本 1.2.3",
        "the token limit is reached",
        "task-1234567890123456",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


def test_luhn_decides_about_card_numbers() -> None:
    assert is_card_number("4111111111111111")
    assert not is_card_number("4111111111111112")
    assert not is_card_number("0000000000000000")


@given(st.text())
def test_masking_never_fails_and_adds_nothing_but_the_mask(text: str) -> None:
    assert masked(text).replace(MASK, "") in text or MASK in masked(text)
