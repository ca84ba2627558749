C     Fixed form as it was punched: continuations, labels, blanks that mean nothing, Hollerith, tabs, long lines.
*     CALL MPI_BARRIER(NOTME, IERR)
!     CALL MPI_BARRIER(NOTME, IERR)
d     CALL MPI_BARRIER(NOTME, IERR)
      SUBROUTINE PUNCH(ICOMM, N)
      INCLUDE 'mpif.h'
!?    icomm=comm, n=none, ieq=comm, notme=none, ilist=request, mine=request, kindof=datatype
      INTEGER ICOMM, N, IEQ, IOTHER, NOTME, ILIST(8), MINE, KINDOF
      INTEGER*4 IWIN*4, IGROUP(2)
!?    iwin=win, igroup=group, i=none, do20j=none, iother=none
      EQUIVALENCE (ICOMM, IEQ), (ILIST(2), MINE)
      DOUBLEPRECISIONX(10)
      PARAMETER (KREAL = MPI_REAL8)
!?    kreal=datatype, nh=none, ierr=none, idup=comm
      DO 10 I = 1, N
      X(I) = 0
   10 CONTINUE
      DO20J=1,10
      X(J) = J * 2
   20 CONTINUE
      DO30I=1.5
      CALLMPI_BARRIER(IEQ,IERR)
      CALL MPI_IRECV(X, 10, KREAL, 0, 1, IEQ, MINE,
     $               IERR)
      CALL MPI_WAITALL(8, ILIST, MPI_STATUSES_IGNORE, IERR)
      CALL MPI_COMM_DUP(ICOMM,
C     a comment between
     1 IDUP,

     A IERR)
      CALL REPORT(12HIT'S, (A) ! , NH, 3)
      IF (N.EQ.1) CALL MPI_TYPE_FREE(KINDOF, IERR)
      CALL MPI_WIN_FENCE(0, IWIN, IERR); CALL MPI_GROUP_FREE(IGROUP(1), IERR)
	CALL MPI_GROUP_FREE(IGROUP(2),
	1 IERR)
      IF (N - 3) 40, 50, 60
   40 GO TO 50
   50 WRITE (*, 100) 5HCALL , N
  100 FORMAT (1X, 21HCALL MPI_BARRIER(NH) , I5)
   60 CALL MPI_COMM_SET_ERRHANDLER(ICOMM, MPI_ERRORS_RETURN, IERR)      PUNCH
      RETURN
      END
      BLOCKDATAINITIAL
      COMMON /WORLD/ IOCEAN, NLEV
      COMMON /WORLD/ IATMOS
!?    iocean=comm, iatmos=comm, nlev=none
      END
      SUBROUTINECOUPLE
      INCLUDE 'mpif.h'
      COMMON /WORLD/ IA, NLEVS, IB
!?    ia=comm, ib=comm, nlevs=none
      NLEVS = NLEVS + 1
      CALL MPI_INTERCOMM_CREATE(IA, 0, MPI_COMM_WORLD, 1, 1, IB, IERR)
      END
      INTEGERFUNCTIONKOLOR(IG)
      INCLUDE 'mpif.h'
!?    ig=group, kolor=none
      CALL MPI_GROUP_RANK(IG, KOLOR, IERR)
      END
