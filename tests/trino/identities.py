"""Who is who in the tests: an authority, the server it vouches for, a client with a certificate, a
password and a token.

    ca.pem                  the authority
    other.pem               an authority that vouches for nobody
    server.pem              key and certificate of localhost
    client.pem, client.key  the user's certificate
    passwords               what the server knows of passwords
    password                the user's
    token.pub, token        what the server checks tokens with, and one for the user
"""

import base64
import hashlib
import json
import secrets
import subprocess
import time

from processes import Failure

DAYS = 7
PBKDF2_ROUNDS = 1000


def openssl(folder, *arguments, text=None):
    done = subprocess.run(
        ["openssl", *arguments], cwd=folder, input=text, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise Failure(f"openssl {arguments[0]}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def certificate(folder, name, subject, *more):
    openssl(
        folder,
        *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", str(DAYS)),
        *("-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={subject}", *more),
    )


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def token(folder, user):
    """A JSON web token (RFC 7519) signed with token.key."""
    now = int(time.time())
    claims = {"sub": user, "iat": now, "exp": now + DAYS * 86400}
    parts = [base64url(json.dumps(part).encode()) for part in ({"alg": "RS256"}, claims)]
    signature = openssl(folder, "dgst", "-sha256", "-sign", "token.key", text=b".".join(parts))
    return b".".join([*parts, base64url(signature)])


def password_line(user, password):
    """As Trino reads it: PBKDF2 with HMAC-SHA1; rounds, salt and hash in hexadecimal."""
    salt = secrets.token_bytes(16)
    key = hashlib.pbkdf2_hmac("sha1", password.encode(), salt, PBKDF2_ROUNDS, 32)
    return f"{user}:{PBKDF2_ROUNDS}:{salt.hex()}:{key.hex()}\n"


def make(folder, user):
    folder.mkdir(mode=0o700, exist_ok=True)
    by_authority = ("-CA", "ca.pem", "-CAkey", "ca.key")
    certificate(folder, "ca", "authority")
    certificate(folder, "other", "nobody")
    certificate(
        folder, "server", "localhost", *by_authority, "-addext", "subjectAltName=DNS:localhost"
    )
    certificate(folder, "client", user, *by_authority)
    server = folder / "server.pem"
    server.write_bytes(server.read_bytes() + (folder / "server.key").read_bytes())

    password = secrets.token_urlsafe(16)
    (folder / "password").write_text(password, encoding="ascii")
    (folder / "passwords").write_text(password_line(user, password), encoding="ascii")

    openssl(folder, "genrsa", "-out", "token.key", "2048")
    openssl(folder, "rsa", "-in", "token.key", "-pubout", "-out", "token.pub")
    (folder / "token").write_bytes(token(folder, user))
