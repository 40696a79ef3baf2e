"""The process gives back what it no longer needs."""

import subprocess
import sys

import pytest

from svcsim.cluster.process import give_back_memory, resident_bytes

PIECE_BYTES = 50_000
"""So small that the C library takes it from its heap, where what lies above keeps it from giving back what lies below."""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the C library looks after that itself")
async def test_what_was_freed_is_given_back():
    pieces = [bytes([1]) * PIECE_BYTES for _ in range(4_000)]
    last = pieces[-1]
    high = resident_bytes()
    del pieces
    await give_back_memory()
    assert resident_bytes() < high - 3_000 * PIECE_BYTES
    assert last[0] == 1


SEARCHES = """
import gc
from svcsim import limits
from svcsim.cluster.process import settle_process, tune_process

tune_process()
settle_process()
most = {0: 0, 1: 0, 2: 0}

def note(phase, info):
    if phase == "start":
        generation = info["generation"]
        most[generation] = max(most[generation], sum(len(gc.get_objects(generation=each)) for each in range(generation + 1)))

gc.callbacks.insert(0, note)
kept = [[number] for number in range(1_000_000)]
assert most[0] > 0
print(*most.values())
class Loop: pass
for _ in range(100_000):
    loop = Loop()
    loop.own = loop
gc.collect()
print(sum(1 for one in gc.get_objects() if type(one) is Loop))
"""


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="searches in another way")
def test_no_search_for_garbage_looks_at_very_much():
    told = subprocess.run([sys.executable, "-c", SEARCHES], capture_output=True, text=True, check=True).stdout
    young, middle, everything, left = map(int, told.split())
    assert young <= 22_000
    assert middle <= 50_000
    assert everything <= 100_000, "what outlived a search before isn't looked at again"
    assert left <= 1, "what refers to itself, and came to stay nowhere, is found"


AMONG_OTHERS = """
from collections import deque
from svcsim.cluster.process import settle_process, tune_process

tune_process()
settle_process()
freed = 0

class Loop:
    def __del__(self):
        global freed
        freed += 1

kept, lately = [], deque(maxlen=2_000)
for number in range(200_000):
    loop = Loop()
    loop.own = loop
    lately.append(loop)
    kept.append([number])
print(freed)
"""


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="searches in another way")
def test_what_becomes_garbage_after_a_while_among_much_that_stays_is_found():
    told = subprocess.run([sys.executable, "-c", AMONG_OTHERS], capture_output=True, text=True, check=True).stdout
    assert int(told) > 150_000


SEARCHED_ELSEWHERE = """
import gc, sys, threading
from svcsim.cluster.process import settle_process, tune_process

tune_process()
settle_process()
sys.setswitchinterval(1e-6)
done = threading.Event()

def search():
    while not done.is_set():
        gc.collect()

threading.Thread(target=search).start()
try:
    for _ in range(20_000):
        tuple(number for number in range(50))
finally:
    done.set()
"""


def test_a_search_for_garbage_on_another_thread_is_in_nobodys_way():
    """What a thread has half made while another one searches is finished all the same."""
    subprocess.run([sys.executable, "-c", SEARCHED_ELSEWHERE], check=True)
