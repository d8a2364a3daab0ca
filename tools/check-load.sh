#!/usr/bin/env bash
# Loads files that RocksDB's own programs wrote into a Pegasus table: a sorted file of its SstFileWriter, a bulk load with
# such files, and a backup with checkpoints. Each time all rows are read through the server's door for Redis clients of
# the table and compared; wrong files are refused.
#
#   tools/check-load.sh [ROWS]
#
# ROWS (20000) is the number of rows. Needs RocksDB's `ldb`, redis-cli and python3. The directories around the files are
# built as docs/formats/pegasus-directories.md describes them, since no Pegasus is at hand.
# Environment: see tools/lib/operator.sh; KEEP_WORK=1 keeps the files if it fails.
set -euo pipefail

rows=${1:-20000}
[[ $rows =~ ^[1-9][0-9]*$ ]] || { echo "check-load.sh: expected a number: $rows" >&2; exit 2; }
# shellcheck source=tools/lib/operator.sh
source "$(dirname "$0")/lib/operator.sh"
cd "$work"
for program in ldb redis-cli python3; do
  command -v "$program" >/dev/null || fail "$program is missing"
done
install_programs

# Writes rows of three fields each in the order of their keys, as `ldb` reads them: to `rows.txt`, or those of partition
# N of 2 to `N.txt`. Every tenth row has an expiry in 2033. The commands that read them go to `read`, the replies to
# `expected`.
python3 - "$rows" <<'PY'
import struct, sys
POLY = 0x9A6C9329AC4BC9B5
TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (POLY if byte & 1 else 0)
    TABLE.append(byte)
def hash_of(key):
    crc = 0xFFFFFFFFFFFFFFFF
    for byte in key:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFFFFFFFFFF
lines, read, expected = [], [], []
for n in range(int(sys.argv[1])):
    hash_key, sort_key, data = b'user%07d' % (n // 3), b's%d' % (n % 3), b'data%d' % n
    key = struct.pack('>H', len(hash_key)) + hash_key + sort_key
    expiry = 0 if n % 10 else 2000000000 - 1451606400
    value = struct.pack('>IQ', expiry, 1600000000000000 << 8) + data
    lines.append((key, '0x%s ==> 0x%s\n' % (key.hex().upper(), value.hex().upper()), hash_of(hash_key) & 1))
    read.append('HGET %s %s\n' % (hash_key.decode(), sort_key.decode()))
    expected.append(data.decode() + '\n')
lines.sort()
open('rows.txt', 'w').writelines(line for _, line, _ in lines)
for part in 0, 1:
    open('%d.txt' % part, 'w').writelines(line for _, line, at in lines if at == part)
open('read', 'w').writelines(read)
open('expected', 'w').writelines(expected)
PY

# Writes a sorted file. Arguments: rows, file.
sorted_file() {
  ldb --db="$work/empty" --create_if_missing --hex put 0x00 0x00 >/dev/null
  ldb --db="$work/empty" write_extern_sst --hex "$2" <"$1" >/dev/null 2>&1
}

# Writes what Pegasus's metadata has of the files in a directory. Arguments: directory, name of the sum.
describe() {
  python3 - "$1" "$2" <<'PY'
import hashlib, json, os, sys
place, total = sys.argv[1:]
files = []
for name in sorted(os.listdir(place)):
    data = open(os.path.join(place, name), 'rb').read()
    files.append({'name': name, 'size': len(data), 'md5': hashlib.md5(data).hexdigest()})
print(json.dumps({'files': files, total: sum(file['size'] for file in files)}))
PY
}

mkdir -p in/bulk/temp in/backup/temp_2/meta
sorted_file rows.txt "$work/in/rows.sst"
echo '{"app_id":2,"app_name":"temp","partition_count":2}' >in/bulk/temp/bulk_load_info
echo '{"app_name":"temp","app_id":2,"partition_count":2,"envs":{}}' >in/backup/temp_2/meta/app_metadata
for part in 0 1; do
  mkdir "in/bulk/temp/$part" "in/backup/temp_2/$part"
  sorted_file "$part.txt" "$work/in/bulk/temp/$part/00001.sst"
  describe "in/bulk/temp/$part" file_total_size >metadata
  mv metadata "in/bulk/temp/$part/bulk_load_metadata"
  ldb --db="$work/db$part" --create_if_missing --hex load <"$part.txt" >/dev/null
  ldb --db="$work/db$part" create_column_family pegasus_meta_cf >/dev/null
  ldb --db="$work/db$part" --column_family=pegasus_meta_cf put pegasus_data_version 1 >/dev/null
  # Pegasus writes it when a request changes nothing.
  ldb --db="$work/db$part" --value_hex put '' 0x000000000000000000000000 >/dev/null
  checkpoint=chkpt_10.0.0.1_34801
  ldb --db="$work/db$part" checkpoint --checkpoint_dir="$work/in/backup/temp_2/$part/$checkpoint" >/dev/null
  describe "in/backup/temp_2/$part/$checkpoint" checkpoint_total_size >metadata
  mv metadata "in/backup/temp_2/$part/$checkpoint/backup_metadata"
  printf %s "$checkpoint" >"in/backup/temp_2/$part/current_checkpoint"
done
say "wrote $rows rows with $(ldb --version 2>/dev/null | head -1)"

tables=(one two three)
flags=()
for table in "${tables[@]}"; do
  flags+=(--pegasus-table "$table:8" --pegasus-redis-listen "$table=127.0.0.1:0")
done
start main --dir data --load-dir in --pegasus-listen 127.0.0.1:0 --listen 127.0.0.1:0 "${flags[@]}"
load_files() { ferrolith table load "$@" --server "127.0.0.1:${ports[main]}"; }

# Loads into a table and compares all rows. Arguments: table, path.
check() {
  local port
  load_files "$1" "$2" || fail "loading $2"
  port=$(sed -n "s/^Redis clients of the Pegasus table $1: .*://p" main.out)
  redis-cli -p "$port" <read >found
  cmp found expected || fail "$2: the rows differ"
  say "$2: $rows rows are equal"
}
check one rows.sst
check two bulk/temp
check three backup

sed 's/"md5": "./"md5": "x/' in/bulk/temp/1/bulk_load_metadata >metadata
mv metadata in/bulk/temp/1/bulk_load_metadata
load_files two bulk/temp 2>err && fail "a wrong MD5 was not noticed"
grep -q 'expected the MD5 x' err || fail "$(cat err)"
truncate -s -100 in/rows.sst
load_files one rows.sst 2>err && fail "a file that is cut was loaded"
ferrolith table check-files in/rows.sst 2>err && fail "a file that is cut was not noticed"
say "wrong files are refused"
