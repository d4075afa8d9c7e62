# SPDX-License-Identifier: Apache-2.0
"""`plimsoll-cli record`: the program's output, exit code and signals are its own, and each of its processes has its file."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from helpers import EXHAUSTIVE
from helpers.on_stand_in import capture_file
from helpers.on_stand_in.recorded import CALLS, CLI, command, environment, record, record_calls

MiB = 1 << 20


def test_input_output_and_arguments_are_passed_as_they_are(tmp_path):
    code = "import sys; print(sys.stdin.read(), sys.argv[1:]); print('to the other', file=sys.stderr)"
    arguments = ["", "[1,2]", "--", "--json", "-o", "a b", "{}", "'"]
    recorded = record(tmp_path / "x.plmcap", sys.executable, "-c", code, *arguments, text="given")
    assert recorded.out == f"given {arguments}"
    assert recorded.err.startswith("to the other\nThe program never started CUDA, so nothing was recorded: ")
    assert recorded.answer["file"] is None and not list(tmp_path.iterdir())


@pytest.mark.parametrize("end, exit, number", [("sys.exit(3)", 3, None), ("os._exit(4)", 4, None), ("os.abort()", 134, 6), ("os.kill(os.getpid(), 9)", 137, 9)])
def test_its_end_is_that_of_the_program(tmp_path, end, exit, number):
    recorded = record_calls(tmp_path / "x.plmcap", f"allocate(1 << 20); {end}")
    assert (recorded.exit, recorded.answer["exit"], recorded.answer["signal"]) == (exit, exit, number)
    by_itself = end == "sys.exit(3)"
    assert recorded.process["ended"] == by_itself
    assert len(recorded.answer["warnings"]) == (0 if by_itself else 1)
    assert by_itself or "The program was ended before it could finish" in recorded.answer["warnings"][0]


@pytest.mark.parametrize("name, exit", [("there-is-no-such-program", 127), ("/", 126)])
def test_a_program_that_cannot_be_started_has_the_exit_code_of_a_shell(tmp_path, name, exit):
    recorded = record(tmp_path / "x.plmcap", name)
    assert recorded.exit == exit
    (warning,) = recorded.answer["warnings"]
    assert warning.startswith(f"{name} can't be started (")


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_recorder_ends_the_program(tmp_path, sent):
    code = f"{CALLS}\nallocate(1 << 20); signal.signal({int(sent)}, lambda *_: sys.exit(21)); print('ready', flush=True); time.sleep(30)"
    run = subprocess.Popen(command(tmp_path / "x.plmcap", sys.executable, "-c", code), stdout=subprocess.PIPE, text=True, env=environment())
    assert run.stdout.readline() == "ready\n"
    run.send_signal(sent)
    run.communicate(timeout=20)
    assert run.returncode == 21
    assert capture_file.read(tmp_path / "x.plmcap").ended


def test_control_c_reaches_the_program_and_not_the_recorder(tmp_path):
    code = f"{CALLS}\nallocate(1 << 20); signal.signal(2, lambda *_: sys.exit(22)); print('ready', flush=True); time.sleep(30)"
    run = subprocess.Popen(command(tmp_path / "x.plmcap", sys.executable, "-c", code), stdout=subprocess.PIPE, text=True, env=environment(), start_new_session=True)
    assert run.stdout.readline() == "ready\n"
    os.killpg(run.pid, signal.SIGINT)
    run.communicate(timeout=20)
    assert run.returncode == 22


def test_a_forked_child_is_silent_and_harms_nothing(tmp_path):
    code = """
kept = allocate(3 << 20)
child = os.fork()
if child == 0:
    launch(20000)  # more than a buffer takes
    allocate(5 << 20)
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
time.sleep(0.05)
free(kept)
"""
    recorded = record_calls(tmp_path / "x.plmcap", code, PLIMSOLL_CAPTURE_PERIOD="20")
    assert (recorded.exit, recorded.answer["warnings"]) == (0, [])
    assert recorded.process["devices"] == [{"device": 0, "peak_bytes": 3 * MiB, "end_bytes": 0, "allocations": 1, "releases": 1}]
    assert recorded.process["records"]["kernels"] == 0


def test_each_process_has_its_file(tmp_path):
    code = f"""
