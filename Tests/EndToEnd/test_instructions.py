"""Gates on instructions: they repeat where times do not (valgrind --tool=callgrind)."""

import re
import subprocess

import harness

# citiesctl search alb, the whole process: 2.62 million when this gate was set, most of it the argument parser's types.
CLIENT_MAXIMUM = 3_500_000


def instructions(command, env, folder):
    """Runs `command` to its end and counts the instructions that it executes in user mode."""
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.out", *map(str, command)],
        env=env, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return int(re.search(r"refs:\s+([\d,]+)", run.stderr)[1].replace(",", "")), run.stdout


def test_a_short_command_costs_few_instructions(shipped_server, tmp_path):
    env = harness.environment(CITIES_SOCKET=shipped_server.socket)
    count, output = instructions([harness.BIN / "citiesctl", "search", "alb"], env, tmp_path)
    print(f"citiesctl search alb: {count:,} instructions")
    assert output.count("\n") == 20, output
    assert count <= CLIENT_MAXIMUM
