"""MPI calls of mpi4py, and what each of them is, for `mpidbg calls`; as told-calls.c.

    mpidbg run --collect calls -- mpirun -n 2 python3 told-calls.py --wait

Each rank prints its calls between two of MPI_Pcontrol, in order. mpi4py asks for more than it was told to (the size of
a group, whether a communicator is an intercommunicator): of such calls nothing is printed.
"""

import json
import os
import signal
import sys
import time

may_go_on = []
signal.signal(signal.SIGUSR1, lambda *_: may_go_on.append(True))

from mpi4py import MPI  # noqa: E402 (it calls MPI_Init)

told = []


def tell(name, **fields):
    told.append({"name": name, **fields})


world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size
ocean = world.Dup()
ocean.Set_name("ocean")

numbers, more = bytearray(100), bytearray(100)

MPI.Pcontrol(2)

request = ocean.Isend([numbers, MPI.BYTE], dest=right, tag=7)
tell("MPI_Isend", comm="ocean", peer=right, tag=7, bytes=100)
ocean.Recv([more, MPI.BYTE])
tell("MPI_Recv", comm="ocean", peer="MPI_ANY_SOURCE", tag="MPI_ANY_TAG", bytes=100)
request.Wait()
tell("MPI_Wait")
world.Send([numbers, 5, MPI.DOUBLE], dest=MPI.PROC_NULL, tag=9)
tell("MPI_Send", comm="MPI_COMM_WORLD", peer="MPI_PROC_NULL", tag=9, bytes=0)
ocean.Sendrecv([numbers, 3, MPI.DOUBLE], dest=right, sendtag=5, recvbuf=[more, 3, MPI.DOUBLE], source=left, recvtag=5)
tell("MPI_Sendrecv", comm="ocean", peer=right, tag=5, bytes=24)
ocean.Bcast([numbers, 4, MPI.INT], root=1)
tell("MPI_Bcast", comm="ocean", root=1, bytes=16, instance=1)
ocean.Allreduce([numbers, 1, MPI.INT], [more, 1, MPI.INT])
tell("MPI_Allreduce", comm="ocean", bytes=4, instance=2)
ocean.Barrier()
tell("MPI_Barrier", comm="ocean", instance=3)
brief = ocean.Dup()
tell("MPI_Comm_dup", comm="ocean")
brief.Barrier()
tell("MPI_Barrier", comm="", instance=1)
brief.Free()
tell("MPI_Comm_free", comm="")
try:
    ocean.Send([numbers, MPI.BYTE], dest=size + 5, tag=1)
except MPI.Exception:
    tell("MPI_Send", comm="ocean", peer=size + 5, tag=1, error="MPI_ERR_RANK")

MPI.Pcontrol(0)

lines = ["CALLS " + json.dumps({"rank": rank, "calls": told})]
if "--wait" in sys.argv:
    lines.append("MPIDBG-WAITING " + json.dumps({"rank": rank, "pid": os.getpid()}))
os.write(1, ("\n".join(lines) + "\n").encode())
while "--wait" in sys.argv and not may_go_on:
    time.sleep(0.01)
