#!/usr/bin/env bash
# Makes the certificates and keys of the tests of TLS, which are valid for 100 years, and one that has expired. They
# protect nothing. Needs openssl 3.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

key() { # FILE [RSA]
  case ${2:-} in
    RSA) openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$1" ;;
    *) openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" ;;
  esac
}

authority() { # NAME
  key "$work/$1.key"
  openssl req -x509 -new -key "$work/$1.key" -subj "/CN=$1" -days 36500 -out "$1.pem" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
}

# A certificate of NAME for USAGE (serverAuth, clientAuth or both) that AUTHORITY signs.
certificate() { # NAME AUTHORITY USAGE [RSA] [START END]
  key "$1.key" "${4:-}"
  openssl req -new -key "$1.key" -subj "/CN=$1" -out "$work/$1.csr"
  : > "$work/index.txt"
  cat > "$work/ca.cnf" <<CNF
[ca]
default_ca = it
[it]
database = $work/index.txt
new_certs_dir = $work
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = leaf
[any]
commonName = supplied
[leaf]
basicConstraints = critical,CA:FALSE
extendedKeyUsage = $3
subjectAltName = DNS:localhost,IP:127.0.0.1
CNF
  openssl ca -batch -notext -config "$work/ca.cnf" -cert "$2.pem" -keyfile "$work/$2.key" -in "$work/$1.csr" \
    -startdate "${5:-20260101000000Z}" -enddate "${6:-21260101000000Z}" -out "$1.pem"
}

{
  authority ca
  authority other-ca
  certificate server ca serverAuth
  certificate second ca serverAuth
  certificate rsa ca serverAuth RSA
  certificate client ca clientAuth
  certificate expired ca 'clientAuth,serverAuth' EC 20200101000000Z 20200201000000Z
  certificate stranger other-ca clientAuth
  openssl pkcs8 -topk8 -in server.key -out encrypted.key -passout pass:secret
} 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
