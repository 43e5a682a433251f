"""Sealing: AES-GCM for stored values, scrypt for what people remember.

A sealed value is `nonce (12 bytes) + ciphertext + tag (16 bytes)` under a random 256-bit key. What
it belongs to (session, event, seat) is the associated data, so that a value moved to another place
does not open there. Plain values are padded to a multiple of `BLOCK`, so that a sealed value's
length does not reveal a short secret (how long a prediction is, how many cards).

A player's secret also opens what was sealed to its lock (X25519, then AES-GCM). The lock is enough
to seal a key for the player, for instance a new session's, without knowing the PIN.
"""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from companion.journal.errors import DamagedError, SealedError

KEY_BYTES = 32
NONCE_BYTES = 12
TAG_BYTES = 16
SALT_BYTES = 16
BLOCK = 256
#: scrypt costs as log2 of N (with r = 8, p = 1 it takes N KiB): what is written, what is read.
PIN_COST = 14
PASSPHRASE_COST = 16
_COSTS = range(4, 19)
_END = b"\x80"


def new_key() -> bytes:
    """A random 256-bit key."""
    return os.urandom(KEY_BYTES)


def about(*parts: str | int) -> bytes:
    """Associated data: what a sealed value belongs to."""
    return "\x1f".join(("companion-journal", *map(str, parts))).encode()


def seal(key: bytes, plain: bytes, belongs: bytes) -> bytes:
    """Seals a value."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, belongs)


def unseal(key: bytes, sealed: object, belongs: bytes) -> bytes:
    """Opens a sealed value.

    Raises:
        SealedError: another key sealed it, it belongs elsewhere, or it is damaged.
    """
    if not isinstance(sealed, bytes) or len(sealed) < NONCE_BYTES + TAG_BYTES:
        raise SealedError("A sealed part is damaged.")
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], belongs)
    except InvalidTag:
        raise SealedError("A sealed part does not open with this key.") from None


def lock_of(secret: bytes) -> bytes:
    """The lock that a player's secret opens; it may be known."""
    return _opener(secret).public_key().public_bytes_raw()


def seal_to(lock: bytes, plain: bytes, belongs: bytes) -> bytes:
    """Seals a value so that only the secret of that lock opens it.

    Raises:
        SealedError: it is no lock.
    """
    if len(lock) != KEY_BYTES:
        raise SealedError("A player's lock is damaged.")
    once = X25519PrivateKey.generate()
    public = once.public_key().public_bytes_raw()
    try:
        shared = once.exchange(X25519PublicKey.from_public_bytes(lock))
    except ValueError:
        raise SealedError("A player's lock is damaged.") from None
    return public + seal(_agreed(shared, public, lock), plain, belongs)


def unseal_with(secret: bytes, sealed: object, belongs: bytes) -> bytes:
    """Opens what `seal_to` sealed to the lock of a secret.

    Raises:
        SealedError: it was sealed to another lock, belongs elsewhere, or is damaged.
    """
    if not isinstance(sealed, bytes) or len(sealed) <= KEY_BYTES:
        raise SealedError("A sealed part is damaged.")
    public = sealed[:KEY_BYTES]
    try:
        shared = _opener(secret).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise SealedError("A sealed part is damaged.") from None
    return unseal(_agreed(shared, public, lock_of(secret)), sealed[KEY_BYTES:], belongs)


def _opener(secret: bytes) -> X25519PrivateKey:
    # Not the secret itself: that one seals marks.
    derived = HKDF(SHA256(), KEY_BYTES, None, b"companion-journal lock").derive(secret)
    return X25519PrivateKey.from_private_bytes(derived)


def _agreed(shared: bytes, public: bytes, lock: bytes) -> bytes:
    return HKDF(SHA256(), KEY_BYTES, public + lock, b"companion-journal gate").derive(shared)


def pad(plain: bytes) -> bytes:
    """The value, filled up to a multiple of `BLOCK`."""
    ended = plain + _END
    return ended + bytes(-len(ended) % BLOCK)


def unpad(padded: bytes) -> bytes:
    """The value that was filled up."""
    return padded.rstrip(b"\0").removesuffix(_END)


@dataclass(frozen=True, slots=True)
class KeyStretching:
    """How a PIN or passphrase is stretched into a key (scrypt, RFC 7914, r = 8, p = 1).

    Attributes:
        cost: log2 of N.
        salt: random, not secret.
    """

    cost: int
    salt: bytes

    @classmethod
    def new(cls, cost: int) -> KeyStretching:
        """With a new salt."""
        return cls(cost, os.urandom(SALT_BYTES))

    @classmethod
    def read(cls, stored: object) -> KeyStretching:
        """As kept by `write`.

        Raises:
            DamagedError: it is none, or asks for a cost that nobody set.
        """
        if not isinstance(stored, bytes) or len(stored) != 1 + SALT_BYTES:
            raise DamagedError("What guards a PIN is damaged.")
        if stored[0] not in _COSTS:
            raise DamagedError("What guards a PIN is damaged.")
        return cls(stored[0], stored[1:])

    def write(self) -> bytes:
        """For keeping: the cost in one byte, then the salt."""
        return bytes([self.cost]) + self.salt

    def key(self, secret: str) -> bytes:
        """The key that belongs to a PIN or passphrase."""
        text = unicodedata.normalize("NFKC", secret).encode("utf-8", "surrogatepass")
        return Scrypt(salt=self.salt, length=KEY_BYTES, n=1 << self.cost, r=8, p=1).derive(text)
