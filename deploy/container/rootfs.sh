#!/bin/sh
# Lay out the whole file system of the image: a program, what it is linked with, certificates, one user.
#
#   rootfs.sh PROGRAM FOLDER
#
# Nothing else is in the image, so whoever gets code to run inside finds no shell and no tools.
set -eu
program=$1
root=$2

mkdir -p "$root/usr/bin" "$root/etc/ssl/certs" "$root/etc/toolpass" "$root/run/secrets" "$root/var/lib/toolpass"
cp "$program" "$root/usr/bin/toolpass"
chmod 0755 "$root/usr/bin/toolpass"

# A program linked statically has no list, and needs none.
libraries=$(ldd "$program" 2>/dev/null | sed -n 's|^[^/]*\(/[^ ]*\) (0x.*|\1|p') || libraries=
for library in $libraries; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done

cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
echo 'toolpass:x:65532:65532:toolpass:/nonexistent:/nonexistent' >"$root/etc/passwd"
echo 'toolpass:x:65532:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
chmod 0700 "$root/var/lib/toolpass"