import subprocess
allocate(1 << 20)
subprocess.run([sys.executable, "-S", "-c", {CALLS + "allocate(2 << 20)"!r}], check=True)
"""
    recorded = record_calls(tmp_path / "x.plmcap", code)
    main, other = recorded.answer["processes"]
    assert main["file"] == str(tmp_path / "x.plmcap") and other["file"] == str(tmp_path / f"x.{other['pid']}.plmcap")
    assert [process["devices"][0]["peak_bytes"] for process in (main, other)] == [1 * MiB, 2 * MiB]


def test_a_program_started_by_a_shell_has_the_file_that_was_asked_for(tmp_path):
    recorded = record(tmp_path / "x.plmcap", "sh", "-c", '"$0" -S -c "$1"; exit 9', sys.executable, CALLS + "allocate(1 << 20)")
    assert recorded.exit == 9
    assert recorded.process["file"] == str(tmp_path / "x.plmcap") and os.listdir(tmp_path) == ["x.plmcap"]


def test_a_program_that_executes_another_has_two_files(tmp_path):
    code = f"allocate(1 << 20); time.sleep(0.1); os.execv(sys.executable, [sys.executable, '-S', '-c', {CALLS + 'allocate(2 << 20)'!r}])"
    recorded = record_calls(tmp_path / "x.plmcap", code, PLIMSOLL_CAPTURE_PERIOD="20")
    first, second = recorded.answer["processes"]
    assert first["pid"] == second["pid"] and second["file"] == str(tmp_path / f"x.{first['pid']}-2.plmcap")
    assert [(process["ended"], process["devices"][0]["peak_bytes"]) for process in (first, second)] == [(False, 1 * MiB), (True, 2 * MiB)]


@pytest.mark.parametrize("moment", range(200) if EXHAUSTIVE else (0, 10, 50, 199))
def test_a_killed_program_leaves_what_was_flushed(tmp_path, moment):
    """Killed so many milliseconds after its threads began: the file has all allocations from the first one on, up to some."""
    code = """
def work():
    while True:
        launch(50)
def take(number=1):
    while True:
        allocate(512 * number)
        number += 1
[threading.Thread(target=run, daemon=True).start() for run in (work, work, take)]
print("ready", flush=True)
time.sleep(30)
"""
    file = tmp_path / "x.plmcap"
    run = subprocess.Popen(
        command(file, sys.executable, "-c", CALLS + code), stdout=subprocess.PIPE, text=True, env=environment(PLIMSOLL_CAPTURE_PERIOD="10")
    )
    run.stdout.readline()
    time.sleep(moment / 1000)
    (child,) = map(int, open(f"/proc/{run.pid}/task/{run.pid}/children").read().split())
    os.kill(child, signal.SIGKILL)
    run.communicate(timeout=20)
    assert run.returncode == 137
    capture = capture_file.read(file)
    assert len(capture.of("process")) == 1 and not capture.ended
    sizes = [record["bytes"] for record in sorted(capture.of("memory"), key=lambda record: record["time"])]
    assert sizes == [512 * number for number in range(1, len(sizes) + 1)]
    assert sizes or moment < 199
    inspected = subprocess.run([CLI, "inspect", str(file), "--json"], capture_output=True, text=True)
    if not sizes:
        assert inspected.returncode == 3 and "no events" in inspected.stderr
        return
    assert inspected.returncode == 0, inspected.stderr
    (device,) = json.loads(inspected.stdout)["summary"]["per_device"]
    assert device["peak_bytes"] == sum(sizes)


def test_all_records_of_many_threads_arrive(tmp_path):
    code = """
