C     Common blocks that scopes divide in their own ways: the same memory only where all before it is declared alike.
      program shared
      include 'mpif.h'
c? ikomm=comm, me=none
      common /ctx/ ikomm, me, icount
      call MPI_Comm_dup(MPI_COMM_WORLD, ikomm, ierr)
      call MPI_Comm_rank(ikomm, me, ierr)
      call alike
      end

      subroutine alike
      integer other, mine, number
c? other=comm, mine=none, number=none
      common /ctx/ other, mine, number
      print *, other, mine, number
      end

      subroutine whole
      common /ctx/ ibuffer(3)
c? ibuffer=none
      print *, ibuffer
      end

      subroutine others
      common /ctx/ iboth(2), ireq
c? iboth=none, ireq=request
      call MPI_Wait(ireq, MPI_STATUS_IGNORE, ierr)
      end

      subroutine longer
      double precision x
      common /ctx/ x, iwin
c? iwin=win
      call MPI_Win_free(iwin, ierr)
      end
