#!/usr/bin/env bash
# awscli's `s3 cp`, `sync` and `presign`, s3fs and rclone against a bucket.
#
#   s3_tools.sh BASE_URL ACCESS_KEY_FILE AWSCLI_FOLDER S3FS_PYTHON
set -euo pipefail
base=$1 key_file=$2 awscli=$3 s3fs=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

member() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$key_file" "$1"; }
export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_DEFAULT_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true
AWS_ACCESS_KEY_ID=$(member accessKeyId)
AWS_SECRET_ACCESS_KEY=$(member secretAccessKey)
export AWS_CONFIG_FILE=$work/none AWS_SHARED_CREDENTIALS_FILE=$work/none

mkdir -p "$work/folder/inner"
head -c 20000000 /dev/urandom >"$work/folder/large.bin"
printf 'hello' >"$work/folder/a b+c.txt"
printf 'inner' >"$work/folder/inner/é.txt"

aws() { PYTHONPATH=$awscli python3 -m awscli --endpoint-url "$base" "$@"; }
aws s3 ls | grep -q ' syncline$'
aws s3 cp --quiet "$work/folder/large.bin" s3://syncline/tools/one.bin
aws s3 cp --quiet s3://syncline/tools/one.bin "$work/one.bin"
cmp "$work/folder/large.bin" "$work/one.bin"
aws s3 sync --quiet "$work/folder" s3://syncline/tools/folder
[ -z "$(aws s3 sync "$work/folder" s3://syncline/tools/folder)" ] # Nothing is left to do.
mkdir "$work/back"
aws s3 sync --quiet s3://syncline/tools/folder "$work/back"
diff -r "$work/folder" "$work/back"
[ "$(curl -sS "$(aws s3 presign 's3://syncline/tools/folder/a b+c.txt')")" = hello ]
aws s3 cp --quiet s3://syncline/tools/folder/ s3://syncline/tools/copy/ --recursive
[ "$(aws s3 ls --recursive s3://syncline/tools/copy/ | wc -l)" = 3 ]
aws s3 mv --quiet s3://syncline/tools/one.bin s3://syncline/tools/moved.bin
aws s3api head-object --bucket syncline --key tools/moved.bin >/dev/null
aws s3 rm --quiet --recursive s3://syncline/tools/
[ -z "$(aws s3 ls --recursive s3://syncline/tools/)" ]
aws s3 mb s3://second-bucket >/dev/null
aws s3 rb s3://second-bucket >/dev/null
echo 'awscli copies, synchronizes, presigns, moves and removes'

BASE=$base "$s3fs" - "$work/folder/large.bin" <<'PYTHON'
import os, sys
import s3fs
files = s3fs.S3FileSystem(
    key=os.environ["AWS_ACCESS_KEY_ID"], secret=os.environ["AWS_SECRET_ACCESS_KEY"], endpoint_url=os.environ["BASE"],
    client_kwargs={"region_name": "us-east-1"})
with files.open("syncline/s3fs/large.bin", "wb", block_size=5 << 20) as file, open(sys.argv[1], "rb") as source:
    file.write(source.read())
with files.open("syncline/s3fs/large.bin") as file, open(sys.argv[1], "rb") as source:
    file.seek(11_000_000)
    source.seek(11_000_000)
    assert file.read(1000) == source.read(1000)
files.pipe("syncline/s3fs/a b/\u00e9", b"x")
assert files.cat("syncline/s3fs/a b/\u00e9") == b"x"
assert sorted(files.find("syncline/s3fs")) == ["syncline/s3fs/a b/\u00e9", "syncline/s3fs/large.bin"]
assert files.info("syncline/s3fs/large.bin")["size"] == 20_000_000
files.mv("syncline/s3fs/a b/\u00e9", "syncline/s3fs/b")
assert files.exists("syncline/s3fs/b") and not files.exists("syncline/s3fs/a b/\u00e9")
files.rm("syncline/s3fs", recursive=True)
assert not files.exists("syncline/s3fs")
print("s3fs writes, reads, lists, moves and removes")
PYTHON

unset AWS_CA_BUNDLE # rclone's transport takes none.
export RCLONE_CONFIG=$work/rclone.conf
rclone config create bucket s3 provider=Other env_auth=true endpoint="$base" region=us-east-1 force_path_style=true >/dev/null 2>&1
rclone --quiet copy "$work/folder" bucket:syncline/rclone
rclone --quiet check "$work/folder" bucket:syncline/rclone
mkdir "$work/rclone"
rclone --quiet sync bucket:syncline/rclone "$work/rclone"
diff -r "$work/folder" "$work/rclone"
rclone --quiet purge bucket:syncline/rclone
[ -z "$(rclone lsf bucket:syncline/rclone)" ]
echo 'rclone copies, checks, synchronizes and purges'