def work(device):
    gpu.cudaSetDevice(device)
    for _ in range(200):
        free(allocate(1 << 20))
        launch(100)
threads = [threading.Thread(target=work, args=(i % 2,)) for i in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
    process = record_calls(tmp_path / "x.plmcap", code, devices=2, PLIMSOLL_CAPTURE_PERIOD="10", PLIMSOLL_CAPTURE_BUFFERS="512").process
    assert (process["records"]["memory"], process["records"]["kernels"], process["lost_records"]) == (3200, 160_000, 0)
    assert [(device["allocations"], device["releases"], device["end_bytes"]) for device in process["devices"]] == [(800, 800, 0)] * 2


def test_an_older_recording_is_replaced_and_another_file_is_not(tmp_path):
    file = tmp_path / "x.plmcap"
    for size in (1, 2):
        assert record_calls(file, f"allocate({size} << 20)").process["devices"][0]["peak_bytes"] == size * MiB
    file.write_text("a letter")
    done = subprocess.run(command(file, "true"), capture_output=True, text=True)
    assert done.returncode == 3 and done.stderr == f"{file} is there and is no recording: choose another name with -o.\n"
    assert file.read_text() == "a letter"


def test_an_older_recording_stays_where_nothing_new_is_recorded(tmp_path):
    file = tmp_path / "x.plmcap"
    record_calls(file, "allocate(1 << 20)")
    snapshot = tmp_path / "x.pickle"
    snapshot.write_bytes(b"\x80\x02a snapshot")
    before = file.read_bytes()
    for program in (["true"], ["no-such-program-4711"]):
        done = subprocess.run(command(file, *program), capture_output=True, text=True)
        assert f"{file} still holds the earlier recording." in done.stderr.splitlines()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["x.pickle", "x.plmcap"]
        assert file.read_bytes() == before and snapshot.read_bytes() == b"\x80\x02a snapshot"
    # Nor is it lost to one that only says why nothing was recorded, or to a program that dies early.
    done = subprocess.run(command(file, sys.executable, "-S", "-c", CALLS), capture_output=True, text=True, env=environment(PLIMSOLL_CUPTI="/no/such/library.so"))
    assert f"{file} still holds the earlier recording." in done.stderr.splitlines() and json.loads(done.stdout.splitlines()[-1])["file"] is None
    done = subprocess.run(command(file, "sh", "-c", "kill -SEGV $$"), capture_output=True, text=True)
    assert "The program was ended by signal 11 before anything was recorded." in done.stderr.splitlines()
    assert file.read_bytes() == before and snapshot.read_bytes() == b"\x80\x02a snapshot"
    # A new one replaces both: the snapshot isn't that of the new one.
    record_calls(file, "allocate(2 << 20)")
    assert [path.name for path in tmp_path.iterdir()] == ["x.plmcap"] and file.read_bytes() != before


def test_files_that_are_no_snapshots_are_left_alone(tmp_path):
    file, beside = tmp_path / "y.plmcap", tmp_path / "y.pickle"
    beside.write_text("my own data")
    for _ in range(2):
        record_calls(file, "allocate(1 << 20)")
        assert beside.read_text() == "my own data"
    before = file.read_bytes()
    done = subprocess.run(command(file, "true", options=("--snapshot",)), capture_output=True, text=True)
    assert done.returncode == 3
    assert done.stderr == f"{beside} is there, where PyTorch's snapshot is to be written: choose another name with -o.\n"
    assert file.read_bytes() == before and beside.read_text() == "my own data"


def test_another_profiler_in_the_environment_is_named(tmp_path):
    done = subprocess.run(command(tmp_path / "x.plmcap", "true"), capture_output=True, text=True, env=environment(CUDA_INJECTION64_PATH="/opt/other.so"))
    assert done.returncode == 2 and "another profiler (/opt/other.so)" in done.stderr
