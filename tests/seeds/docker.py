# SPDX-License-Identifier: Apache-2.0
"""A docker with one container, as far as `ps`, `inspect` and `exec` go.

The container starts every command in / with an empty environment. It sees the mounts of docker.json under their
own paths and nothing of the host: a path of the shared folder as the host spells it does not exist.
"""
import json
import os
import re
import sys


def inside(text, settings):
    """text with the container's paths as this machine has them."""
    text = text.replace(settings["shared"], "/not-in-this-container")
    for at, real in settings["mounts"].items():
        text = re.sub(rf"(?<![\w/.-]){re.escape(at)}(?![\w-])", real, text)
    return text


def main():
    settings = json.load(open(sys.argv[1]))
    verb, rest = sys.argv[2], sys.argv[3:]
    if verb == "ps":
        print(settings["name"])
        return 0
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in ("--format", "-w", "--workdir", "-e", "--env", "-u", "--user"):
            rest.pop(0)
    if not rest or rest[0] != settings["name"]:
        sys.exit(f"Error response from daemon: No such container: {rest[0] if rest else ''}")
    if verb == "inspect":
        print(f"{settings['shared']}:/workspace")
        return 0
    if verb != "exec":
        sys.exit(f"docker: '{verb}' is not a docker command.")
    os.chdir("/")
    command = [inside(word, settings) for word in rest[1:]]
    os.execve("/usr/bin/env", ["env", "-i", "HOME=/root", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", *command], {})


if __name__ == "__main__":
    sys.exit(main())
